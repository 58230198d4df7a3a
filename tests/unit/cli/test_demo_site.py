"""The demo's content and the rows it becomes."""

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.rows import CHANGED, rows

CONTENT = """
backend_users: [{uid: 10, endtime: 2023-11-14T00:00:00Z}]
pages:
  - uid: 1
    title: Home
    slug: /
    de: {title: Start}
    content:
      - header: Welcome
        fe_group: '1'
        why: a remark
        de: {header: Willkommen}
    pages:
      - {uid: 2, title: First}
      - {uid: 3, title: Second}
"""


def test_content_becomes_rows() -> None:
    stamps = {"crdate": CHANGED, "tstamp": CHANGED}
    home = {
        **stamps,
        "SYS_LASTCHANGED": CHANGED,
        "uid": 1,
        "pid": 0,
        "sorting": 256,
        "title": "Home",
        "slug": "/",
    }
    element = {
        **stamps,
        "uid": 101,
        "pid": 1,
        "sorting": 256,
        "header": "Welcome",
        "fe_group": "1",
    }

    found = list(rows(CONTENT))

    assert found[:5] == [
        ("be_users", {"uid": 10, "endtime": 1699920000}),
        ("pages", home),
        (
            "pages",
            {
                **home,
                "uid": 1001,
                "title": "Start",
                "sys_language_uid": 1,
                "l10n_parent": 1,
                "l10n_source": 1,
            },
        ),
        ("tt_content", element),
        (
            "tt_content",
            {
                **element,
                "uid": 151,
                "header": "Willkommen",
                "sys_language_uid": 1,
                "l18n_parent": 101,
                "l10n_source": 101,
            },
        ),
    ]
    assert [(row["uid"], row["pid"], row["sorting"]) for _, row in found[5:]] == [
        (2, 1, 256),
        (3, 1, 512),
    ]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return site.create(tmp_path / "a folder with blanks & ümlauts")


def test_the_database_holds_the_town(environment: dict[str, str]) -> None:
    path = unquote(urlsplit(environment["RETRIEVAL_DATABASE_URL"]).path)
    with closing(sqlite3.connect(path)) as connection:
        ((pages,),) = connection.execute("SELECT COUNT(*) FROM pages WHERE sys_language_uid = 0")
        ((slugs,),) = connection.execute("SELECT COUNT(DISTINCT slug) FROM pages")
        ((all_pages,),) = connection.execute("SELECT COUNT(*) FROM pages")

    assert pages > 30
    assert slugs == all_pages - 1  # only the home page is / in both languages


@pytest.mark.parametrize("name", ["RETRIEVAL_TOKEN_SECRET", "RETRIEVAL_TYPO3_SECRET"])
def test_secrets_are_their_owners_and_random(
    environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    path = Path(unquote(urlsplit(environment[name]).path))
    other = Path(unquote(urlsplit(site.create(tmp_path / "other")[name]).path))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() != other.read_text()


def test_made_again_it_keeps_its_keys_and_loses_its_changes(tmp_path: Path) -> None:
    environment = site.create(tmp_path)
    keys = json.loads((tmp_path / "token-secret.json").read_text())
    with closing(sqlite3.connect(tmp_path / "typo3.sqlite")) as connection, connection:
        connection.execute("DELETE FROM pages")

    assert site.create(tmp_path) == environment
    with closing(sqlite3.connect(tmp_path / "typo3.sqlite")) as connection:
        ((pages,),) = connection.execute("SELECT COUNT(*) FROM pages")
    assert pages
    assert json.loads((tmp_path / "token-secret.json").read_text()) == keys
