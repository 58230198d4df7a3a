"""Search and fetch in the cores that EXT:solr fills: the best index, trusted never."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

from typo3_retrieval.backends.solr.addresses import Addresses
from typo3_retrieval.backends.solr.answer import SolrAnswer
from typo3_retrieval.backends.solr.client import SolrClient
from typo3_retrieval.backends.solr.endpoints import Endpoint, endpoint_of
from typo3_retrieval.backends.solr.evidence import DOCUMENTS, Wording, sources
from typo3_retrieval.backends.solr.freshness import LiveCheck
from typo3_retrieval.backends.solr.hits import NAME, HitReader, Place, parsed
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.backends.solr.request import fetch_request, newest_request, search_request
from typo3_retrieval.backends.solr.scope import Scope
from typo3_retrieval.core.deadline import seconds_left, within
from typo3_retrieval.core.wordings import search_wordings
from typo3_retrieval.plugin import (
    AVAILABLE,
    AccessContext,
    Availability,
    BackendUnavailable,
    Document,
    IndexState,
    Resources,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
    unavailable,
)
from typo3_retrieval.typo3.sites import Sites

PARTIAL = "Solr stopped at its time limit: better hits may be missing."
# Documents asked for: three times the limit, at least 40. Variants of one page and pages that are
# not public any more fall away, and a second request would double the time.
_OVERFETCH, _LEAST = 3, 40
_SHARE = 0.9  # of what is left of the request
_CHECK = 0.5  # of what Solr left, for the live check: a database that hangs must not take its hits
_SPARE = 5  # hits beyond the limit, in case two have one address
_ALL = 100  # hits of a fetch; more documents than one source has

Cores = Mapping[Endpoint, Sequence[Place]]


class SolrBackend:
    """EXT:solr's cores, one for each language of a site."""

    name = NAME

    def __init__(
        self, *, sites: Sites, client: SolrClient, options: SolrOptions, live: LiveCheck | None
    ) -> None:
        self._sites = sites
        self._client = client
        self._options = options
        self._reader = HitReader(
            addresses=Addresses(sites),
            roots=frozenset(site.root_page_uid for site in sites),
            live=live,
        )

    @classmethod
    def from_resources(cls, resources: Resources) -> Self:
        """Build it. Nothing is asked before the first search.

        Raises:
            ConfigurationError: an option is unknown or wrong.
        """
        options = SolrOptions.of(resources.options)
        live = None
        if resources.database is not None and resources.public_pages is not None:
            live = LiveCheck(
                database=resources.database,
                public_pages=resources.public_pages,
                now=resources.now,
            )
        client = SolrClient(
            options=options, now=resources.now, secret=resources.secret, http=resources.http
        )
        return cls(sites=resources.sites, client=client, options=options, live=live)

    def availability(self) -> Availability:
        """Available when a language of a site has a core; nobody is asked whether it answers.

        A core that cools down is not unavailable: its sources exist, so reading one must fail
        rather than find nothing.
        """
        reasons: dict[str, None] = {}
        for site in self._sites:
            for language in site.languages:
                found = endpoint_of(site, language)
                if not isinstance(found, Endpoint):
                    if found.wrong:
                        reasons[f"{site.identifier}: {found.reason}"] = None
                elif language.enabled:
                    return AVAILABLE
        return unavailable("; ".join(reasons) or "no core configured")

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        """See `SearchBackend.search`.

        Raises:
            BackendUnavailable: the asked sites have no core for the language, or one is down.
            BackendProtocolError: a core answered nonsense.
        """
        del access  # every request has the filter for visitors without login, see `SolrRequest`
        cores, notes = self._cores(query)
        deadline = time.monotonic() + self._seconds()
        answer = search_wordings(query, lambda text: self._search(text, query, cores, deadline))
        return replace(answer, notes=(*notes, *answer.notes))

    def index_state(self) -> IndexState:
        """The documents of all cores; the newest one of the core that is most out of date.

        Raises:
            BackendError: a core did not answer.
        """
        found = (endpoint_of(site, each) for site in self._sites for each in site.languages)
        cores = dict.fromkeys(each for each in found if isinstance(each, Endpoint))
        deadline = time.monotonic() + self._seconds()
        answers = self._client.ask([(core, newest_request()) for core in cores], deadline=deadline)
        newest = [each.indexed for answer in answers for each in answer if each.indexed]
        return IndexState(
            documents=sum(answer.numbers.get(DOCUMENTS, 0) for answer in answers),
            newest=min(newest, default=None),
        )

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        """Read ``solr:<site>:<type>:<uid>:<language>``."""
        del access  # see search
        named = parsed(source_id, self._sites.sites)
        if named is None:
            return None
        place, kind, uid = named
        endpoint = endpoint_of(*place)
        if not isinstance(endpoint, Endpoint):
            return None
        request = fetch_request(kind, uid, Scope.of([place[0]], self._sites), self._options)
        deadline = time.monotonic() + self._seconds()
        answers = self._client.ask([(endpoint, request)], deadline=deadline)
        _refuse_nothing_in_time(answers)
        with within(_CHECK * seconds_left(), enforced=True):
            hits, _ = self._reader.hits([(answers[0], [place])], _ALL)
        for hit in hits:
            if hit.source_id == source_id:
                return Document(
                    source_id=source_id,
                    title=hit.title,
                    url=hit.url,
                    text=hit.full_text,
                    last_modified=hit.document.changed,
                )
        return None

    def _seconds(self) -> float:
        """What Solr may take: what is left of the request leaves time to judge its hits."""
        return min(self._options.timeout, _SHARE * seconds_left())

    def _cores(self, query: RetrievalQuery) -> tuple[Cores, tuple[str, ...]]:
        """The cores to ask, with the sites in each, and a note on sites that have none."""
        cores: dict[Endpoint, list[Place]] = {}
        without: dict[str, str] = {}
        for site in self._sites.asked(query.site):
            language = site.language(query.language_id)
            if language is None or not language.enabled:
                continue
            found = endpoint_of(site, language)
            if isinstance(found, Endpoint):
                cores.setdefault(found, []).append((site, language))
            else:
                without[site.identifier] = found.reason
        if not without:  # with no core either, no asked site has the language: nothing is there
            return cores, ()
        if not cores:
            reason = next(iter(without.values()))
            raise BackendUnavailable(
                f"language {query.language_id}: {reason}", reason=reason, cools_down=False
            )
        listed = ", ".join(f"{site} ({reason})" for site, reason in without.items())
        return cores, (f"Not searched, because not in Solr: {listed}.",)

    def _search(
        self, text: str, query: RetrievalQuery, cores: Cores, deadline: float
    ) -> SearchAnswer:
        """Ask all cores for one wording. Text without a word finds nothing and asks nobody."""
        wordings = [Wording(text, places[0][1].code) for places in cores.values()]
        requests = [
            search_request(
                text,
                Scope.of([site for site, _ in places], self._sites),
                self._options,
                rows=max(_LEAST, query.limit * _OVERFETCH),
                counted=wording.counted(),
            )
            for wording, places in zip(wordings, cores.values(), strict=True)
        ]
        questions = [
            (endpoint, request)
            for endpoint, request in zip(cores, requests, strict=True)
            if request is not None
        ]
        if not questions:
            return SearchAnswer(())
        answers = self._client.ask(questions, deadline=deadline)
        _refuse_nothing_in_time(answers)
        with within(_CHECK * seconds_left(), enforced=True):
            hits, notes = self._reader.hits(
                list(zip(answers, cores.values(), strict=True)), query.limit + _SPARE
            )
        weighed = {
            site.identifier: question
            for places, question in zip(
                cores.values(), map(Wording.question, wordings, answers), strict=True
            )
            for site, _ in places
        }
        partial = (PARTIAL,) if any(answer.partial for answer in answers) else ()
        return SearchAnswer(sources(hits, weighed), (*partial, *notes))


def _refuse_nothing_in_time(answers: Sequence[SolrAnswer]) -> None:
    """Raise when Solr stopped before it found anything: that is no answer."""
    if any(answer.partial for answer in answers) and not any(a.documents for a in answers):
        raise BackendUnavailable(
            "Solr stopped at its time limit", reason="time limit", cools_down=False
        )
