"""Builds the URLs of pages as TYPO3's PageRouter does, many at a time."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.typo3.chash import CacheHash
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.enable_fields import access_time
from typo3_retrieval.typo3.pages import PageTree, load_pages
from typo3_retrieval.typo3.php import Arguments, build_query, is_empty, naturally_sorted, to_int
from typo3_retrieval.typo3.php import to_string as text_of
from typo3_retrieval.typo3.routing.addresses import address, encoded_fragment, encoded_path
from typo3_retrieval.typo3.routing.arguments import normalised
from typo3_retrieval.typo3.routing.candidates import (
    Lookups,
    Placed,
    assemble,
    lookups_of,
    place,
)
from typo3_retrieval.typo3.routing.enhancers import (
    Enhancer,
    UnknownEnhancer,
    applicable,
    parse_enhancers,
)
from typo3_retrieval.typo3.routing.model import BuiltUrl, RoutingError, RoutingSettings, UrlRequest
from typo3_retrieval.typo3.routing.records import Records
from typo3_retrieval.typo3.routing.slugs import MountPair, SlugReader, parse_mount_points
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

P = ParamSpec("P")
T = TypeVar("T")

MAX_UID = 2**32 - 1  # TYPO3's uid columns are unsigned integers of 32 bits


class Router:
    """Builds URLs. Safe to keep for the life of an execution environment.

    Args:
        sites: all sites that could be read.
        database: TYPO3's tables; None: only pages of a given tree have URLs, without records.
        settings: what sites and tables do not tell.
        now: UNIX epoch, seconds.
        clock: seconds, monotonic; measures how long records are remembered.
    """

    def __init__(
        self,
        sites: Sites,
        database: Database | None,
        settings: RoutingSettings | None = None,
        *,
        now: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sites = sites
        self._database = database
        self._settings = settings or RoutingSettings()
        self._now = now
        self._records = Records(database, clock=clock)
        self._enhancers: dict[tuple[str, SiteLanguage], tuple[Enhancer, ...]] = {}
        self._chash = CacheHash(
            self._settings.encryption_key,
            typo3_version=self._settings.typo3_version,
            excluded=self._settings.chash_excluded,
        )

    def build(self, request: UrlRequest, tree: PageTree | None = None) -> BuiltUrl:
        """Build one URL. See `build_all`.

        Raises:
            RoutingError: there is no such URL.
            BackendError: the database did not answer.
        """
        built = self.build_all([request], tree)[0]
        if isinstance(built, RoutingError):
            raise built
        return built

    def build_all(
        self, requests: Sequence[UrlRequest], tree: PageTree | None = None
    ) -> list[BuiltUrl | RoutingError]:
        """Build the URLs of a whole answer: at most three statements, whatever their number.

        One loads the pages unless *tree* is given, one the pages of mount points that are not
        among them, one the records of aspects that are not remembered.

        Args:
            requests: the pages and their arguments.
            tree: holds the pages with rootlines and translations, when somebody loaded them.

        Returns:
            For each request in turn its URL, or why it has none.

        Raises:
            BackendError: the database did not answer.
        """
        wishes = [_attempt(_Wish.of, each) for each in requests]
        wanted = [wish for wish in wishes if isinstance(wish, _Wish)]
        at = access_time(self._now())
        reader = SlugReader(
            self._trees(wanted, tree), at=at, typo3_version=self._settings.typo3_version
        )
        plans = [
            _attempt(self._plan, wish, reader) if isinstance(wish, _Wish) else wish
            for wish in wishes
        ]
        records = self._records.load(
            lookup
            for plan in plans
            if isinstance(plan, _Plan)
            for lookup in lookups_of(plan.placed)
        )
        return [
            _attempt(self._finished, plan, Lookups(records, plan.language, at))
            if isinstance(plan, _Plan)
            else plan
            for plan in plans
        ]

    def _trees(self, wishes: Sequence["_Wish"], tree: PageTree | None) -> tuple[PageTree, ...]:
        pages = [wish.request.page_uid for wish in wishes]
        mounts = [uid for wish in wishes for pair in wish.mounts for uid in (pair.root, pair.mount)]
        if tree is None:
            return (self._load([*pages, *mounts]),)
        missing = [uid for uid in mounts if tree.rootline(uid) is None]
        return (tree, self._load(missing)) if missing else (tree,)

    def _load(self, uids: Iterable[int]) -> PageTree:
        wanted = [uid for uid in uids if 0 < uid <= MAX_UID]
        return load_pages(self._database, wanted) if self._database and wanted else PageTree(())

    def _plan(self, wish: "_Wish", reader: SlugReader) -> "_Plan":
        """Find site, language, path and the routes that could carry the arguments."""
        uid = wish.request.page_uid
        site = self._site(wish.request, reader)
        language = _language(site, wish)
        slug = reader.visible_slug(uid, language)
        if wish.mounts:
            slug = reader.mounted(uid, slug, wish.mounts, language)
            # The page that mounts may lie in another site: its base is the one that answers.
            mounting = reader.site_of(wish.mounts[0].mount, self._sites)
            if mounting is not None:
                language = _of_site(mounting, language.language_id)
        enhancers = applicable(self._parsed(site, language), uid)
        unknown = tuple(
            f'Route enhancer "{each.name}" cannot be used, {each.reason}: '
            "its arguments go into the query."
            for each in enhancers
            if isinstance(each, UnknownEnhancer)
        )
        placed = place(slug, wish.arguments, enhancers)
        return _Plan(request=wish.request, language=language, placed=placed, notes=unknown)

    def _finished(self, plan: "_Plan", lookups: Lookups) -> BuiltUrl:
        assembled = assemble(plan.placed, lookups)
        told = [*plan.notes, *assembled.explanation]
        url = address(
            plan.language.base,
            encoded_path(assembled.path),
            typo3_version=self._settings.typo3_version,
        )
        if naturally_sorted(assembled.dynamic):
            query = naturally_sorted(assembled.query)
            if chash := self._hash(plan.request.page_uid, assembled.dynamic):
                query["cHash"] = chash
                told.append("The cHash covers what neither the path nor an aspect fixes.")
            if text := build_query(query):
                url += f"?{text}"
        if not is_empty(plan.request.fragment):
            url += f"#{encoded_fragment(plan.request.fragment)}"
        if url.startswith("/"):
            told.append("The site's base names no host, so this is a path only.")
        return BuiltUrl(url=url, explanation=tuple(told))

    def _hash(self, uid: int, dynamic: Arguments) -> str:
        # Sorted, because PHP's ksort() knows no firm order for names such as 9, 10 and 1e.
        query = build_query({**naturally_sorted(dynamic), "id": str(uid)})
        if self._chash.relevant(query) and not self._settings.encryption_key:
            raise RoutingError(
                "The URL needs a cHash, and there is no encryption key; set RETRIEVAL_TYPO3_SECRET."
            )
        return self._chash.of_query(query)

    def _site(self, request: UrlRequest, reader: SlugReader) -> Site:
        if request.site is not None:
            try:
                return self._sites.named(request.site)
            except InvalidInput as error:
                raise RoutingError(str(error)) from error
        site = reader.site_of(request.page_uid, self._sites)
        if site is None:
            raise RoutingError(f"Page {request.page_uid} is in no site.", code=1521716622)
        return site

    def _parsed(self, site: Site, language: SiteLanguage) -> tuple[Enhancer, ...]:
        key = (site.identifier, language)
        if key not in self._enhancers:
            self._enhancers[key] = parse_enhancers(site.route_enhancers, language)
        return self._enhancers[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """A request whose arguments were read."""

    request: UrlRequest
    arguments: Arguments  # without _language, id, MP and cHash
    mounts: tuple[MountPair, ...] = ()

    @classmethod
    def of(cls, request: UrlRequest) -> "_Wish":
        arguments = normalised(request.arguments)
        try:
            request.fragment.encode()
        except UnicodeEncodeError:
            raise RoutingError("The fragment is no valid Unicode.") from None
        for name in ("_language", "id", "cHash"):
            arguments.pop(name, None)
        mounts: tuple[MountPair, ...] = ()
        if not is_empty(arguments.get("MP")):
            value = arguments.pop("MP")
            if isinstance(value, dict):
                raise RoutingError('Argument "MP" must be one value.')
            mounts = parse_mount_points(text_of(value))
        return cls(request=request, arguments=arguments, mounts=mounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A request whose page was found, with the routes that could carry its arguments."""

    request: UrlRequest
    language: SiteLanguage
    placed: Sequence[Placed]
    notes: tuple[str, ...] = ()


def _language(site: Site, wish: _Wish) -> SiteLanguage:
    """The language of a request: its `_language` argument, cast as PHP does, else its id."""
    if "_language" not in wish.request.arguments:
        return _of_site(site, wish.request.language_id)
    given = wish.request.arguments["_language"]
    return site.languages[0] if given is None else _of_site(site, to_int(given))


def _of_site(site: Site, language_id: int) -> SiteLanguage:
    language = site.language(language_id)
    if language is None:
        raise RoutingError(
            f"Language {language_id} does not exist on site {site.identifier}.", code=1522960188
        )
    return language


def _attempt(make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | RoutingError:
    """The result, or the reason that belongs to this request alone."""
    try:
        return make(*args, **kwargs)
    except RoutingError as error:
        return error
