"""Conditions of base variants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.conditions import evaluate_condition

ENVIRONMENT = {"HOST": "www.example.local", "EMPTY": "", "ZERO": "0"}


def holds(condition: str, context: str = "Production/Staging") -> bool:
    return evaluate_condition(condition, context=context, environment=ENVIRONMENT)


@pytest.mark.parametrize(
    "condition",
    [
        'applicationContext == "Production/Staging"',
        "applicationContext == 'Production/Staging'",
        'applicationContext != "Production"',
        'applicationContext matches "#^Production/#"',
        'applicationContext matches "/^production/i"',
        'applicationContext matches "{STAG}i"',
        'applicationContext starts with "Production"',
        'applicationContext ends with "Staging"',
        'applicationContext contains "/"',
        'applicationContext in ["Testing", "Production/Staging"]',
        'applicationContext not in ["Testing"]',
        'not (applicationContext == "Production")',
        '!(applicationContext == "Production")',
        'applicationContext == "Testing" or getenv("HOST") ends with ".local"',
        'applicationContext == "Testing" || getenv("HOST") == "www.example.local"',
        'getenv("HOST") && getenv("HOST") matches "#local$#"',
        'getenv("HOST") and not getenv("MISSING")',
        'getenv("MISSING") == false',
        'getenv("EMPTY") == ""',
        'not getenv("ZERO")',  # PHP: the string "0" is false
        'getenv("ZERO") == 0',
        '"1e1" !== "10"',
        "1 < 2 and 2 >= 2 and 3 > 2 and 1 <= 2",
        '"a" ~ "b" == "ab"',
        'getenv("HOST") ? true : false',
        'getenv("MISSING") ?: "other"',
        "true",
    ],
)
def test_a_condition_holds(condition: str) -> None:
    assert holds(condition)


@pytest.mark.parametrize(
    "condition",
    [
        'applicationContext == "Production"',
        'applicationContext == "production/staging"',
        'applicationContext matches "#^Production$#"',
        'applicationContext === "Production"',
        'not applicationContext == "Production"',  # Symfony reads (not a) == b
        'getenv("MISSING")',
        "null",
        "[]",
        '"a" in []',
    ],
)
def test_a_condition_does_not_hold(condition: str) -> None:
    assert not holds(condition)


def test_and_binds_tighter_than_or() -> None:
    assert holds("true or false and false")
    assert not holds("(true or false) and false")


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ('request.getHost() == "a"', '"request.getHost", which is not known here'),
        ('feature("x")', '"feature", which is not known here'),
        ("typo3.version == 13", '"typo3.version", which is not known here'),
        ('getenv("A", "B")', "getenv() with something else"),
        ('applicationContext == "open', "unexpected"),
        ("applicationContext ==", "unexpected 'end'"),
        ("(true", "expects ')'"),
        ("true true", "expects its end"),
        ("", "unexpected 'end'"),
        ('applicationContext matches "#("', "no closing delimiter"),
        ('applicationContext matches "#(#"', "cannot be run"),
        ('applicationContext matches "Production"', "delimiters"),
        ('applicationContext in "Production"', "cannot be compared"),
        ("(" * 100 + "1" + ")" * 100, "nested too deep"),
    ],
)
def test_what_is_wrong_is_named(condition: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        holds(condition)
    assert told in str(raised.value)


@given(
    st.text(alphabet="ab\"'#()[]=!<>&|,.~-? 0not in matches getenvapplicationContext", max_size=40)
)
def test_no_text_raises_anything_else(condition: str) -> None:
    try:
        holds(condition)
    except ConfigurationError as error:
        assert "condition" in str(error)  # noqa: PT017 - either outcome is right
