"""url and visible, on the demo site."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest

from tests.unit.cli.running import lines, run
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.system import System

WASTE = "https://www.lindenau.example/citizen-services/waste-collection"
MUELL = "https://www.lindenau.example/de/buergerservice/muellabfuhr"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> System:
    return System(environment=site.create(tmp_path_factory.mktemp("demo")))


@pytest.mark.parametrize(
    ("arguments", "url"),
    [
        (("--page", "3"), WASTE),
        (("--page", "3", "--language", "1"), MUELL),
        (("--page", "3", "--arguments", '{"_language": 1}'), MUELL),
        (("--page", "3", "--site", "lindenau", "--fragment", "c1 ä"), f"{WASTE}#c1%20%C3%A4"),
        (("--page", "3", "--arguments", '{"utm_source": "x"}'), f"{WASTE}?utm_source=x"),
    ],
)
def test_a_page_has_an_address(demo: System, arguments: Sequence[str], url: str) -> None:
    result = run(demo, "url", *arguments)

    assert (result.exit_code, result.stdout) == (0, f"{url}\n")


def test_arguments_get_a_chash(demo: System) -> None:
    result = run(demo, "url", "--page", "3", "--arguments", '{"tx_a": {"b": 1}}')

    assert result.stdout.startswith(f"{WASTE}?tx_a%5Bb%5D=1&cHash=")


def test_how_an_address_came_about_is_explained(demo: System) -> None:
    plain = run(demo, "url", "--page", "3", "--explain")
    hashed = run(demo, "url", "--page", "3", "--arguments", '{"a": 1}', "--explain")

    assert "No enhancer took part" in plain.stdout
    assert "cHash" in " ".join(hashed.stdout.splitlines()[1:])


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("url", "--page", "9999"), 1, "9999"),
        (("url", "--page", "40"), 1, "40"),  # hidden: TYPO3 would name the home page
        (("url",), 2, "--page is missing"),
        (("url", "--page", "3", "--arguments", "{"), 2, "no JSON"),
        (("url", "--page", "3", "--arguments", "5"), 2, "arguments: must be an object"),
        (("visible",), 2, "--page is missing"),
        (("visible", "--page", "three"), 2, "--page"),
    ],
)
def test_what_is_wrong_is_told(
    demo: System, arguments: Sequence[str], status: int, said: str
) -> None:
    result = run(demo, *arguments)

    assert result.exit_code == status
    assert said in result.stderr
    assert result.stdout == ""


def test_a_batch_of_addresses(demo: System) -> None:
    requests: list[Any] = [
        {"page": 3, "site": "lindenau", "arguments": [], "fragment": None},
        {"page": 3, "arguments": {"_language": 1}},
        {"page": 3, "language": 1},
        {"page": 9999},
        {"page": "3"},
        {"page": True},
        {"arguments": {}},
        "nothing",
        {"page": 3, "kind": "page", "url": "what was recorded"},
    ]

    answers = lines(run(demo, "url", "--batch", stdin=requests))

    assert [answer.get("url") for answer in answers] == [
        *(WASTE, MUELL, MUELL),
        *(None, None, None, None, None),
        WASTE,
    ]
    assert [set(answer) for answer in answers[3:8]] == [{"error"}] * 5
    assert answers[4]["error"] == "page: must be a whole number."


@pytest.mark.parametrize(
    ("page", "language", "visible"),
    [
        (3, 0, True),
        (3, 1, True),
        (8, 0, True),
        (8, 1, False),  # strict, and not translated
        (31, 0, False),  # not yet
        (32, 0, False),  # no more
        (40, 0, False),  # hidden
        (40, 1, False),
        (41, 0, False),  # restricted
        (42, 0, False),  # restricted with all below it
        (43, 0, False),
        (44, 0, False),  # a shortcut
        (9999, 0, False),
    ],
)
def test_what_a_visitor_sees(demo: System, page: int, language: int, visible: bool) -> None:
    (answer,) = lines(
        run(demo, "visible", "--page", str(page), "--language", str(language), "--json")
    )

    assert set(answer) == {"visible", "reason", "url"}
    assert answer["visible"] is visible
    assert (answer["url"] is not None) is visible
    assert bool(answer["reason"]) is not visible


def test_a_batch_of_verdicts(demo: System) -> None:
    requests: list[Any] = [{"page": 3, "language": 1}, {"page": 43}, {"page": None}, 5]
    requests.append({"page": 10**30})

    seen, restricted, *wrong = lines(run(demo, "visible", "--batch", stdin=requests))

    assert seen == {"visible": True, "reason": "", "url": MUELL}
    assert restricted["visible"] is False
    assert "42" in restricted["reason"]
    assert wrong == [
        {"error": "page: must be a whole number."},
        {"error": "not a JSON object"},
        {"error": "page: must be at most 4294967295."},
    ]


class Unreachable:
    """Pages whose database does not answer."""

    def verdicts(self, keys: object) -> NoReturn:
        raise BackendUnavailable("no connection")


def test_a_database_that_does_not_answer_is_an_error_of_every_line(demo: System) -> None:
    def build(settings: Settings) -> Services:
        pages = cast(PublicPages, Unreachable())
        return replace(build_services(settings), public_pages=pages)

    system = System(environment=demo.environment, build=build)

    answers = lines(run(system, "visible", "--batch", stdin=[{"page": 3}, {"page": 4}]))

    assert answers == [{"error": "no connection"}] * 2
    assert run(system, "visible", "--page", "3").exit_code == 1


def test_a_verdict_is_explained_for_people(demo: System) -> None:
    result = run(demo, "visible", "--page", "43", "--explain")

    assert result.exit_code == 0
    assert "not visible" in result.stdout
    assert "43 Holiday request < 42 Staff < 1 Lindenau" in result.stdout


@pytest.mark.parametrize("command", ["url", "visible"])
def test_without_a_database_the_variable_is_named(command: str, demo: System) -> None:
    sites = {"RETRIEVAL_SITES": demo.environment["RETRIEVAL_SITES"]}

    result = run(System(environment=sites), command, "--page", "3")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: RETRIEVAL_DATABASE_URL is missing")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RETRIEVAL_SITES", ""),
        ("RETRIEVAL_SITES", "/nowhere"),
        ("RETRIEVAL_DATABASE_URL", "postgres://host/name"),
        ("RETRIEVAL_DATABASE_URL", "sqlite:///nowhere/typo3.sqlite"),
        ("RETRIEVAL_TYPO3_VERSION", "11"),
        ("RETRIEVAL_BACKENDS", "nobody"),
    ],
)
@pytest.mark.parametrize("arguments", [("ask", "waste"), ("ask", "--batch"), ("serve",)])
def test_a_wrong_setting_is_one_line_with_its_name(
    demo: System, arguments: Sequence[str], variable: str, value: str
) -> None:
    # Without a database, which would stay open when something else stops the start.
    settings = {"RETRIEVAL_SITES": demo.environment["RETRIEVAL_SITES"], variable: value}

    result = run(System(environment=settings), *arguments, raw=b'{"question": "waste"}\n')

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert variable in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_database_file_is_not_created(demo: System, tmp_path: Path) -> None:
    path = tmp_path / "typo3.sqlite"
    url = f"sqlite://{path}"

    result = run(
        System(environment={**demo.environment, "RETRIEVAL_DATABASE_URL": url}), "ask", "x"
    )

    assert result.exit_code == 2
    assert not path.exists()
