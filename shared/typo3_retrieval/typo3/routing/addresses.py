"""Paths and fragments, percent-encoded as TYPO3 writes them, and joined with a language's base."""

import re
from urllib.parse import urlsplit

from typo3_retrieval.typo3.php import raw_url_encode

# What Symfony's UrlGenerator leaves readable in a path, and TYPO3's Uri does not encode again.
_READABLE = {"%2F": "/", "%252F": "%2F", "%40": "@", "%3A": ":", "%3B": ";", "%2C": ","}
_READABLE |= {"%3D": "=", "%2B": "+"}
_ENCODED = re.compile("|".join(sorted(_READABLE, key=len, reverse=True)))
_NOT_IN_PATH = re.compile(r"[^a-zA-Z0-9_.~:@&=+$,/;%-]+|%(?![A-Fa-f0-9]{2})")
_NOT_IN_FRAGMENT = re.compile(r"[^a-zA-Z0-9_.~!$&'()*+,;=%:@/?-]+|%(?![A-Fa-f0-9]{2})")
_STANDARD_PORTS = {"http": 80, "https": 443}


def encoded_path(path: str) -> str:
    """Percent-encode a path; dot segments, too, which a browser would resolve away."""
    encoded = _ENCODED.sub(lambda match: _READABLE[match[0]], raw_url_encode(path))
    encoded = encoded.replace("/../", "/%2E%2E/").replace("/./", "/%2E/")
    if encoded.endswith("/.."):
        return encoded[:-2] + "%2E%2E"
    return encoded[:-1] + "%2E" if encoded.endswith("/.") else encoded


def encoded_fragment(fragment: str) -> str:
    """Percent-encode what no fragment may hold; what is encoded already stays."""
    return _NOT_IN_FRAGMENT.sub(lambda match: raw_url_encode(match[0]), fragment.removeprefix("#"))


def address(base: str, path: str, *, typo3_version: int = 13) -> str:
    """Join a language's base with a path below it.

    Args:
        base: of a language, ends with a slash.
        path: begins with a slash, percent-encoded.
        typo3_version: a base without a scheme means https since 13, http before.

    Returns:
        An absolute URL, or a path when the base names no host.
    """
    parts = urlsplit(base)
    whole = parts.path.rstrip("/") + path
    whole = "/" + _NOT_IN_PATH.sub(lambda match: raw_url_encode(match[0]), whole).lstrip("/")
    host = re.sub(r":[0-9]*$", "", parts.netloc.rpartition("@")[2])
    if not host:
        return whole
    scheme = parts.scheme or ("https" if typo3_version >= 13 else "http")
    # TYPO3 forgets the port of a base without a scheme.
    port = parts.port if parts.scheme else None
    shown = f":{port}" if port and port != _STANDARD_PORTS[scheme] else ""
    return f"{scheme}://{host}{shown}{whole}"
