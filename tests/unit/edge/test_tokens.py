"""Tokens: what is minted is verified, and nothing else is."""

import base64
import contextlib
import hmac
import json
from typing import Any

import pytest

from tests.unit.edge.fakes import KEYS, NOW
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.secrets import TokenKeys
from typo3_retrieval.edge.tokens import MAX_BYTES, InvalidToken, UnknownKey, mint, verify

GOOD = {
    "iss": "typo3",
    "aud": "typo3-retrieval",
    "sub": "10",
    "iat": NOW,
    "nbf": NOW,
    "exp": NOW + 3600,
}


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def forged(
    claims: dict[str, Any] | bytes = GOOD,
    *,
    header: dict[str, Any] | None = None,
    key: str = KEYS.keys["2026-11"],
    digest: str = "sha256",
) -> str:
    """A token made by hand: what PyJWT would refuse to sign can be written too."""
    wanted = {"alg": "HS256", "typ": "JWT", "kid": "2026-11"} | (header or {})
    kept = {name: value for name, value in wanted.items() if value is not None}
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    signed = f"{encoded(json.dumps(kept).encode())}.{encoded(payload)}"
    signature = hmac.new(key.encode(), signed.encode(), digest).digest()
    return f"{signed}.{encoded(signature)}"


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key != name}


def test_what_is_minted_is_verified() -> None:
    claims = verify(mint(10, KEYS, now=NOW, ttl=3600), KEYS, now=NOW + 60)
    assert (claims.subject, claims.issued_at, claims.expires_at) == ("10", NOW, NOW + 3600)
    assert claims.key_id == "2026-11"


def test_a_token_made_by_hand_is_verified() -> None:
    assert verify(forged(), KEYS, now=NOW).subject == "10"


def test_an_old_key_verifies_until_it_is_removed() -> None:
    old = TokenKeys(keys={"2026-10": "o" * 32}, active="2026-10")
    token = mint(10, old, now=NOW, ttl=3600)
    assert verify(token, KEYS, now=NOW).key_id == "2026-10"
    with pytest.raises(UnknownKey):
        verify(token, TokenKeys(keys={"2026-11": "n" * 32}, active="2026-11"), now=NOW)


@pytest.mark.parametrize(
    "token",
    [
        pytest.param("", id="empty"),
        pytest.param("a.b", id="two parts"),
        pytest.param(forged() + ".x", id="four parts"),
        pytest.param(forged().rpartition(".")[0] + ".", id="no signature"),
        pytest.param(forged(header={"alg": "none"}), id="alg none, signed"),
        pytest.param(forged(header={"alg": "None"}), id="alg None"),
        pytest.param(forged(header={"alg": None}), id="no alg"),
        pytest.param(forged(header={"alg": "HS512"}, digest="sha512"), id="other algorithm"),
        pytest.param(forged(header={"alg": "RS256"}), id="asymmetric algorithm"),
        pytest.param(forged(key="x" * 32), id="other key"),
        pytest.param(forged(key=KEYS.keys["2026-10"]), id="key of another id"),
        pytest.param(forged(header={"kid": None}), id="no key id"),
        pytest.param(forged(header={"kid": "2026-12"}), id="unknown key id"),
        pytest.param(forged(header={"kid": "../../etc/passwd"}), id="key id is a path"),
        pytest.param(forged(header={"kid": "' OR 1=1 --"}), id="key id is SQL"),
        pytest.param(forged(header={"kid": 7}), id="key id is a number"),
        pytest.param(forged(header={"kid": ["2026-11"]}), id="key id is a list"),
        pytest.param(forged(header={"crit": ["exp"]}), id="critical extension"),
        pytest.param(forged(header={"b64": False, "crit": ["b64"]}), id="detached payload"),
        pytest.param(forged(GOOD | {"exp": NOW - 31}), id="expired"),
        pytest.param(forged(GOOD | {"nbf": NOW + 31}), id="not yet valid"),
        pytest.param(forged(GOOD | {"iat": NOW + 31, "nbf": NOW}), id="issued in the future"),
        pytest.param(forged(GOOD | {"exp": NOW + 12 * 3600 + 1}), id="lives too long"),
        pytest.param(forged(GOOD | {"exp": NOW}), id="lives not at all"),
        *(pytest.param(forged(without(name)), id=f"no {name}") for name in GOOD),
        pytest.param(forged(GOOD | {"aud": "other"}), id="other audience"),
        pytest.param(forged(GOOD | {"aud": ["typo3-retrieval"]}), id="list of audiences"),
        pytest.param(forged(GOOD | {"iss": "other"}), id="other issuer"),
        pytest.param(forged(GOOD | {"iss": ["typo3"]}), id="list of issuers"),
        pytest.param(forged(GOOD | {"sub": 10}), id="sub is a number"),
        pytest.param(forged(GOOD | {"sub": "0"}), id="sub is 0"),
        pytest.param(forged(GOOD | {"sub": "10 OR 1=1"}), id="sub is SQL"),
        pytest.param(forged(GOOD | {"sub": "10\n"}), id="sub ends a line"),
        pytest.param(forged(GOOD | {"sub": "\u0661\u0660"}), id="sub in other digits"),
        pytest.param(forged(GOOD | {"exp": str(NOW + 60)}), id="exp is text"),
        pytest.param(forged(GOOD | {"exp": True}), id="exp is true"),
        pytest.param(forged(GOOD | {"exp": 1e400}), id="exp is infinite"),
        pytest.param(forged(GOOD | {"nbf": None}), id="nbf is null"),
        pytest.param(forged(b"[]"), id="payload is a list"),
        pytest.param(forged(b"\xff"), id="payload is no text"),
        pytest.param(forged(b"[" * 5000), id="payload is deep"),
        pytest.param(forged(b'{"exp":' + b"9" * 5000 + b"}"), id="payload has a huge number"),
        pytest.param(forged(GOOD | {"pad": "x" * MAX_BYTES}), id="larger than 8 kB"),
    ],
)
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidToken):
        verify(token, KEYS, now=NOW)


def test_a_token_with_any_byte_changed_is_refused() -> None:
    token = mint(10, KEYS, now=NOW, ttl=3600)
    accepted = []
    for position, character in enumerate(token):
        for other in "ABZaz09-_.=":
            changed = token[:position] + other + token[position + 1 :]
            if other == character:
                continue
            with contextlib.suppress(InvalidToken):
                accepted.append(verify(changed, KEYS, now=NOW))
    assert accepted == []


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
