"""Tokens of ES256 and RS256: public keys verify, and never serve as the key of an HMAC."""

import contextlib
import json
import sys
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.unit.edge.fakes import KEYS, NOW, FakeSecrets
from tests.unit.edge.forging import GOOD, encoded, forged
from typo3_retrieval.bootstrap import token_keys
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Algorithm, SecretReference, TokenKeys
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.edge.tokens import InvalidToken, UnknownKey, mint, verify

SETTING = "RETRIEVAL_TOKEN_SECRET"
ASYMMETRIC: tuple[Algorithm, ...] = ("ES256", "RS256")

_PRIVATE: dict[str, Any] = {  # the kinds share no type with what is used here
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "other": ec.generate_private_key(ec.SECP256R1()),
    "P-384": ec.generate_private_key(ec.SECP384R1()),
}


def jwk(algorithm: str, *, private: bool = False, name: str = "", **more: Any) -> dict[str, Any]:
    """A JWK of the key *name*."""
    key = _PRIVATE[name or algorithm]
    kind: Any = RSAAlgorithm if algorithm == "RS256" else ECAlgorithm
    members = kind.to_jwk(key if private else key.public_key(), as_dict=True)
    members.pop("key_ops", None)  # of RSA keys: ours say "use", or nothing
    return {**members, "kid": "a", **more}


def keys(algorithm: Algorithm, *jwks: dict[str, Any], **more: str) -> TokenKeys:
    return TokenKeys.of({"keys": list(jwks), **more}, SETTING, algorithm)


def pem(algorithm: Algorithm) -> str:
    public: bytes = (
        _PRIVATE[algorithm]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return public.decode()


def signed(algorithm: str, name: str = "", **header: Any) -> str:
    """A token signed with one of the private keys."""
    return jwt.encode(
        GOOD, _PRIVATE[name or algorithm], algorithm=algorithm, headers={"kid": "a"} | header
    )


@pytest.mark.parametrize("algorithm", ASYMMETRIC)
def test_what_a_private_key_signed_its_public_key_verifies(algorithm: Algorithm) -> None:
    signing = keys(algorithm, jwk(algorithm, private=True), active="a")
    token = mint(10, signing, now=NOW, ttl=60)
    assert verify(token, keys(algorithm, jwk(algorithm)), now=NOW).subject == "10"
    assert verify(token, signing, now=NOW).key_id == "a"


@pytest.mark.parametrize("algorithm", ASYMMETRIC)
def test_a_public_key_signs_nothing(algorithm: Algorithm) -> None:
    with pytest.raises(ConfigurationError, match="only verify"):
        mint(10, keys(algorithm, jwk(algorithm)), now=NOW, ttl=60)
    with pytest.raises(ConfigurationError, match="is public"):
        mint(10, keys(algorithm, jwk(algorithm), active="a"), now=NOW, ttl=60)


@pytest.mark.parametrize("algorithm", ASYMMETRIC)
def test_the_public_key_is_no_key_of_an_hmac(algorithm: Algorithm) -> None:
    public = keys(algorithm, jwk(algorithm))
    for text in (pem(algorithm), public.keys["a"], json.dumps(jwk(algorithm))):
        for claimed in ("HS256", algorithm):
            with pytest.raises(InvalidToken):
                verify(forged(header={"kid": "a", "alg": claimed}, key=text), public, now=NOW)


@pytest.mark.parametrize("algorithm", ASYMMETRIC)
@pytest.mark.parametrize(
    "token",
    [
        pytest.param(signed("ES256", "other"), id="other key"),
        pytest.param(signed("ES384", "P-384"), id="other curve"),
        pytest.param(signed("PS256", "RS256"), id="other padding"),
        pytest.param(signed("ES256", kid="b"), id="unknown key id"),
        pytest.param(forged(header={"kid": "a", "alg": "none"}), id="alg none"),
        pytest.param(forged(header={"kid": "a"}), id="HS256 with a key of ours"),
        pytest.param(
            forged(header={"kid": "a", "alg": "ES256"}, sign=lambda _: bytes(64)),
            id="a signature of zeros",  # CVE-2022-21449
        ),
        pytest.param(
            forged(header={"kid": "a", "alg": "RS256"}, sign=lambda _: bytes(256)),
            id="a signature of zeros for RSA",
        ),
        pytest.param(
            forged(header={"kid": "a", "alg": "ES256", "jwk": jwk("ES256", name="other")}),
            id="brings its own key",
        ),
    ],
)
def test_a_forged_token_is_refused(algorithm: Algorithm, token: str) -> None:
    with pytest.raises(InvalidToken):
        verify(token, keys(algorithm, jwk(algorithm)), now=NOW)


def test_the_algorithm_is_the_settings() -> None:
    es256, rs256 = signed("ES256"), signed("RS256")
    both = (jwk("ES256"), jwk("RS256"))
    assert verify(es256, keys("ES256", *both), now=NOW).subject == "10"
    assert verify(rs256, keys("RS256", *both), now=NOW).subject == "10"
    for token, public in ((es256, keys("RS256", *both)), (rs256, keys("ES256", *both))):
        with pytest.raises(InvalidToken):
            verify(token, public, now=NOW)


def test_a_token_with_any_byte_changed_is_refused() -> None:
    token, public = signed("ES256"), keys("ES256", jwk("ES256"))
    accepted = []
    for position, character in enumerate(token):
        for other in "Ab0_-":
            if other != character:
                with contextlib.suppress(InvalidToken):
                    accepted.append(
                        verify(token[:position] + other + token[position + 1 :], public, now=NOW)
                    )
    assert accepted == []


def test_two_keys_verify_during_a_rotation() -> None:
    newer = jwk("ES256", name="other", kid="b")
    public = keys("ES256", jwk("ES256"), newer)
    assert verify(signed("ES256"), public, now=NOW).key_id == "a"
    assert verify(signed("ES256", "other", kid="b"), public, now=NOW).key_id == "b"
    with pytest.raises(UnknownKey):
        verify(signed("ES256"), keys("ES256", newer), now=NOW)


@pytest.mark.parametrize(
    "unfit",
    [
        {},
        "text",
        jwk("ES256", kid=""),
        jwk("ES256", kid=7),
        jwk("ES256", use="enc"),
        jwk("ES256", alg="ES384"),
        jwk("ES256", name="P-384"),
        jwk("RS256"),
        {"kty": "oct", "k": encoded(b"k" * 32), "kid": "a"},
    ],
)
def test_a_key_that_does_not_fit_is_none(unfit: dict[str, Any]) -> None:
    assert keys("ES256", unfit, jwk("ES256", kid="good")).keys.keys() == {"good"}
    with pytest.raises(ConfigurationError, match=f"{SETTING}.*JWKS with keys for ES256"):
        keys("ES256", unfit)


def test_a_short_rsa_key_is_none() -> None:
    with pytest.raises(ConfigurationError, match="JWKS"):
        keys("RS256", jwk("RS256") | {"n": encoded(b"\xff" * 128)})


def test_two_keys_of_one_id_are_none() -> None:
    with pytest.raises(ConfigurationError, match="JWKS"):
        keys("ES256", jwk("ES256"), jwk("ES256", name="other"))


def reading(document: dict[str, Any], algorithm: Algorithm) -> TokenKeys:
    """The keys as the authorizer reads them."""
    reference = SecretReference(setting=SETTING, reference="tokens")
    settings = Settings(token_secret=reference, token_algorithm=algorithm)
    return token_keys(settings, FakeSecrets({"tokens": document}))


def test_shared_keys_are_no_jwks_and_the_other_way_round() -> None:
    with pytest.raises(ConfigurationError, match="JWKS"):
        reading({"keys": dict(KEYS.keys), "active": KEYS.active}, "ES256")
    with pytest.raises(ConfigurationError, match="object of key ids"):
        reading({"keys": [jwk("ES256")]}, "HS256")


@pytest.mark.parametrize("broken", [{"x": "AA"}, {"x": None}, {"y": "!"}, {"x": jwk("ES256")["y"]}])
def test_a_broken_key_stops_the_start_and_is_not_repeated(broken: dict[str, Any]) -> None:
    key = jwk("ES256", private=True) | broken
    with pytest.raises(ConfigurationError, match="no JWK for ES256") as caught:
        reading({"keys": [key]}, "ES256")
    assert key["d"] not in repr(caught.value)
    assert caught.value.__suppress_context__


def test_without_cryptography_the_start_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jwt.api_jwk.has_crypto", False)
    monkeypatch.delitem(sys.modules, "typo3_retrieval.edge.jwks", raising=False)
    with pytest.raises(ConfigurationError, match="ES256 needs the package cryptography"):
        reading({"keys": [jwk("ES256")]}, "ES256")


def test_no_private_part_is_kept_where_keys_verify() -> None:
    from typo3_retrieval.edge.jwks import public_part

    private = jwk("RS256", private=True)
    assert {"d", "p", "q"} <= private.keys()
    assert public_part(json.dumps(private)).keys() == {"kty", "n", "e"}
    assert private["d"] not in repr(keys("RS256", private))
