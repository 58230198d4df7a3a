"""Site configurations on S3: read once, again when an ETag changed, and the last good ones kept."""

import hashlib
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from typo3_retrieval.adapters.site_files import FILE_NAME, MAX_FILE_SIZE, read_sites
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.typo3.sites import Sites

log = logging.getLogger(__name__)

REFRESH_SECONDS = 60  # between two looks at the ETags
MAX_FILES = 1_000  # below the prefix; an installation has some for each site
CONNECT_SECONDS = 1
READ_SECONDS = 3
_SUFFIXES = (".yaml", ".yml")

Listing = Mapping[str, str]  # ETags by the key below the prefix
Parse = Callable[[Path], Sites]


class S3Client(Protocol):
    """What is used of boto3's client of S3."""

    def get_paginator(self, operation_name: Any, /) -> Any: ...
    def get_object(self, **arguments: Any) -> Any: ...
    def put_object(self, **arguments: Any) -> Any: ...
    def delete_object(self, **arguments: Any) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Folder:
    """A bucket and the prefix of all keys that count."""

    bucket: str
    prefix: str  # without slashes around it; may be empty

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    def key(self, name: str) -> str:
        """The key of the file *name*, relative to the folder."""
        return f"{self.prefix}/{name}" if self.prefix else name


def boto3_client() -> S3Client:
    """Make a client of S3 in the environment's region."""
    import boto3  # here: a folder on disk needs none, and it costs a cold start most of all
    from botocore.config import Config

    limits = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": 2, "mode": "standard"},
    )
    client: S3Client = boto3.client("s3", config=limits)
    return client


class S3Sites:
    """The sites of one folder on S3.

    Args:
        folder: where they lie.
        parse: reads the sites of a folder on disk.
        now: UNIX epoch, seconds.
        client: makes the client.
    """

    def __init__(
        self,
        folder: S3Folder,
        *,
        parse: Parse,
        now: Callable[[], int],
        client: Callable[[], S3Client] = boto3_client,
    ) -> None:
        self._folder = folder
        self._parse = parse
        self._now = now
        self._make = client
        self._client: S3Client | None = None
        self._seen: Listing = {}
        self._last: Sites | None = None
        self._looked_at = 0

    def read(self) -> Sites:
        """Read the sites.

        Raises:
            ConfigurationError: they cannot be had, and none were read before.
        """
        try:
            listing = self._list()
            self._last = self._download(listing)
        except BackendUnavailable as error:
            raise ConfigurationError(f"RETRIEVAL_SITES names {self._folder}: {error}") from error
        self._seen, self._looked_at = listing, self._now()
        return self._last

    def is_due(self) -> bool:
        """Whether it is time to look for changes."""
        return not 0 <= self._now() - self._looked_at < REFRESH_SECONDS

    def changed(self) -> Sites | None:
        """The sites as they are now, None when nothing changed or what is there cannot be used.

        Looks at most once a minute, whatever comes of it. Raises nothing.
        """
        if not self.is_due():
            return None
        self._looked_at = self._now()
        try:
            listing = self._list()
            if listing == self._seen:
                return None
            sites = self._download(listing)
        except (BackendUnavailable, ConfigurationError) as error:
            log.error("the sites are not refreshed, the last good ones stay: %s", error)
            return None
        self._seen = listing
        lost = self._lost(sites, listing)
        if lost:
            log.error("the sites are not refreshed: %s cannot be read any more", ", ".join(lost))
            return None
        self._last = sites
        return sites

    def _lost(self, sites: Sites, listing: Listing) -> list[str]:
        """The sites whose files are still there and that were readable before."""
        readable = {site.identifier for site in sites}
        before = {site.identifier for site in self._last or ()}
        return sorted(name for name in before - readable if f"{name}/{FILE_NAME}" in listing)

    def _list(self) -> Listing:
        with _translated():
            return listed(self._s3(), self._folder)

    def _download(self, listing: Listing) -> Sites:
        with tempfile.TemporaryDirectory(prefix="sites-") as scratch:
            for name in listing:
                path = Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with _translated():
                    answer = self._s3().get_object(
                        Bucket=self._folder.bucket, Key=self._folder.key(name)
                    )
                    path.write_bytes(answer["Body"].read(MAX_FILE_SIZE + 1))
            return self._parse(Path(scratch))

    def _s3(self) -> S3Client:
        if self._client is None:
            self._client = self._make()
        return self._client


def listed(client: S3Client, folder: S3Folder) -> Listing:
    """The configuration files of *folder*.

    Raises:
        ConfigurationError: there are far too many: the prefix is that of something else.
    """
    found: dict[str, str] = {}
    prefix = folder.key("")
    for page in client.get_paginator("list_objects_v2").paginate(
        Bucket=folder.bucket, Prefix=prefix
    ):
        for each in page.get("Contents", ()):
            name = each["Key"].removeprefix(prefix)
            if name.endswith(_SUFFIXES) and _is_plain(name):
                found[name] = each["ETag"]
        if len(found) > MAX_FILES:
            raise ConfigurationError(f"{folder} holds more than {MAX_FILES} configuration files.")
    return found


def push(source: Path, folder: S3Folder, client: S3Client, parse: Parse) -> Iterator[str]:
    """Upload the configurations in *source*, remove others; yield a line on each change.

    Raises:
        ConfigurationError: one of the sites cannot be read; nothing was uploaded then.
        BackendUnavailable: S3 does not take it.
    """
    sites = parse(source)
    if sites.notes:
        raise ConfigurationError(f"Nothing was uploaded. {' '.join(sites.notes)} See the log.")
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file() and path.suffix in _SUFFIXES
    }
    with _translated():
        there = listed(client, folder)
        for name, content in files.items():
            if there.get(name, "").strip('"') != hashlib.md5(content).hexdigest():  # noqa: S324  # what S3 calls ETag
                client.put_object(
                    Bucket=folder.bucket,
                    Key=folder.key(name),
                    Body=content,
                    ContentType="application/yaml",
                )
                yield f"uploaded {name}"
        for name in sorted(there.keys() - files.keys()):
            client.delete_object(Bucket=folder.bucket, Key=folder.key(name))
            yield f"removed {name}"


def parser(*, context: str, environment: Mapping[str, str]) -> Parse:
    """What reads the sites of a folder, for an application context."""

    def parse(folder: Path) -> Sites:
        return read_sites(folder, context=context, environment=environment)

    return parse


def _is_plain(name: str) -> bool:
    """Whether a key is a path below the folder and stays there."""
    parts = PurePosixPath(name).parts
    return not name.startswith("/") and ".." not in parts and "\\" not in name


@contextmanager
def _translated() -> Iterator[None]:
    """Turn botocore's errors into ours; their messages hold no secret, but the request's id."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        raise BackendUnavailable(f"S3 refused: {code}", reason="S3 refused") from error
    except BotoCoreError as error:
        raise BackendUnavailable(
            f"S3 does not answer: {type(error).__name__}", reason="S3 unavailable"
        ) from error
