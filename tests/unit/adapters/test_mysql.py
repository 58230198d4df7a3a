"""Time limits that a statement carries itself."""

import pytest

from typo3_retrieval.adapters.mysql import _limited

# ruff: noqa: S608  # statements are what is compared here
HINT = "/*+ MAX_EXECUTION_TIME(1500) */"


def test_mariadb_has_a_prefix() -> None:
    limited = _limited("SELECT 1", 1.5, mariadb=True)
    assert limited == "SET STATEMENT max_statement_time=1.500 FOR SELECT 1"


@pytest.mark.parametrize(
    ("statement", "limited"),
    [
        ("SELECT 1", f"SELECT {HINT} 1"),
        ("\n  select uid FROM pages", f"\n  select {HINT} uid FROM pages"),
        (
            "WITH a AS (SELECT 1), b AS (SELECT (2)) SELECT * FROM a, b",
            f"WITH a AS (SELECT 1), b AS (SELECT (2)) SELECT {HINT} * FROM a, b",
        ),
        (
            "WITH a AS (SELECT ')' AS x, \"(\" AS y, `(` FROM t) SELECT 1",
            f"WITH a AS (SELECT ')' AS x, \"(\" AS y, `(` FROM t) SELECT {HINT} 1",
        ),
        (
            "WITH a AS (SELECT 'it''s \\') SELECT') SELECT %(uid)s",
            f"WITH a AS (SELECT 'it''s \\') SELECT') SELECT {HINT} %(uid)s",
        ),
        ("SELECT 1 UNION SELECT 2", f"SELECT {HINT} 1 UNION SELECT 2"),
        ("SHOW TABLES", "SHOW TABLES"),
    ],
)
def test_mysql_has_a_hint_behind_the_statements_own_select(statement: str, limited: str) -> None:
    assert _limited(statement, 1.5, mariadb=False) == limited
