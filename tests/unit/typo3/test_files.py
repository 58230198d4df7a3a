"""Addresses of files that anybody may load."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.typo3.recorded import FILE, STORAGE, RoutingDatabase
from typo3_retrieval.typo3.database import Value
from typo3_retrieval.typo3.files import PublicFile, public_files, read_flexform

SITE = "https://www.example.org/campaign/"


def flexform(**fields: str) -> str:
    inner = "".join(
        f'<field index="{name}"><value index="vDEF">{text}</value></field>'
        for name, text in fields.items()
    )
    return (
        '<?xml version="1.0" encoding="utf-8" standalone="yes" ?><T3FlexForms><data>'
        f'<sheet index="sDEF"><language index="lDEF">{inner}</language></sheet>'
        "</data></T3FlexForms>"
    )


FILEADMIN = flexform(basePath="fileadmin/", pathType="relative")


def database(*, identifier: str = "/a.pdf", missing: int = 0, **storage: Value) -> RoutingDatabase:
    row = {"uid": 1, "configuration": FILEADMIN, **storage}
    tables = RoutingDatabase().add("sys_file_storage", STORAGE, [row])
    return tables.add("sys_file", FILE, [{"uid": 5, "identifier": identifier, "missing": missing}])


def path(**row: Value) -> str | None:
    found = public_files(database(**row), [5]).get(5)  # type: ignore[arg-type]  # a row's values
    return found.path if found else None


def url(**row: Value) -> str | None:
    found = public_files(database(**row), [5])[5]  # type: ignore[arg-type]  # a row's values
    return found.url(SITE)


def test_each_segment_is_encoded() -> None:
    assert path(identifier="/Ä b/q?x=1+2#3.pdf") == "fileadmin/%C3%84%20b/q%3Fx%3D1%2B2%233.pdf"


@pytest.mark.parametrize(
    "row",
    [
        {"is_public": 0},
        {"is_online": 0},
        {"deleted": 1},
        {"missing": 1},
        {"driver": "AusDriverAmazonS3"},
        {"identifier": ""},
        {"configuration": ""},
        {"configuration": None},
        {"configuration": "<T3FlexForms>"},
        {"configuration": flexform(basePath="/var/www/private/", pathType="absolute")},
        {"configuration": flexform(basePath="../private/", pathType="relative")},
        {"configuration": flexform(basePath="a/../../private/", pathType="relative")},
        {"configuration": flexform(basePath="", pathType="relative")},
    ],
)
def test_what_the_web_server_does_not_serve_has_no_address(row: dict[str, Value]) -> None:
    assert path(**row) is None


@pytest.mark.parametrize(
    ("configuration", "address"),
    [
        (FILEADMIN, "https://www.example.org/fileadmin/a.pdf"),
        (flexform(basePath="./my files/"), "https://www.example.org/my%20files/a.pdf"),
        (flexform(basePath="v1.2"), "https://www.example.org/v1.2/a.pdf"),
        (flexform(baseUri="https://cdn.example.net/x"), "https://cdn.example.net/x/a.pdf"),
        (flexform(baseUri="//cdn.example.net/"), "https://cdn.example.net/a.pdf"),
        (flexform(baseUri="/files/"), "https://www.example.org/files/a.pdf"),
        (flexform(baseUri="cdn.example.net/x"), None),  # TYPO3 prints a path that leads nowhere
    ],
)
def test_an_address_is_absolute_or_none(configuration: str, address: str | None) -> None:
    assert url(configuration=configuration) == address


def test_a_site_without_a_host_gives_no_absolute_address() -> None:
    assert PublicFile(uid=1, path="fileadmin/a.pdf", in_web_root=True).url("/") is None


def test_many_files_cost_one_statement_and_none_costs_none() -> None:
    tables = database()
    public_files(tables, range(1, 50))
    assert len(tables.statements) == 1
    public_files(tables, [0, -1, 2**70])
    assert len(tables.statements) == 1


def test_an_installation_without_files_is_no_error() -> None:
    assert public_files(RoutingDatabase(), [1]) == {}


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]><T3FlexForms/>',
        "<! DOCTYPE x><T3FlexForms/>",
        '<?xml version="1.0"?><!doctype x SYSTEM "file:///etc/passwd"><T3FlexForms/>',
        "x" * 200_000,
    ],
)
def test_declarations_and_giants_are_not_parsed(xml: str) -> None:
    assert read_flexform(xml) == {}


@given(st.text(alphabet="<>/=\"' &;!?abT3FlexForms\0", max_size=60))
def test_no_text_breaks_the_reading(xml: str) -> None:
    assert read_flexform(xml) == {}
