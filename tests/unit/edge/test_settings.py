"""Settings: what is read, what is refused, and that the documentation knows all of it."""

import logging
from pathlib import Path

import pytest

from typo3_retrieval.core import errors
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.edge import settings
from typo3_retrieval.edge.settings import KNOWN, Canary, MysqlUrl, S3Url, Settings, SqliteUrl

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "settings.md"
TEMPLATE = Path(__file__).parents[3] / "template.yaml"
MYSQL = {"RETRIEVAL_DATABASE_SECRET": "file:///secret.json"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one site and one database file."""
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "config.yaml").write_text("rootPageId: 1\n")
    (tmp_path / "typo3.sqlite").touch()
    return tmp_path


def test_an_empty_environment_gives_the_defaults() -> None:
    read = Settings.from_environment({})
    assert read == Settings()
    assert (read.context, read.typo3_version, read.deadline_seconds) == ("Production", 13, 8.0)
    assert (read.backend_users, read.backends, read.database) == ("database", None, None)


def test_an_empty_value_counts_as_missing() -> None:
    assert Settings.from_environment(dict.fromkeys(KNOWN, "  ")) == Settings(
        environment=dict.fromkeys(KNOWN, "  ")
    )


def test_every_setting_is_read(folder: Path) -> None:
    read = Settings.from_environment(
        {
            "RETRIEVAL_DATABASE_URL": f"sqlite://{folder}/typo3.sqlite",
            "RETRIEVAL_DATABASE_SECRET": "typo3/database",
            "RETRIEVAL_SOLR_SECRET": "typo3/solr",
            "RETRIEVAL_TYPO3_SECRET": "arn:aws:secretsmanager:eu-west-1:1:secret:typo3-a1",
            "RETRIEVAL_TOKEN_SECRET": "file:///run/secrets/tokens.json",
            "RETRIEVAL_SITES": str(folder),
            "TYPO3_CONTEXT": "Development/Local",
            "RETRIEVAL_TYPO3_VERSION": "12",
            "RETRIEVAL_TYPO3_CHASH_EXCLUDED": "ref, ^tx_demo,",
            "RETRIEVAL_TYPO3_CONTENT_COLUMNS": "0, 1",
            "RETRIEVAL_TYPO3_CONTENT_TYPES": "site_teaser,site_quote",
            "RETRIEVAL_TYPO3_CONTENT_FIELDS": "tx_site_quote",
            "RETRIEVAL_DEADLINE_SECONDS": "2.5",
            "RETRIEVAL_BACKEND_USERS": "token",
            "RETRIEVAL_BACKENDS": "solr, database",
        }
    )
    assert read.database == SqliteUrl(path=folder / "typo3.sqlite")
    assert read.token_secret is not None
    assert read.token_secret.reference == "file:///run/secrets/tokens.json"
    assert read.sites == folder
    assert read.context == "Development/Local"
    assert read.typo3_version == 12
    assert read.chash_excluded == ("ref", "^tx_demo")
    assert read.content_columns == {0, 1}
    assert read.content_types == {"site_teaser", "site_quote"}
    assert read.content_fields == ("tx_site_quote",)
    assert read.deadline_seconds == 2.5
    assert read.backend_users == "token"
    assert read.backends == ("solr", "database")


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("mysql://db.internal:3307/typo3", ("db.internal", 3307, "typo3")),
        ("mysql://db.internal/typo3", ("db.internal", None, "typo3")),
        ("mysql://[::1]:3306/typo3", ("::1", 3306, "typo3")),
        ("mysql://", (None, None, None)),
    ],
)
def test_a_mysql_address_may_leave_parts_to_the_secret(
    url: str, parts: tuple[str | None, int | None, str | None]
) -> None:
    host, port, name = parts
    read = Settings.from_environment({"RETRIEVAL_DATABASE_URL": url, **MYSQL})
    assert read.database == MysqlUrl(host=host, port=port, name=name)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("RETRIEVAL_DATABASE_URL", "postgres://host/name", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "mysql://host:port/name", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "mysql://host:99999/name", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "mysql://[host/name", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "mysql://host/name?ssl=1", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "mysql://host/a/b", "mysql://host:port/name"),
        ("RETRIEVAL_DATABASE_URL", "sqlite://relative.db", "three slashes"),
        ("RETRIEVAL_DATABASE_URL", "sqlite:///no/such.sqlite", "does not exist"),
        ("RETRIEVAL_DATABASE_URL", "sqlite:////", "does not exist"),
        ("RETRIEVAL_DATABASE_SECRET", '{"password": "hunter2"}', "never the secret"),
        ("RETRIEVAL_TOKEN_SECRET", "file://relative.json", "file:///path.json"),
        ("RETRIEVAL_SITES", "/no/such/folder", "<identifier>/config.yaml"),
        ("RETRIEVAL_SITES", "s3://", "s3://bucket/prefix"),
        ("RETRIEVAL_SITES", "s3://bucket/../x y", "s3://bucket/prefix"),
        ("RETRIEVAL_COOL_DOWN_SECONDS", "-1", "from 0 to 300"),
        ("RETRIEVAL_COOL_DOWN_SECONDS", "301", "from 0 to 300"),
        ("RETRIEVAL_CANARIES", "main: Opening hours?", "a JSON list"),
        ("RETRIEVAL_CANARIES", '{"site": "main"}', "a JSON list"),
        ("RETRIEVAL_CANARIES", '[{"site": "main", "question": "Open?"}]', "a JSON list"),
        ("TYPO3_CONTEXT", "Staging", "Production, Development or Testing"),
        ("RETRIEVAL_TYPO3_VERSION", "11", "12, 13 or 14"),
        ("RETRIEVAL_TYPO3_CONTENT_COLUMNS", "0,left", "colPos numbers"),
        ("RETRIEVAL_TYPO3_CONTENT_FIELDS", "a b", "columns of tt_content"),
        ("RETRIEVAL_DEADLINE_SECONDS", "soon", "from 1 to 29"),
        ("RETRIEVAL_DEADLINE_SECONDS", "nan", "from 1 to 29"),
        ("RETRIEVAL_DEADLINE_SECONDS", "0", "from 1 to 29"),
        ("RETRIEVAL_BACKEND_USERS", "ldap", "database or token"),
        ("RETRIEVAL_BACKENDS", "Solr;database", "comma list"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_should_be(
    name: str, value: str, expected: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_environment({**MYSQL, name: value})
    assert name in str(caught.value)
    assert expected in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_folder_without_a_site_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_SITES"):
        Settings.from_environment({"RETRIEVAL_SITES": str(tmp_path)})


def test_a_missing_database_file_is_not_created(tmp_path: Path) -> None:
    missing = tmp_path / "typo3.sqlite"
    with pytest.raises(ConfigurationError, match="Nothing was created"):
        Settings.from_environment({"RETRIEVAL_DATABASE_URL": f"sqlite://{missing}"})
    assert not missing.exists()


@pytest.mark.parametrize("value", ["s3://bucket/a/b", "s3://bucket/a/b/"])
def test_sites_may_lie_on_s3(value: str) -> None:
    read = Settings.from_environment({"RETRIEVAL_SITES": value})
    assert read.sites == S3Url(bucket="bucket", prefix="a/b")


def test_canaries_are_questions_with_their_page() -> None:
    value = '[{"site": "main", "question": "Opening hours?", "page": 12}]'
    read = Settings.from_environment({"RETRIEVAL_CANARIES": value})
    assert read.canaries == (Canary(site="main", question="Opening hours?", page=12),)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://typo3:hunter2@host/name",
        "mysql://typo3:hunter2@host:hunter2/name",
        "mysql://hunter2:hunter2/name",
        "sqlite://typo3:hunter2@host/name",
    ],
)
def test_credentials_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_environment({"RETRIEVAL_DATABASE_URL": url, **MYSQL})
    assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_a_server_needs_credentials() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_SECRET is missing"):
        Settings.from_environment({"RETRIEVAL_DATABASE_URL": "mysql://host/name"})


def test_a_backend_gets_its_own_options_and_no_setting() -> None:
    read = Settings.from_environment(
        {
            "RETRIEVAL_KE_SEARCH_LANGUAGE": "de",
            "RETRIEVAL_DATABASE_PAGES_FIELDS": "title",
            "RETRIEVAL_DATABASE_SECRET": "typo3/database",
            "RETRIEVAL_DATABASE_EMPTY": "",
            "KE_SEARCH_LANGUAGE": "fr",
        }
    )
    assert read.options_of("ke_search") == {"language": "de"}
    assert read.options_of("database") == {"pages_fields": "title"}


def test_a_typing_error_is_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="typo3_retrieval"):
        Settings.from_environment({"RETRIEVAL_SITE": "/sites", "RETRIEVAL_SOLR_TIMEOUT": "2"})
    assert caplog.messages == ["RETRIEVAL_SITE is no setting: did you mean RETRIEVAL_SITES?"]


def test_the_environment_does_not_show_in_a_repr() -> None:
    read = Settings.from_environment({"AWS_SESSION_TOKEN": "hunter2"})
    assert "hunter2" not in repr(read)


@pytest.mark.parametrize("name", KNOWN)
def test_the_documentation_explains_each_setting(name: str) -> None:
    assert f"| `{name}` |" in DOCUMENTATION.read_text()


@pytest.mark.parametrize("name", KNOWN)
def test_the_template_can_set_each_setting(name: str) -> None:
    assert f"{name}: " in TEMPLATE.read_text()


def test_every_constant_of_a_variable_is_known() -> None:
    constants = {
        value
        for value in vars(settings).values()
        if isinstance(value, str) and value.startswith(("RETRIEVAL_", "TYPO3_"))
    }
    assert constants == set(KNOWN)


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.RetrievalError)
    ),
)
def test_the_documentation_explains_each_error(name: str) -> None:
    assert f"`{name}`" in DOCUMENTATION.read_text()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 503, 504])
def test_the_documentation_explains_each_status(status: int) -> None:
    assert f"| {status} |" in DOCUMENTATION.read_text()
