"""The page to try questions in a browser: one self-contained document, no foreign asset."""

import re
import secrets
from collections.abc import Sequence
from html import escape
from importlib import resources

from typo3_retrieval_cli.server.gateway import Response

# A Host header other than these on a loopback port is a foreign site's name that was made to
# point here (DNS rebinding): it must not read a page that may hold a token.
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


class Page:
    """Renders the page.

    Args:
        sites: identifiers to choose from; none leaves only "all sites".
        languages: codes to suggest.
        token: put into the page, for loopback servers only; default: the reader is asked.
    """

    def __init__(
        self, *, sites: Sequence[str] = (), languages: Sequence[str] = (), token: str = ""
    ) -> None:
        files = resources.files(__package__).joinpath("assets")
        self._html = files.joinpath("page.html").read_text(encoding="utf-8")
        self._style = files.joinpath("page.css").read_text(encoding="utf-8")
        self._script = files.joinpath("page.js").read_text(encoding="utf-8")
        self._sites = tuple(sites)
        self._languages = tuple(languages)
        self._token = token

    def response(self) -> Response:
        """The page, with a policy that lets only its own script and style run."""
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "img-src data:; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return Response(
            status=200,
            headers=(
                ("content-type", "text/html; charset=utf-8"),
                ("content-security-policy", policy),
                ("cache-control", "no-store"),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
            ),
            body=self._render(nonce).encode(),
        )

    def _render(self, nonce: str) -> str:
        parts = {
            "nonce": nonce,
            "style": self._style,
            "script": self._script,
            "sites": _options(self._sites),
            "languages": _options(self._languages),
            "token": escape(self._token),
        }
        # In one pass: what is put in is not looked at again.
        return re.sub(r"\{\{ (\w+) \}\}", lambda place: parts[place[1]], self._html)


def _options(values: Sequence[str]) -> str:
    return "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)


def host_of(header: str | None) -> str:
    """The host's name in a Host header, without port and brackets."""
    name = (header or "").strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]
