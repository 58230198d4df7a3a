"""The wire to Solr: one kept connection pool, one deadline for all, and every failure named."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typo3_retrieval.backends.solr.answer import SolrAnswer, parse_answer
from typo3_retrieval.backends.solr.endpoints import Endpoint
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.backends.solr.request import SolrRequest
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.plugin import BackendProtocolError, BackendUnavailable

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

SECRET = "RETRIEVAL_SOLR_SECRET"  # noqa: S105  # the variable's name
MAX_IDLE = 60  # seconds; a frozen execution environment wakes with connections that are gone
MAX_ANSWER = 30_000_000  # bytes
THREADS = 8  # cores that are asked at once
_OK = 200
_REFUSED = (401, 403)

Question = tuple[Endpoint, SolrRequest]


class SolrClient:
    """Asks cores, several at once.

    Args:
        options: time limits and the cool-down.
        now: UNIX epoch, seconds. Not a monotonic clock: that one may stand still while an
            execution environment is frozen.
        secret: reads RETRIEVAL_SOLR_SECRET, anew when the argument is True; None: not set, then
            an endpoint's own credentials hold.
        http: makes the client; None: our own.
    """

    def __init__(
        self,
        *,
        options: SolrOptions,
        now: Callable[[], int],
        secret: Callable[[bool], Mapping[str, object]] | None = None,
        http: "Callable[[], httpx.Client] | None" = None,
    ) -> None:
        self._options = options
        self._now = now
        self._secret = secret
        self._http = http
        self._pool: _Pool | None = None
        self._not_before: dict[Endpoint, int] = {}  # cool-down: when a core is asked again

    def ask(self, questions: Sequence[Question], *, deadline: float) -> list[SolrAnswer]:
        """Ask all *questions* at once; the answers come in their order.

        Args:
            questions: one for each core.
            deadline: of `time.monotonic`, for all of them together.

        Raises:
            BackendError: one core did not answer. The others' answers are dropped: a later
                backend can answer for all sites, and these would look like all there is.
        """
        for endpoint, _ in questions:
            if self._now() < self._not_before.get(endpoint, 0):
                raise BackendUnavailable(
                    "a core failed a moment ago and is not asked yet",
                    reason="cooling down",
                    cools_down=False,
                )
        pool = self._pool_for_now()
        # Threads, even for one question: httpx limits the time between two bytes, not the
        # whole, and a slow drip would hold this thread for ever.
        futures = [
            pool.threads.submit(self._answered, pool.http, endpoint, request, deadline)
            for endpoint, request in questions
        ]
        _, late = wait(futures, timeout=max(0.0, deadline - time.monotonic()))
        if late:
            self._discard(pool)
        return [
            self._result(endpoint, future, late)
            for (endpoint, _), future in zip(questions, futures, strict=True)
        ]

    def close(self) -> None:
        """Close all connections; the next question opens new ones."""
        if self._pool is not None:
            self._discard(self._pool)

    def _result(
        self, endpoint: Endpoint, future: "Future[SolrAnswer]", late: set["Future[SolrAnswer]"]
    ) -> SolrAnswer:
        if future in late:
            self._cool_down(endpoint)
            raise BackendUnavailable(
                "Solr did not answer in time", reason="timeout", cools_down=False
            )
        try:
            return future.result()
        except _ServerDown as error:
            self._cool_down(endpoint)
            # This core pauses; others may answer.
            raise BackendUnavailable(str(error), reason=error.reason, cools_down=False) from error

    def _cool_down(self, endpoint: Endpoint) -> None:
        self._not_before[endpoint] = self._now() + self._options.cool_down

    # --- in a thread of the pool ---------------------------------------------------------------

    def _answered(
        self,
        http: "Callable[[Endpoint], httpx.Client]",
        endpoint: Endpoint,
        request: SolrRequest,
        deadline: float,
    ) -> SolrAnswer:
        status, body = self._posted(
            http(endpoint), endpoint, request, self._credentials(endpoint), deadline
        )
        if status in _REFUSED and self._secret is not None:
            # The secret may have been rotated since it was read.
            fresh = self._credentials(endpoint, refresh=True)
            status, body = self._posted(http(endpoint), endpoint, request, fresh, deadline)
        if status != _OK:
            raise _failure(status)
        return parse_answer(body)

    def _credentials(self, endpoint: Endpoint, *, refresh: bool = False) -> Credentials | None:
        if self._secret is None:
            return endpoint.credentials
        try:
            return Credentials.of(self._secret(refresh), SECRET)
        except ConfigurationError as error:
            raise BackendUnavailable(str(error), reason="no credentials") from error

    def _posted(
        self,
        http: "httpx.Client",
        endpoint: Endpoint,
        request: SolrRequest,
        credentials: Credentials | None,
        deadline: float,
    ) -> tuple[int, bytes]:
        """Post the form, read the answer; its body only where it will be parsed."""
        import httpx

        left = deadline - time.monotonic()
        if left <= 0:
            raise _ServerDown("no time was left for Solr", reason="timeout")
        auth = None if credentials is None else (credentials.username, credentials.password)
        try:
            with http.stream(
                "POST",
                endpoint.select_url,
                data=request.form(),
                auth=auth,
                timeout=httpx.Timeout(left, connect=min(left, self._options.connect_timeout)),
                follow_redirects=False,
            ) as response:
                body = _body(response, deadline) if response.status_code == _OK else b""
                return response.status_code, body
        except httpx.TimeoutException as error:
            raise _ServerDown("Solr did not answer in time", reason="timeout") from error
        except httpx.ConnectError as error:
            raise _ServerDown("Solr cannot be reached", reason="unreachable") from error
        except httpx.DecodingError as error:
            raise BackendProtocolError("Solr's answer cannot be decoded") from error
        except httpx.TransportError as error:
            raise _ServerDown("the connection to Solr broke", reason="connection broken") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise BackendProtocolError("the request to Solr failed") from error
        except RuntimeError as error:  # another thread closed the pool after its deadline
            raise _ServerDown("the connection to Solr broke", reason="connection broken") from error

    # --- the pool ------------------------------------------------------------------------------

    def _pool_for_now(self) -> "_Pool":
        now = self._now()
        if self._pool is not None and now - self._pool.used > MAX_IDLE:
            self._discard(self._pool)
        if self._pool is None:
            self._pool = _Pool(self._http, used=now)
        self._pool.used = now
        return self._pool

    def _discard(self, pool: "_Pool") -> None:
        """Forget connections that may hang; closing them ends the threads that wait on them."""
        if self._pool is pool:
            self._pool = None
        pool.close()


class _Pool:
    """Threads and clients that are used together and thrown away together."""

    def __init__(self, make: "Callable[[], httpx.Client] | None", *, used: int) -> None:
        self.used = used  # UNIX epoch, seconds
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="solr")
        self._make = make
        self._clients: dict[str, httpx.Client] = {}

    def http(self, endpoint: Endpoint) -> "httpx.Client":
        """The client for the endpoint's scheme, made at its first use."""
        if endpoint.scheme not in self._clients:
            client = self._make() if self._make else _client(endpoint.scheme)
            # Of two threads that both made one, all use the first.
            self._clients.setdefault(endpoint.scheme, client)
        return self._clients[endpoint.scheme]

    def close(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)
        for client in list(self._clients.values()):
            client.close()


@dataclass(eq=False)
class _ServerDown(Exception):
    """The server, not the question, is at fault: worth a pause before it is asked again."""

    message: str
    reason: str

    def __str__(self) -> str:
        return self.message


def _client(scheme: str) -> "httpx.Client":
    """A client without proxies; only for https it loads certificates (20 ms of a cold start)."""
    import ssl

    import httpx

    # This context trusts nobody, so that plain http pays for no certificates and nothing else
    # can come through it.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if scheme == "https":
        import certifi

        context = ssl.create_default_context()  # the system's, or SSL_CERT_FILE's
        context.load_verify_locations(certifi.where())
    return httpx.Client(verify=context, trust_env=False)


def _body(response: "httpx.Response", deadline: float) -> bytes:
    """Read the body; a slow drip ends at the deadline, a flood at its size."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER:
            raise BackendProtocolError("Solr's answer is too long", reason="answer too long")
        if time.monotonic() > deadline:
            raise _ServerDown("Solr did not answer in time", reason="timeout")
    return bytes(body)


def _failure(status: int) -> Exception:
    """The error for an answer that is not 200. Its text stays unread: it may quote the question."""
    if status in _REFUSED:
        return BackendUnavailable(
            f"Solr refused the credentials (status {status})",
            reason="credentials refused",
            cools_down=False,  # they may be those of one site
        )
    if status in (404, 405):  # Solr answers 405 to a POST for a core that it does not have
        return BackendUnavailable(
            f"no such core (status {status})", reason="core missing", cools_down=False
        )
    if status == 400:
        log.error("Solr calls our request wrong; is EXT:solr's access plugin installed?")
        return BackendProtocolError(
            "Solr calls our request wrong (status 400)", reason="status 400"
        )
    if 300 <= status < 400:  # never followed: it may lead out of the network
        return BackendProtocolError(f"Solr redirects (status {status})", reason="redirect")
    if status == 503:
        return _ServerDown("Solr is starting or overloaded (status 503)", reason="status 503")
    if status >= 500:
        return BackendUnavailable(
            f"Solr failed (status {status})", reason=f"status {status}", cools_down=False
        )
    return BackendProtocolError(f"unexpected status {status}", reason=f"status {status}")
