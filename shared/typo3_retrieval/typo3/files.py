"""Public addresses of files in TYPO3's file abstraction layer (`sys_file`).

Only files that anybody may load from the web server have one. What TYPO3 serves through
``?eID=dumpFile`` is left out although such a link works for everybody: it would publish a file
that its storage keeps private. Rules: `LocalDriver::determineBaseUrl` and `getPublicUrl`.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha1
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from typo3_retrieval.typo3.database import Database, Row, Value
from typo3_retrieval.typo3.php import raw_url_encode

MAX_UID = 2**32 - 1
MAX_CONFIGURATION = 100_000  # characters; a storage's FlexForm has some hundred
_DECLARATION = re.compile(r"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_LOCAL = "Local"  # the one driver whose addresses can be told from outside

# What `public_file` reads, of `sys_file f` and `sys_file_storage s`.
FILE_COLUMNS = """
    f.uid AS file_uid, f.identifier AS file_identifier, f.missing AS file_missing,
    s.driver AS file_driver, s.is_public AS file_is_public, s.is_online AS file_is_online,
    s.deleted AS file_deleted, s.configuration AS file_configuration"""

_STATEMENT = f"""
    SELECT {FILE_COLUMNS}
    FROM sys_file f JOIN sys_file_storage s ON s.uid = f.storage
    WHERE"""  # noqa: S608  # a constant


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicFile:
    """A file that anybody may load."""

    uid: int
    path: str  # as TYPO3 prints it: below the web root without a leading slash, or a baseUri's URL
    in_web_root: bool

    def url(self, base: str) -> str | None:
        """The absolute URL, None when there is none that leads to the file.

        Args:
            base: of a site; files lie below its host, not below its path.
        """
        if urlsplit(self.path).scheme:
            return self.path
        site = urlsplit(base)
        scheme = site.scheme or "https"
        if self.path.startswith("//"):
            return f"{scheme}:{self.path}"
        # A baseUri such as "cdn.example.org/x" was meant to be a host, but TYPO3 prints it as a
        # path, which leads nowhere.
        if not site.netloc or not (self.in_web_root or self.path.startswith("/")):
            return None
        host = site.netloc.rpartition("@")[2]
        return f"{scheme}://{host}/{self.path.lstrip('/')}"


def public_files(database: Database, uids: Iterable[int]) -> Mapping[int, PublicFile]:
    """The files with these uids that anybody may load; the others are missing. One statement.

    Raises:
        BackendError: the database did not answer.
    """
    wanted = sorted({uid for uid in uids if 0 < uid <= MAX_UID})
    if not wanted or not database.columns("sys_file_storage"):
        return {}
    rows = database.rows(f"{_STATEMENT} f.uid IN %(uids)s", {"uids": wanted})
    return {file.uid: file for row in rows if (file := public_file(row))}


def public_files_at(database: Database, paths: Iterable[str]) -> Mapping[str, PublicFile]:
    """The files at these paths that anybody may load; the others are missing. One statement.

    Args:
        database: TYPO3's tables.
        paths: below the web root, as links on pages name them; encoded or not.

    Raises:
        BackendError: the database did not answer.
    """
    wanted = {path: unquote(path).lstrip("/") for path in paths}
    # Which folders are the storage's and which the file's is not known: each end is tried.
    hashes = {
        sha1(f"/{end}".encode(), usedforsecurity=False).hexdigest()
        for path in wanted.values()
        for end in _ends(path)
    }
    if not hashes or "identifier_hash" not in database.columns("sys_file"):
        return {}
    statement = f"{_STATEMENT} f.identifier_hash IN %(hashes)s"
    rows = database.rows(statement, {"hashes": sorted(hashes)})
    files = {file.path: file for row in rows if (file := public_file(row))}
    return {
        path: files[encoded]
        for path, decoded in wanted.items()
        if (encoded := _encoded(decoded)) in files
    }


def _ends(path: str) -> Iterable[str]:
    """The path, then without its first folder, and so on."""
    parts = path.split("/")
    return ("/".join(parts[index:]) for index in range(len(parts)))


def public_file(row: Row) -> PublicFile | None:
    """The file of a row with `FILE_COLUMNS`, None unless anybody may load it."""
    served = row["file_is_public"] and row["file_is_online"]
    if not served or row["file_deleted"] or row["file_missing"] or row["file_driver"] != _LOCAL:
        return None
    settings = read_flexform(_text(row["file_configuration"]))
    configured = settings.get("baseUri", "").rstrip("/")
    base = f"{configured}/" if configured else _below_web_root(settings)
    identifier = _text(row["file_identifier"]).lstrip("/")
    if base is None or not identifier:
        return None
    path = base + _encoded(identifier)
    return PublicFile(uid=int(row["file_uid"] or 0), path=path, in_web_root=not configured)


def _below_web_root(settings: Mapping[str, str]) -> str | None:
    """The path that a storage's addresses begin with, None when it is not on the web server.

    An absolute path may lie below the web root, but where that is cannot be seen from here.
    """
    path = settings.get("basePath", "")
    if not path or settings.get("pathType") == "absolute" or path.startswith("/"):
        return None
    path = posixpath.normpath(path)
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else _encoded(path) + "/"


def read_flexform(xml: str) -> dict[str, str]:
    """The fields of a FlexForm's default sheet and language; nothing when it cannot be read.

    Declarations are refused: entities are how XML makes a parser read files or run out of memory.
    """
    if len(xml) > MAX_CONFIGURATION or _DECLARATION.search(xml):
        return {}
    try:
        root = ElementTree.fromstring(xml.strip())  # noqa: S314  # no declaration gets here
    except ElementTree.ParseError:
        return {}
    path = "./data/sheet[@index='sDEF']/language[@index='lDEF']/field"
    return {
        field.get("index", ""): (value.text or "").strip()
        for field in root.iterfind(path)
        if (value := field.find("./value[@index='vDEF']")) is not None
    }


def _encoded(path: str) -> str:
    return "/".join(map(raw_url_encode, path.split("/")))


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
