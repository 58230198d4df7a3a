"""The settings of functions and local server: read once, from the environment.

A plain dataclass: the authorizer reads it too, and pydantic would double its cold start.
"""

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args
from urllib.parse import SplitResult, unquote, urlsplit

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Algorithm, SecretReference

log = logging.getLogger(__name__)

DATABASE_URL = "RETRIEVAL_DATABASE_URL"
DATABASE_SECRET = "RETRIEVAL_DATABASE_SECRET"  # noqa: S105  # the variable's name
SOLR_SECRET = "RETRIEVAL_SOLR_SECRET"  # noqa: S105  # the variable's name
TYPO3_SECRET = "RETRIEVAL_TYPO3_SECRET"  # noqa: S105  # the variable's name
TOKEN_SECRET = "RETRIEVAL_TOKEN_SECRET"  # noqa: S105  # the variable's name
TOKEN_ALGORITHM = "RETRIEVAL_TOKEN_ALGORITHM"  # noqa: S105  # the variable's name
SITES = "RETRIEVAL_SITES"
CONTEXT = "TYPO3_CONTEXT"
TYPO3_VERSION = "RETRIEVAL_TYPO3_VERSION"
CHASH_EXCLUDED = "RETRIEVAL_TYPO3_CHASH_EXCLUDED"
CONTENT_COLUMNS = "RETRIEVAL_TYPO3_CONTENT_COLUMNS"
CONTENT_TYPES = "RETRIEVAL_TYPO3_CONTENT_TYPES"
CONTENT_FIELDS = "RETRIEVAL_TYPO3_CONTENT_FIELDS"
DEADLINE_SECONDS = "RETRIEVAL_DEADLINE_SECONDS"
COOL_DOWN_SECONDS = "RETRIEVAL_COOL_DOWN_SECONDS"
ANSWER_CACHE_SECONDS = "RETRIEVAL_ANSWER_CACHE_SECONDS"
CANARIES = "RETRIEVAL_CANARIES"
BACKEND_USERS = "RETRIEVAL_BACKEND_USERS"
BACKENDS = "RETRIEVAL_BACKENDS"
MCP_ORIGINS = "RETRIEVAL_MCP_ORIGINS"
RESOURCE_METADATA = "RETRIEVAL_RESOURCE_METADATA"
AGENTCORE_GATEWAYS = "RETRIEVAL_AGENTCORE_GATEWAYS"

KNOWN = (
    DATABASE_URL,
    DATABASE_SECRET,
    SOLR_SECRET,
    TYPO3_SECRET,
    TOKEN_SECRET,
    TOKEN_ALGORITHM,
    SITES,
    CONTEXT,
    TYPO3_VERSION,
    CHASH_EXCLUDED,
    CONTENT_COLUMNS,
    CONTENT_TYPES,
    CONTENT_FIELDS,
    DEADLINE_SECONDS,
    COOL_DOWN_SECONDS,
    ANSWER_CACHE_SECONDS,
    CANARIES,
    BACKEND_USERS,
    BACKENDS,
    MCP_ORIGINS,
    RESOURCE_METADATA,
    AGENTCORE_GATEWAYS,
)

MAX_DEADLINE = 29.0  # seconds; API Gateway gives up after 29
MAX_REMEMBERED = 60  # seconds; a page that was hidden must not show for longer
MAX_PAUSE = 300.0  # seconds; who waits longer for a restart needs no fallback but a repair
_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_CONTEXT = re.compile(r"(Production|Development|Testing)(/[^/\s]+)*")
# Secrets Manager: letters, digits and /_+=.@- ; an ARN adds colons.
_SECRET = re.compile(r"[A-Za-z0-9/_+=.@:-]{1,2048}")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")
# For a header's quoted string: no quotation marks, no blanks.
_HTTPS_URL = re.compile(r"https://[A-Za-z0-9._~:/?#@!$&'()*+,;=%\[\]-]{1,2000}")
_GATEWAY = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,127})=([1-9][0-9]{0,9})")
# S3's rules for the names of buckets; the prefix as it may stand in a policy.
_S3 = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9._-]+)*/?)")
_SIMILAR = 0.9  # difflib's ratio above which an unknown name is taken for a typing error

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteUrl:
    """A SQLite file that exists."""

    path: Path  # absolute


@dataclass(frozen=True, slots=True, kw_only=True)
class MysqlUrl:
    """A MariaDB or MySQL server; the secret fills in what is None."""

    host: str | None
    port: int | None
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Url:
    """A folder on S3."""

    bucket: str
    prefix: str  # without slashes around it


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A question whose answer is known."""

    site: str  # identifier
    question: str
    page: int  # uid that must be among the sources
    language: int = 0  # sys_language_uid


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that an operator can say. docs/settings.md explains each variable."""

    database: SqliteUrl | MysqlUrl | None = None  # None: no database
    database_secret: SecretReference | None = None
    solr_secret: SecretReference | None = None
    typo3_secret: SecretReference | None = None
    token_secret: SecretReference | None = None
    token_algorithm: Algorithm = "HS256"  # noqa: S105  # a name
    sites: Path | S3Url | None = None  # folder with <identifier>/config.yaml
    context: str = "Production"
    typo3_version: Literal[12, 13, 14] = 13
    chash_excluded: tuple[str, ...] = ()  # added to TYPO3's own list
    content_columns: frozenset[int] = frozenset({0})  # colPos that the templates print
    content_types: frozenset[str] = frozenset()  # CTypes beside the core's that print text
    content_fields: tuple[str, ...] = ()  # columns of tt_content beside the core's, printed too
    deadline_seconds: float = 8.0  # for a whole request
    cool_down_seconds: float = 5.0  # in which a backend that failed is not asked
    answer_cache_seconds: float = 0.0  # that an answer may be remembered; 0: none is
    canaries: tuple[Canary, ...] = ()  # that the probe asks each backend
    backend_users: Literal["database", "token"] = "database"
    backends: tuple[str, ...] | None = None  # None: all that are installed
    mcp_origins: frozenset[str] = frozenset()  # of web pages that may call POST /mcp
    resource_metadata: str | None = None  # URL of the API's RFC 9728 document
    # uid of the be_users row for whom each trusted AgentCore gateway asks
    agentcore_gateways: Mapping[str, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read and check every variable; an empty one counts as missing.

        Raises:
            ConfigurationError: a value is wrong; names the variable and what it should be.
        """
        _warn_of_typing_errors(environ)

        def read(name: str, parse: Callable[[str, str], T], default: T) -> T:
            value = environ.get(name, "").strip()
            return parse(name, value) if value else default

        database = read(DATABASE_URL, _database, None)
        database_secret = read(DATABASE_SECRET, _secret, None)
        if isinstance(database, MysqlUrl) and database_secret is None:
            raise ConfigurationError(
                f"{DATABASE_SECRET} is missing: it must name the secret with username and "
                f"password, because {DATABASE_URL} is a mysql:// address."
            )
        return cls(
            database=database,
            database_secret=database_secret,
            solr_secret=read(SOLR_SECRET, _secret, None),
            typo3_secret=read(TYPO3_SECRET, _secret, None),
            token_secret=read(TOKEN_SECRET, _secret, None),
            token_algorithm=read(TOKEN_ALGORITHM, _algorithm, "HS256"),
            sites=read(SITES, _sites, None),
            context=read(CONTEXT, _context, "Production"),
            typo3_version=read(TYPO3_VERSION, _version, 13),
            chash_excluded=read(CHASH_EXCLUDED, _list, ()),
            content_columns=read(CONTENT_COLUMNS, _numbers, frozenset({0})),
            content_types=read(CONTENT_TYPES, lambda *each: frozenset(_list(*each)), frozenset()),
            content_fields=read(CONTENT_FIELDS, _columns, ()),
            deadline_seconds=read(DEADLINE_SECONDS, _seconds, 8.0),
            cool_down_seconds=read(COOL_DOWN_SECONDS, _pause, 5.0),
            answer_cache_seconds=read(ANSWER_CACHE_SECONDS, _remembered, 0.0),
            canaries=read(CANARIES, _canaries, ()),
            backend_users=read(BACKEND_USERS, _backend_users, "database"),
            backends=read(BACKENDS, _names, None),
            mcp_origins=read(MCP_ORIGINS, _origins, frozenset()),
            resource_metadata=read(RESOURCE_METADATA, _https_url, None),
            agentcore_gateways=read(AGENTCORE_GATEWAYS, _gateways, {}),
            environment=dict(environ),
        )

    def options_of(self, backend: str) -> dict[str, str]:
        """The options of one backend, RETRIEVAL_<BACKEND>_<OPTION>.

        Returns:
            Values by the option's name in lower case; empty ones are left out.
        """
        prefix = f"RETRIEVAL_{backend.upper()}_"
        return {
            name.removeprefix(prefix).lower(): value
            for name, value in self.environment.items()
            if name.startswith(prefix) and name not in KNOWN and value.strip()
        }

    def secret_of(self, backend: str) -> SecretReference | None:
        """Where the secret of one backend lies, RETRIEVAL_<BACKEND>_SECRET.

        Raises:
            ConfigurationError: the variable holds no reference.
        """
        name = f"RETRIEVAL_{backend.upper()}_SECRET"
        value = self.environment.get(name, "").strip()
        return _secret(name, value) if value else None


def missing(name: str, what: str) -> ConfigurationError:
    """Say that a setting is needed: ``missing("RETRIEVAL_SITES", "a folder with …")``."""
    return ConfigurationError(f"{name} is missing: it must be {what}.")


def _wrong(name: str, what: str) -> ConfigurationError:
    """Say what *name* should be. Never what it is: a password may have slipped in."""
    return ConfigurationError(f"{name} is wrong: it must be {what}.")


def _database(name: str, value: str) -> SqliteUrl | MysqlUrl:
    wrong = _wrong(name, "mysql://host:port/name or sqlite:///absolute/path")
    try:
        url = urlsplit(value)
        port = url.port
    except ValueError:
        # from None: the cause quotes the value.
        raise wrong from None
    if "@" in url.netloc:
        raise ConfigurationError(
            f"{name} must not hold credentials: put username and password into the secret that "
            f"{DATABASE_SECRET} names."
        )
    if url.query or url.fragment or url.scheme not in ("mysql", "sqlite"):
        raise wrong
    return _sqlite(name, url) if url.scheme == "sqlite" else _mysql(wrong, url, port)


def _sqlite(name: str, url: SplitResult) -> SqliteUrl:
    path = Path(unquote(url.path))
    if url.netloc or not path.is_absolute():
        raise _wrong(name, "sqlite:/// and an absolute path, so three slashes and then the path's")
    if not path.is_file():
        raise ConfigurationError(
            f"{name} names the file {path}, which does not exist. Nothing was created: it must "
            f"be TYPO3's own SQLite file."
        )
    return SqliteUrl(path=path)


def _mysql(wrong: ConfigurationError, url: SplitResult, port: int | None) -> MysqlUrl:
    database = unquote(url.path.removeprefix("/"))
    if "/" in database or "\0" in database:
        raise wrong
    return MysqlUrl(host=url.hostname, port=port, name=database or None)


def _secret(name: str, value: str) -> SecretReference:
    is_name = _SECRET.fullmatch(value) and not value.startswith("file:")
    if not is_name and not value.startswith("file:///"):
        raise _wrong(
            name, "an ARN or a name in Secrets Manager, or file:///path.json; never the secret"
        )
    return SecretReference(setting=name, reference=value)


def _algorithm(name: str, value: str) -> Algorithm:
    if value not in get_args(Algorithm):
        raise _wrong(name, "HS256, ES256 or RS256")
    return cast(Algorithm, value)


def s3_folder(name: str, value: str) -> S3Url:
    """Parse s3://bucket/prefix.

    Raises:
        ConfigurationError: it is none; names *name*.
    """
    match = _S3.fullmatch(value)
    if match is None:
        raise _wrong(name, "s3://bucket/prefix, which holds <identifier>/config.yaml")
    return S3Url(bucket=match[1], prefix=match[2].strip("/"))


def _sites(name: str, value: str) -> Path | S3Url:
    what = (
        "a folder that holds <identifier>/config.yaml, such as TYPO3's config/sites, "
        "or s3://bucket/prefix"
    )
    if value.startswith("s3://"):
        return s3_folder(name, value)
    path = Path(value)
    if not path.is_dir():
        raise _wrong(name, f"{what}; there is no folder {value}")
    if not any(path.glob("*/config.yaml")):
        raise _wrong(name, f"{what}; {value} holds none")
    return path


def _context(name: str, value: str) -> str:
    if not _CONTEXT.fullmatch(value):
        raise _wrong(name, "Production, Development or Testing, each with /Sub if need be")
    return value


def _version(name: str, value: str) -> Literal[12, 13, 14]:
    if value not in ("12", "13", "14"):
        raise _wrong(name, "12, 13 or 14")
    return cast(Literal[12, 13, 14], int(value))


def _seconds(name: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= MAX_DEADLINE:  # also false for nan
        raise _wrong(name, f"a number of seconds from 1 to {MAX_DEADLINE:g}")
    return seconds


def _pause(name: str, value: str) -> float:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", value) or float(value) > MAX_PAUSE:
        raise _wrong(name, f"a number of seconds from 0 to {MAX_PAUSE:g}")
    return float(value)


def _remembered(name: str, value: str) -> float:
    if not re.fullmatch(r"[0-9]{1,2}", value) or int(value) > MAX_REMEMBERED:
        raise _wrong(name, f"a whole number of seconds from 0 to {MAX_REMEMBERED}")
    return float(value)


def _canaries(name: str, value: str) -> tuple[Canary, ...]:
    wrong = _wrong(
        name,
        'a JSON list such as [{"site": "main", "question": "Opening hours?", "page": 12}], '
        "each with a language's id if need be",
    )
    try:
        found = json.loads(value)
    except ValueError:
        raise wrong from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise wrong
    canaries = []
    for each in found:
        site, question, page = each.get("site"), each.get("question"), each.get("page")
        language = each.get("language", 0)
        is_text = isinstance(site, str) and isinstance(question, str) and len(question.strip()) > 1
        if not is_text or type(page) is not int or type(language) is not int or len(each) > 4:
            raise wrong
        canaries.append(Canary(site=site, question=question, page=page, language=language))
    return tuple(canaries)


def _backend_users(name: str, value: str) -> Literal["database", "token"]:
    if value not in ("database", "token"):
        raise _wrong(name, "database or token")
    return cast(Literal["database", "token"], value)


def _numbers(name: str, value: str) -> frozenset[int]:
    parts = _list(name, value)
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise _wrong(name, "a comma list of colPos numbers, such as 0,1")
    return frozenset(map(int, parts))


def _columns(name: str, value: str) -> tuple[str, ...]:
    parts = _list(name, value)
    if not all(_COLUMN.fullmatch(part) for part in parts):
        raise _wrong(name, "a comma list of columns of tt_content, such as tx_site_teaser")
    return parts


def _list(_name: str, value: str) -> tuple[str, ...]:
    return tuple(part for part in map(str.strip, value.split(",")) if part)


def _names(name: str, value: str) -> tuple[str, ...]:
    names = _list(name, value)
    if not names or not all(map(_NAME.fullmatch, names)):
        raise _wrong(name, "a comma list of backends' names, such as solr,database")
    return names


def _origins(name: str, value: str) -> frozenset[str]:
    origins = _list(name, value)
    if not all(map(_ORIGIN.fullmatch, origins)):
        raise _wrong(name, "a comma list of origins such as https://chat.example.org, each exact")
    return frozenset(origins)


def _https_url(name: str, value: str) -> str:
    if not _HTTPS_URL.fullmatch(value):
        raise _wrong(name, "an https:// address")
    return value


def _gateways(name: str, value: str) -> dict[str, int]:
    pairs = [_GATEWAY.fullmatch(part) for part in _list(name, value)]
    gateways = {pair[1]: int(pair[2]) for pair in pairs if pair}
    if len(gateways) != len(pairs):
        raise _wrong(
            name, "a comma list of <gateway id>=<uid of a be_users row>, each gateway once"
        )
    return gateways


def _warn_of_typing_errors(environ: Mapping[str, str]) -> None:
    """Warn of variables that nothing reads and that look like one that something does."""
    for name in environ:
        if name.startswith("RETRIEVAL_") and name not in KNOWN:
            from difflib import get_close_matches  # here: there is seldom something to compare

            for known in get_close_matches(name, KNOWN, n=1, cutoff=_SIMILAR):
                log.warning("%s is no setting: did you mean %s?", name, known)
