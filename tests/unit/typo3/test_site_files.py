"""Site configurations in files: YAML as Symfony reads it, imports, and one bad site among good."""

import logging
from pathlib import Path

import pytest

from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.sites import Site, Sites

GOOD = "rootPageId: 1\nbase: https://www.example.org/\n"


def write(folder: Path, **files: str) -> Path:
    """Write ``main__config="…"`` to main/config.yaml."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def read(folder: Path) -> Sites:
    return read_sites(folder, context="Production", environment={"HOST": "www.example.org"})


def only(folder: Path) -> Site:
    (site,) = read(folder)
    return site


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("1", 1),
        ("-1", -1),
        ("0x1A", 26),
        ("01", "01"),
        ("1.5", 1.5),
        ("1:30", "1:30"),
        ("2026-11-30", "2026-11-30"),
        ("'1'", "1"),
        ("'%env(HOST)%'", "www.example.org"),
        ("=", "="),
    ],
)
def test_scalars_are_what_symfony_makes_of_them(tmp_path: Path, yaml: str, value: object) -> None:
    write(tmp_path, main__config=f"{GOOD}value: {yaml}\n")
    assert only(tmp_path).settings["value"] == value
    assert type(only(tmp_path).settings["value"]) is type(value)


def test_the_language_code_no_stays_one(tmp_path: Path) -> None:
    write(
        tmp_path,
        main__config=f"{GOOD}languages:\n  - {{languageId: 0, base: no, locale: no_NO.UTF-8}}\n",
    )
    (language,) = only(tmp_path).languages
    assert (language.code, language.base) == ("no", "https://www.example.org/no/")


def test_merge_keys_work(tmp_path: Path) -> None:
    write(tmp_path, main__config=f"{GOOD}a: &a {{x: 1}}\nb: {{<<: *a, y: 2}}\n")
    assert only(tmp_path).settings["b"] == {"x": 1, "y": 2}


def test_imports_lie_below_the_file_and_later_ones_above_earlier(tmp_path: Path) -> None:
    write(
        tmp_path,
        main__config=GOOD
        + "imports:\n  - {resource: one.yaml}\n  - {resource: ../shared/two.yaml}\na: file\n",
        main__one="a: one\nb: one\nc: one\nlist: [1]\ndeep: {x: 1, y: 1}\n",
        shared__two="b: two\nlist: [2]\ndeep: {y: 2}\nimports: [{resource: three.yaml}]\n",
        shared__three="d: three\n",
    )
    settings = only(tmp_path).settings
    assert [settings[name] for name in "abcd"] == ["file", "two", "one", "three"]
    assert settings["list"] == [1, 2]
    assert settings["deep"] == {"x": 1, "y": 2}
    assert "imports" not in settings


def test_an_import_from_an_extension_is_left_out_with_a_note(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(
        tmp_path,
        main__config=f"{GOOD}imports:\n  - {{resource: 'EXT:news/Configuration/Routes.yaml'}}\n",
    )
    with caplog.at_level(logging.WARNING):
        sites = read(tmp_path)
    assert [site.identifier for site in sites] == ["main"]
    assert sites.notes == ('Site "main": a configuration of an extension was left out.',)
    assert "main/config.yaml: imports[0].resource" in caplog.text


BROKEN = {
    "a loop of imports": (
        {"bad__config": "imports: [{resource: a.yaml}]", "bad__a": "imports: [{resource: a.yaml}]"},
        "bad/a.yaml: imports form a loop: bad/config.yaml -> bad/a.yaml -> bad/a.yaml",
    ),
    "a missing import": (
        {"bad__config": "imports: [{resource: none.yaml}]"},
        'bad/config.yaml: imports[0].resource is "none.yaml": no such file',
    ),
    "an import from above the sites": (
        {"bad__config": "imports: [{resource: ../../../etc/passwd}]"},
        "outside the folder of sites",
    ),
    "an import of nothing": (
        {"bad__config": "imports: [{}]"},
        "bad/config.yaml: imports[0].resource is missing",
    ),
    "imports that are no list": (
        {"bad__config": "imports: a.yaml"},
        "bad/config.yaml: imports must be a list",
    ),
    "no YAML": ({"bad__config": "a: [\n"}, "bad/config.yaml: is not valid YAML: "),
    "a tag": (
        {"bad__config": "a: !!python/object:os.system {}\n"},
        "bad/config.yaml: is not valid YAML: could not determine a constructor",
    ),
    "a key twice": (
        {"bad__config": "base: a\nbase: b\n"},
        "bad/config.yaml: is not valid YAML: duplicate key 'base' (line 2, column 1)",
    ),
    "an empty file": ({"bad__config": ""}, "bad/config.yaml: must hold a mapping"),
    "a placeholder of nothing": (
        {"bad__config": "rootPageId: 2\nbase: '%env(NONE)%'\n"},
        "bad/config.yaml: base has %env(NONE)%",
    ),
    "a root page that another site has": (
        {"bad__config": GOOD, "a__config": GOOD},
        'bad/config.yaml: rootPageId 1 is that of site "a", too',
    ),
}


@pytest.mark.parametrize(("files", "told"), BROKEN.values(), ids=BROKEN)
def test_a_broken_site_leaves_the_others_working(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, files: dict[str, str], told: str
) -> None:
    write(tmp_path, **{"a__config": GOOD, **files})
    with caplog.at_level(logging.WARNING):
        sites = read(tmp_path)
    assert [site.identifier for site in sites] == ["a"]
    assert sites.notes == ('Site "bad" could not be read and was left out.',)
    assert told in caplog.text
    assert str(tmp_path) not in caplog.text


def test_a_missing_folder_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"RETRIEVAL_SITES names .* which is no folder"):
        read(tmp_path / "none")


def test_a_folder_without_a_readable_site_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"RETRIEVAL_SITES .* 0 of"):
        read(tmp_path)
    write(tmp_path, bad__config="")
    with pytest.raises(ConfigurationError, match=r"RETRIEVAL_SITES .* 1 of"):
        read(tmp_path)
