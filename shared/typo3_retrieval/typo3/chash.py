"""cHash: the hash without which TYPO3 answers a page with arguments by 404.

Rules: `CacheHashCalculator` of TYPO3 12.4, 13.4 (md5) and 14 (HMAC-SHA3-256).
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from typo3_retrieval.core.errors import RetrievalError
from typo3_retrieval.typo3.php import Scalar, integer_key, sorted_by_key

# FE/cacheHash/excludedParameters as TYPO3 ships it, and what ke_search adds for its own plugin.
_EXCLUDED = """
    L mtm_campaign mtm_keyword mtm_kwd mtm_source mtm_medium mtm_content mtm_cid mtm_group
    mtm_placement pk_campaign pk_kwd _stg_debug utm_source utm_medium utm_campaign utm_term
    utm_content utm_id utm_source_platform utm_creative_format utm_marketing_tactic gtm_debug
    _ga _gl gad gad_campaignid gad_source gbraid gclid dclid wbraid fbclid msclkid hsa_acc hsa_ad
    hsa_cam hsa_grp hsa_kw hsa_mt hsa_net hsa_src hsa_tgt hsa_ver hsa_ol hsa_la _hsenc _hsmi
    __hssc __hstc __hsfp hsCtaTracking submissionGuid li_fat_id ^tx_kesearch_pi1
"""
DEFAULT_EXCLUDED = tuple(_EXCLUDED.split())
_CORE = frozenset({"id", "type", "no_cache", "cHash", "MP"})
_SINCE_13 = frozenset({"logintype"})
_ADMIN_PANEL = frozenset({"ADMCMD_simUser", "ADMCMD_simTime", "ADMCMD_prev"})
_HMAC_SINCE = 14  # major version
_HMAC_CONTEXT = r"TYPO3\CMS\Frontend\Page\CacheHashCalculator"


class CacheHashError(RetrievalError):
    """TYPO3 would refuse to compute this hash."""

    code = 1467983513  # of TYPO3's exception


class CacheHash:
    """Computes cHashes as one installation does.

    Args:
        encryption_key: ``SYS/encryptionKey``.
        typo3_version: the major version; 14 and later use another algorithm.
        excluded: added to TYPO3's own list of parameters outside the hash: ``^`` prefix,
            ``~`` contained, ``=`` or bare: exactly this name.
    """

    def __init__(
        self, encryption_key: str, *, typo3_version: int = 13, excluded: Iterable[str] = ()
    ) -> None:
        self._key = encryption_key
        self._version = typo3_version
        self._names = set(_CORE | _ADMIN_PANEL)
        if typo3_version >= 13:
            self._names |= _SINCE_13
        self._prefixes: list[str] = []
        self._parts: list[str] = []
        for pattern in (*DEFAULT_EXCLUDED, *excluded):
            self._exclude(pattern)

    def _exclude(self, pattern: str) -> None:
        if pattern.startswith("^"):
            self._prefixes.append(pattern[1:])
        elif pattern.startswith("~"):
            self._parts.append(pattern[1:])
        else:
            self._names.add(pattern.removeprefix("="))

    def of_query(self, query: str) -> str:
        """The hash of a query that names the page as ``id``; empty when it needs none.

        Raises:
            CacheHashError: the query needs a hash, but has no ``id``.
        """
        return self.of_parameters(self.relevant(query))

    def relevant(self, query: str) -> dict[str, Scalar]:
        """The parameters that go into the hash, in its order, the key among them.

        Args:
            query: ``id=22&a%5Bb%5D=c``, with or without a question mark.
        """
        given = _flat(query)
        relevant: dict[str, Scalar] = {
            name: value for name, value in given.items() if not self._is_excluded(name)
        }
        if not relevant:
            return {}
        if given.get("id", "0") in ("", "0"):
            raise CacheHashError("ID parameter needs to be passed for the cHash calculation!")
        relevant["id"] = given["id"]
        relevant["encryptionKey"] = self._key
        return sorted_by_key(relevant)

    def of_parameters(self, parameters: Mapping[str, Scalar]) -> str:
        """The hash of these parameters as they stand, empty for none."""
        if not parameters:
            return ""
        if self._version < _HMAC_SINCE:
            return hashlib.md5(_serialized(parameters), usedforsecurity=False).hexdigest()
        hashed = {name: value for name, value in parameters.items() if name != "encryptionKey"}
        secret = (self._key + _HMAC_CONTEXT).encode()
        return hmac.new(secret, _serialized(hashed), hashlib.sha3_256).hexdigest()

    def _is_excluded(self, name: str) -> bool:
        return (
            name in self._names
            or any(name.startswith(prefix) for prefix in self._prefixes)
            or any(part in name for part in self._parts)
            or re.search(r"TSFE_ADMIN_PANEL\[.*?\]", name) is not None
        )


def _flat(query: str) -> dict[str, str]:
    """Split a query into names as they are written, ``a[b]``, and their values.

    A plus stays a plus, a value ends at its second "=", and of a repeated name the last wins.
    """
    parameters: dict[str, str] = {}
    for part in query.lstrip("?").split("&"):
        if part in ("", "0"):
            continue
        name, _, rest = part.partition("=")
        name = name.strip()
        if name:
            parameters[_decoded(name)] = _decoded(rest.partition("=")[0].strip())
    return parameters


def _decoded(text: str) -> str:
    # Bytes that are no UTF-8 must come out of `_serialized` as they went in.
    return unquote(text, errors="surrogateescape")


def _serialized(parameters: Mapping[str, Scalar]) -> bytes:
    """PHP's ``serialize()`` of a flat array."""
    items = b"".join(_key(name) + _value(value) for name, value in parameters.items())
    return b"a:%d:{%s}" % (len(parameters), items)


def _key(name: str) -> bytes:
    number = integer_key(name)
    return _string(name) if number is None else b"i:%d;" % number


def _value(value: Scalar) -> bytes:
    if value is None:
        return b"N;"
    if isinstance(value, bool):
        return b"b:%d;" % value
    if isinstance(value, int):
        return b"i:%d;" % value
    if isinstance(value, float):
        return f"d:{value!r};".encode()
    return _string(value)


def _string(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return b's:%d:"%s";' % (len(data), data)
