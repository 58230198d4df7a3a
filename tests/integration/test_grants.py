"""The database user of docs/security.md: what he may read is enough, and nothing is left over."""

import re
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest

from tests.conformance.recorded import lines
from tests.integration.served import EDITOR, Installation, installed
from tests.servers.mariadb import TRUTH_DATABASE, Account, MariaDb
from typo3_retrieval.bootstrap import build_authorizer, build_services
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.errors import RetrievalError
from typo3_retrieval.edge.answers import answer_fetch, answer_query
from typo3_retrieval.edge.models import FetchRequest, QueryRequest
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings

DOCUMENT = Path(__file__).parents[2] / "docs" / "security.md"
READER = Account(username="retrieval", password="a long random password")
EVERYTHING = Account(username="everything", password="may read everything")
ACCESS = AccessContext.public_only(BackendUser("10"))
QUESTIONS = 12  # of each backend; each is asked twice
# What a table of the site's own routing needs, as the page says.
RECORDS = """
    GRANT SELECT (uid, slug, title, deleted, hidden, starttime, endtime, fe_group, sys_language_uid,
    l10n_parent, t3ver_wsid) ON typo3.tx_minirecords_item TO 'retrieval'@'%'
"""


def statements() -> list[str]:
    (block,) = re.findall(r"```sql\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    bare = re.sub(r"^--.*$", "", block, flags=re.MULTILINE)
    return [each.strip() for each in bare.split(";") if each.strip()]


@pytest.fixture(scope="module")
def granted(truth_mariadb: MariaDb) -> MariaDb:
    truth_mariadb.execute(f"DROP USER IF EXISTS '{READER.username}'@'%'", *statements(), RECORDS)
    return truth_mariadb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("granted")


@pytest.fixture(scope="module")
def installation(granted: MariaDb, truth: Path, folder: Path) -> Installation:
    return installed(granted, truth, folder, READER)


def built(installation: Installation, backend: str) -> Services:
    return build_services(
        Settings.from_environment({**installation.environment, "RETRIEVAL_BACKENDS": backend})
    )


def closed(services: Services) -> None:
    close = getattr(services.database, "close", None)
    if close is not None:
        close()


@pytest.fixture(scope="module", params=["database", "ke_search", "indexed_search"])
def pair(
    request: pytest.FixtureRequest,
    installation: Installation,
    granted: MariaDb,
    truth: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, Services, Services]]:
    """One backend, as the reader and as root."""
    everything = installed(granted, truth, tmp_path_factory.mktemp("root"), EVERYTHING)
    granted.execute(
        f"CREATE OR REPLACE USER '{EVERYTHING.username}'@'%' IDENTIFIED BY '{EVERYTHING.password}'",
        f"GRANT ALL ON *.* TO '{EVERYTHING.username}'@'%'",
    )
    both = built(installation, request.param), built(everything, request.param)
    yield request.param, *both
    for services in both:
        closed(services)


def recorded_questions(truth: Path, backend: str) -> list[str]:
    found = [
        line["query"]
        for line in lines(truth / "search.jsonl")
        if line.get("backend") == backend and len(str(line.get("query", "")).strip()) > 1
    ]
    return list(dict.fromkeys(found))[:: max(1, len(set(found)) // QUESTIONS)][:QUESTIONS]


def test_he_finds_and_reads_what_root_finds_and_reads(
    pair: tuple[str, Services, Services], truth: Path
) -> None:
    backend, reader, root = pair
    questions = recorded_questions(truth, backend)
    assert len(questions) >= QUESTIONS // 2
    hits = 0
    for question in questions:
        request = QueryRequest(question=question)
        mine, all_ = (answer_query(each, request, ACCESS) for each in (reader, root))
        assert not mine.degraded, mine.attempts
        assert mine.sources == all_.sources
        hits += len(mine.sources)
        for source in mine.sources[:2]:
            fetch = FetchRequest(source_id=source.source_id)
            assert answer_fetch(reader, fetch, ACCESS) == answer_fetch(root, fetch, ACCESS)
    assert hits


def test_the_authorizer_looks_users_up_with_these_grants(installation: Installation) -> None:
    authorizer = build_authorizer(Settings.from_environment(installation.environment))
    for user, effect in ((EDITOR, "Allow"), (11, "Deny"), (9999, "Deny")):
        event = {
            "type": "TOKEN",
            "authorizationToken": f"Bearer {installation.token(user)}",
            "methodArn": "arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/v1/POST/query",
        }
        assert authorizer.policy(event)["policyDocument"]["Statement"][0]["Effect"] == effect


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT password FROM be_users",
        "SELECT * FROM be_users",
        "SELECT username FROM be_users",
        "SELECT TSconfig FROM pages",
        "SELECT * FROM fe_groups",
        "UPDATE pages SET hidden = 0",
        "DELETE FROM tt_content",
        "INSERT INTO index_words (wid) VALUES (1)",
        "CREATE TABLE mine (uid INT)",
        "SELECT LOAD_FILE('/etc/passwd') FROM mysql.user",
        "SET GLOBAL general_log = 1",
    ],
)
def test_he_may_do_nothing_else(granted: MariaDb, statement: str) -> None:
    with (
        granted.connect(TRUTH_DATABASE, READER) as connection,
        connection.cursor() as cursor,
        pytest.raises(pymysql.err.MySQLError, match=r"denied|need"),
    ):
        cursor.execute(statement)


@pytest.mark.parametrize("column", ["hidden", "fe_group", "endtime", "t3ver_wsid"])
@pytest.mark.parametrize("table", ["pages", "tt_content"])
def test_a_column_that_hides_and_may_not_be_read_is_a_failure_and_publishes_nothing(
    granted: MariaDb, truth: Path, tmp_path: Path, table: str, column: str
) -> None:
    narrow = Account(username="narrow", password="may read too little")
    lacking = [
        re.sub(rf"\b{column},\s", "", each) if f"typo3.{table} " in each else each
        for each in statements()
    ]
    granted.execute(
        f"DROP USER IF EXISTS '{narrow.username}'@'%'",
        *(
            each.replace(READER.username, narrow.username).replace(READER.password, narrow.password)
            for each in lacking
        ),
    )
    services = built(installed(granted, truth, tmp_path, narrow), "database")
    answer = answer_query(services, QueryRequest(question="Abfall"), ACCESS)
    assert (answer.degraded, answer.sources) == (True, ())
    assert answer.attempts[0].reason == "schema does not fit"
    with pytest.raises(RetrievalError):
        answer_fetch(services, FetchRequest(source_id="database:2:0"), ACCESS)
    closed(services)
