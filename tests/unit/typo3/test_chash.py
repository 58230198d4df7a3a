"""cHash: what goes into it, and what does not."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from typo3_retrieval.typo3.chash import CacheHash, CacheHashError
from typo3_retrieval.typo3.php import Arguments, build_query, parse_query

KEY = "key"
# No digits: PHP's ksort() knows no firm order for 9, 10 and 1e. The router sorts before it.
NAMES = st.text(alphabet="abcÄß_-[].%&= ", min_size=1, max_size=5)
ARGUMENTS = st.recursive(
    st.dictionaries(NAMES, st.text(max_size=5), max_size=4),
    lambda inner: st.dictionaries(NAMES, st.text(max_size=5) | inner, max_size=3),
    max_leaves=10,
)


def relevant(query: str, *excluded: str, version: int = 13) -> list[str]:
    chash = CacheHash(KEY, typo3_version=version, excluded=excluded)
    return [name for name in chash.relevant(query) if name not in ("id", "encryptionKey")]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("id=1&a=1&b=2", ["a", "b"]),
        ("id=1&type=98&no_cache=1&MP=1-2&cHash=x", []),
        ("id=1&utm_source=x&gclid=y&L=1", []),
        ("id=1&tx_kesearch_pi1[sword]=x", []),
        ("id=1&ADMCMD_simTime=1&TSFE_ADMIN_PANEL[x]=1", []),
        ("id=1&a=", ["a"]),
        ("id=1&a%5Bb%5D=c", ["a[b]"]),
        ("?id=1&&0&=x&a", ["a"]),
    ],
)
def test_some_parameters_are_left_out(query: str, names: list[str]) -> None:
    assert relevant(query) == names


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("^tx_", ["b[tx_]", "tx"]),
        ("~tx_", ["tx"]),
        ("=tx", ["b[tx_]", "tx_a", "tx_a[b]"]),
        ("tx_a", ["b[tx_]", "tx", "tx_a[b]"]),
    ],
)
def test_patterns_exclude(pattern: str, left: list[str]) -> None:
    assert relevant("id=1&tx=1&tx_a=1&tx_a[b]=1&b[tx_]=1", pattern) == left


def test_logintype_counts_before_13_only() -> None:
    assert relevant("id=1&logintype=x", version=12) == ["logintype"]
    assert relevant("id=1&logintype=x", version=13) == []


def test_the_page_must_be_known() -> None:
    for query in ("a=1", "id=0&a=1", "id=&a=1"):
        with pytest.raises(CacheHashError):
            CacheHash(KEY).of_query(query)


def test_the_algorithm_changed_with_14() -> None:
    hashes = {v: CacheHash(KEY, typo3_version=v).of_query("id=1&a=1") for v in (12, 13, 14)}
    assert hashes[12] == hashes[13]
    assert [len(hashes[v]) for v in (13, 14)] == [32, 64]


def test_bytes_that_are_no_utf_8_are_hashed_as_they_are() -> None:
    assert len(CacheHash(KEY).of_query("id=1&a=%FF")) == 32


@given(ARGUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_arguments_does_not_matter(
    arguments: Arguments, chance: random.Random
) -> None:
    chash = CacheHash(KEY)
    query = build_query({**arguments, "id": "7"})
    other = build_query({**_shuffled(arguments, chance), "id": "7"})
    assume(len(set(parse_query(query))) == len(arguments) + 1)  # no two names became one
    assert chash.of_query(query) == chash.of_query(other)


def _shuffled(arguments: Arguments, chance: random.Random) -> Arguments:
    items = list(arguments.items())
    chance.shuffle(items)
    return {k: _shuffled(v, chance) if isinstance(v, dict) else v for k, v in items}
