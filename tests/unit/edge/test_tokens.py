"""Tokens: what is minted is verified, and nothing else is."""

import contextlib
import json
from typing import Any

import pytest

from tests.unit.edge.fakes import KEYS, NOW
from tests.unit.edge.forging import GOOD, encoded, forged, without
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.secrets import TokenKeys
from typo3_retrieval.edge.tokens import MAX_BYTES, InvalidToken, UnknownKey, mint, verify


def test_what_is_minted_is_verified() -> None:
    claims = verify(mint(10, KEYS, now=NOW, ttl=3600), KEYS, now=NOW + 60)
    assert (claims.subject, claims.issued_at, claims.expires_at) == ("10", NOW, NOW + 3600)
    assert claims.key_id == "2026-11"


def test_no_two_tokens_have_the_same_id() -> None:
    ids = {verify(mint(10, KEYS, now=NOW, ttl=60), KEYS, now=NOW).token_id for _again in range(100)}
    assert len(ids) == 100


def test_a_token_made_by_hand_is_verified() -> None:
    assert verify(forged(), KEYS, now=NOW).subject == "10"


def test_an_old_key_verifies_until_it_is_removed() -> None:
    old = TokenKeys(keys={"2026-10": "o" * 32}, active="2026-10")
    token = mint(10, old, now=NOW, ttl=3600)
    assert verify(token, KEYS, now=NOW).key_id == "2026-10"
    with pytest.raises(UnknownKey):
        verify(token, TokenKeys(keys={"2026-11": "n" * 32}, active="2026-11"), now=NOW)


def swapped(**changes: Any) -> str:
    """A valid token whose header or payload was replaced after it was signed."""
    header, payload, signature = forged().split(".")
    if "header" in changes:
        header = encoded(json.dumps(changes["header"]).encode())
    if "payload" in changes:
        payload = encoded(json.dumps(changes["payload"]).encode())
    return f"{header}.{payload}.{signature}"


@pytest.mark.parametrize(
    "token",
    [
        pytest.param("", id="empty"),
        pytest.param("a.b", id="two parts"),
        pytest.param(forged() + ".x", id="four parts"),
        pytest.param(forged().rpartition(".")[0] + ".", id="no signature"),
        pytest.param(forged().rpartition(".")[0], id="signature left out"),
        pytest.param(forged(header={"alg": "none"}), id="alg none, signed"),
        pytest.param(
            forged(header={"alg": "none"}).rpartition(".")[0] + ".", id="alg none, not signed"
        ),
        pytest.param(
            swapped(header={"alg": "none", "kid": "2026-11"}), id="alg none, signature of another"
        ),
        pytest.param(forged(header={"alg": "None"}), id="alg None"),
        pytest.param(forged(header={"alg": "nOnE"}), id="alg nOnE"),
        pytest.param(forged(header={"alg": "hs256"}), id="alg in lower case"),
        pytest.param(forged(header={"alg": ""}), id="alg is empty"),
        pytest.param(forged(header={"alg": None}), id="no alg"),
        pytest.param(forged(header={"alg": ["HS256"]}), id="alg is a list"),
        pytest.param(forged(header={"alg": "HS512"}, digest="sha512"), id="other algorithm"),
        pytest.param(forged(header={"alg": "RS256"}), id="asymmetric algorithm"),
        pytest.param(forged(key="x" * 32), id="other key"),
        pytest.param(forged(key=""), id="empty key"),
        pytest.param(forged(key=KEYS.keys["2026-10"]), id="key of another id"),
        pytest.param(forged(header={"kid": None}), id="no key id"),
        pytest.param(forged(header={"kid": ""}), id="key id is empty"),
        pytest.param(forged(header={"kid": "2026-12"}), id="unknown key id"),
        pytest.param(forged(header={"kid": "../../etc/passwd"}), id="key id is a path"),
        pytest.param(forged(header={"kid": "/dev/null"}, key=""), id="key id is an empty file"),
        pytest.param(forged(header={"kid": "' OR 1=1 --"}), id="key id is SQL"),
        pytest.param(forged(header={"kid": "2026-11\x00"}), id="key id with NUL"),
        pytest.param(forged(header={"kid": 7}), id="key id is a number"),
        pytest.param(forged(header={"kid": ["2026-11"]}), id="key id is a list"),
        pytest.param(
            forged(
                header={"kid": "mine", "jwk": {"kty": "oct", "k": encoded(b"m" * 32)}},
                key="m" * 32,
            ),
            id="brings its own key",
        ),
        pytest.param(
            forged(header={"kid": "x", "jku": "http://127.0.0.1/keys"}), id="key at an address"
        ),
        pytest.param(forged(header={"crit": ["exp"]}), id="critical extension"),
        pytest.param(forged(header={"b64": False, "crit": ["b64"]}), id="detached payload"),
        pytest.param(swapped(payload=GOOD | {"sub": "1"}), id="another user's payload"),
        pytest.param(forged(GOOD | {"exp": NOW - 31}), id="expired"),
        pytest.param(forged(GOOD | {"nbf": NOW + 31}), id="not yet valid"),
        pytest.param(forged(GOOD | {"iat": NOW + 31, "nbf": NOW}), id="issued in the future"),
        pytest.param(forged(GOOD | {"exp": NOW + 12 * 3600 + 1}), id="lives too long"),
        pytest.param(
            forged(GOOD | {"iat": NOW - 13 * 3600, "exp": NOW + 60}), id="was meant to live long"
        ),
        pytest.param(forged(GOOD | {"exp": NOW}), id="lives not at all"),
        *(pytest.param(forged(without(name)), id=f"no {name}") for name in GOOD),
        pytest.param(forged(GOOD | {"aud": "other"}), id="other audience"),
        pytest.param(forged(GOOD | {"aud": ["typo3-retrieval"]}), id="list of audiences"),
        pytest.param(forged(GOOD | {"aud": "typo3-retrieval-2"}), id="longer audience"),
        pytest.param(forged(GOOD | {"iss": "other"}), id="other issuer"),
        pytest.param(forged(GOOD | {"iss": ["typo3"]}), id="list of issuers"),
        pytest.param(forged(GOOD | {"sub": 10}), id="sub is a number"),
        pytest.param(forged(GOOD | {"sub": "0"}), id="sub is 0"),
        pytest.param(forged(GOOD | {"sub": "-1"}), id="sub is negative"),
        pytest.param(forged(GOOD | {"sub": "010"}), id="sub begins with 0"),
        pytest.param(forged(GOOD | {"sub": "_cli_"}), id="sub is the command line"),
        pytest.param(forged(GOOD | {"sub": "10 OR 1=1"}), id="sub is SQL"),
        pytest.param(forged(GOOD | {"sub": "10\n"}), id="sub ends a line"),
        pytest.param(forged(GOOD | {"sub": "\u0661\u0660"}), id="sub in other digits"),
        pytest.param(forged(GOOD | {"jti": ""}), id="jti is empty"),
        pytest.param(forged(GOOD | {"jti": 7}), id="jti is a number"),
        pytest.param(forged(GOOD | {"jti": "a\nb"}), id="jti writes a line of the log"),
        pytest.param(forged(GOOD | {"jti": "j" * 65}), id="jti is long"),
        pytest.param(forged(GOOD | {"exp": str(NOW + 60)}), id="exp is text"),
        pytest.param(forged(GOOD | {"exp": NOW + 60.5}), id="exp is a fraction"),
        pytest.param(forged(GOOD | {"exp": True}), id="exp is true"),
        pytest.param(forged(GOOD | {"exp": 1e400}), id="exp is infinite"),
        pytest.param(forged(GOOD | {"nbf": None}), id="nbf is null"),
        pytest.param(forged(b"[]"), id="payload is a list"),
        pytest.param(forged(b"\xff"), id="payload is no text"),
        pytest.param(forged(b"[" * 5000), id="payload is deep"),
        pytest.param(forged(b'{"exp":' + b"9" * 5000 + b"}"), id="payload has a huge number"),
        pytest.param(forged(GOOD | {"pad": "x" * MAX_BYTES}), id="larger than 8 kB"),
        pytest.param(f"{forged()}=", id="padded"),
        pytest.param(f" {forged()}", id="leading blank"),
        pytest.param(f"{forged()}\n", id="ends a line"),
        pytest.param(forged().replace(".", "\u2024"), id="other dots"),
    ],
)
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidToken):
        verify(token, KEYS, now=NOW)


def test_a_token_with_any_byte_changed_is_refused() -> None:
    token = mint(10, KEYS, now=NOW, ttl=3600)
    accepted = []
    tried = 0
    for position, character in enumerate(token):
        for other in map(chr, range(256)):
            if other == character:
                continue
            tried += 1
            with contextlib.suppress(InvalidToken):
                verify(token[:position] + other + token[position + 1 :], KEYS, now=NOW)
                accepted.append((position, other))
    assert accepted == []
    assert tried == 255 * len(token)


def test_a_token_that_lacks_a_byte_or_has_one_twice_is_refused() -> None:
    token = mint(10, KEYS, now=NOW, ttl=3600)
    for position in range(len(token)):
        for changed in (
            token[:position] + token[position + 1 :],
            token[:position] + token[position] + token[position:],
        ):
            with pytest.raises(InvalidToken):
                verify(changed, KEYS, now=NOW)


@pytest.mark.parametrize("now", [NOW - 30, NOW + 3600 + 29])
def test_clocks_may_differ_a_little(now: int) -> None:
    assert verify(forged(), KEYS, now=now).subject == "10"


@pytest.mark.parametrize("now", [NOW - 31, NOW + 3600 + 30])
def test_clocks_may_not_differ_more(now: int) -> None:
    with pytest.raises(InvalidToken):
        verify(forged(), KEYS, now=now)


@pytest.mark.parametrize(
    ("user", "ttl"), [(0, 60), (-1, 60), (10**10, 60), (10, 0), (10, -1), (10, 12 * 3600 + 1)]
)
def test_only_tokens_that_would_be_accepted_are_minted(user: int, ttl: int) -> None:
    with pytest.raises(InvalidInput):
        mint(user, KEYS, now=NOW, ttl=ttl)


def test_the_keys_do_not_show_in_a_repr() -> None:
    assert "nnnn" not in repr(KEYS)
