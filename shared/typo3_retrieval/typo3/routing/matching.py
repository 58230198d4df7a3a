"""From a URL back to page, language and arguments: the inverse of the router.

Nothing in the service reads URLs; the tests do, to see that what the router builds leads back to
the page. It is also where TYPO3's rules of reading a URL are written down:

- The site is that of the longest base below which the URL lies; scheme and host must fit.
- The longest slug that the path begins with is tried first, in the language of the URL, then in
  its fallbacks. Slugs match with case; one trailing slash more or less does not matter.
- Page type suffixes are taken off before enhancers see the path.
- ``?id=`` beats the path.

Rules: `SiteMatcher`, `PageSlugCandidateProvider`, `PageRouter::matchRequest`, `PageUriMatcher`.
Mounted pages are not found: their slugs depend on the page that mounts them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.enable_fields import access_time
from typo3_retrieval.typo3.pages import Page, load_pages
from typo3_retrieval.typo3.php import Arguments, Scalar, parse_query, to_int, to_string
from typo3_retrieval.typo3.routing.arguments import Path, merged, nested
from typo3_retrieval.typo3.routing.aspects import AliasMapper, Mapper, StaticMapper
from typo3_retrieval.typo3.routing.enhancers import (
    Enhancer,
    PageType,
    Route,
    RoutingEnhancer,
    applicable,
    parse_enhancers,
)
from typo3_retrieval.typo3.routing.model import RoutingError
from typo3_retrieval.typo3.routing.patterns import parse_route_path
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a URL asks for."""

    site: Site
    language: SiteLanguage
    tail: str  # the decoded path below the language's base
    page_uid: int  # of the default-language page
    page_type: str = "0"
    route_arguments: Arguments = field(default_factory=dict)  # read from the path
    dynamic_arguments: Arguments = field(default_factory=dict)  # what a cHash has to cover
    query_arguments: Arguments = field(default_factory=dict)


class Matcher:
    """Reads URLs.

    Args:
        sites: all sites.
        database: TYPO3's tables.
        now: UNIX epoch, seconds.
    """

    def __init__(self, sites: Sites, database: Database, *, now: Callable[[], int]) -> None:
        self._sites = sites
        self._database = database
        self._now = now

    def match(self, url: str) -> Match:
        """Find what *url* asks for. Who may see it is another question.

        Raises:
            RoutingError: TYPO3 would answer 404.
            BackendError: the database did not answer.
        """
        site, language, tail = match_site(url, self._sites)
        query = parse_query(urlsplit(url).query)
        if "id" in query:
            page_uid = self._default_uid(to_int(query["id"]))
            kind = to_string(_scalar(query.get("type", "0")))
            return Match(
                site=site,
                language=language,
                tail=tail,
                page_uid=page_uid,
                page_type=kind,
                dynamic_arguments=query,
                query_arguments=query,
            )
        enhancers = parse_enhancers(site.route_enhancers, language)
        pages = self._candidates("/" + tail, site, language, enhancers)
        if not pages:
            raise RoutingError(f'No page candidates found for path "/{tail}"', code=1538389999)
        for path in _with_and_without_slash("/" + tail):
            for page, shadowed in pages:
                found = self._match_page(page, path, language, enhancers)
                if found is not None and not shadowed:
                    return _result(site, language, tail, page, found, query)
        raise RoutingError(f'No route found for path "{tail}"', code=1538389998)

    def _default_uid(self, uid: int) -> int:
        page = load_pages(self._database, [uid]).page(uid)
        if page is None or page.deleted:
            raise RoutingError("The requested page does not exist.", code=1557839801)
        return page.l10n_parent or page.uid

    def _candidates(
        self, path: str, site: Site, language: SiteLanguage, enhancers: Sequence[Enhancer]
    ) -> list[tuple[Page, bool]]:
        """Pages whose slug the path begins with; one that is the whole path is alone.

        Each with whether a nearer language of the chain has a slug of its own for it: then the
        URL is not the page's, although the slug is.
        """
        slugs = _slugs_of(path, [each for each in enhancers if isinstance(each, PageType)])
        found: list[tuple[Page, bool]] = []
        chain = list(dict.fromkeys((language.language_id, *language.fallbacks)))
        for index, language_id in enumerate(chain):
            for page, shadowed in self._pages_of(slugs, language_id, site, chain[:index]):
                slug = "/" + page.slug.strip("/")
                if path == slug:
                    return [(page, shadowed)]
                if slug == "/" or path.startswith(slug):
                    found.append((page, shadowed))
        return found

    def _pages_of(
        self, slugs: Sequence[str], language_id: int, site: Site, nearer: Sequence[int]
    ) -> list[tuple[Page, bool]]:
        rows = self._database.rows(
            """
            SELECT uid FROM pages
            WHERE sys_language_uid = %(language)s AND slug IN %(slugs)s
              AND deleted = 0 AND t3ver_wsid = 0
            ORDER BY slug DESC, mount_pid_ol, mount_pid, uid
            """,
            {"language": language_id, "slugs": slugs},
        )
        uids = [to_int(row["uid"]) for row in rows]
        tree = load_pages(self._database, uids)
        pages: list[tuple[Page, bool]] = []
        for uid in uids:
            page = tree.page(uid)
            default_uid = page.l10n_parent or uid if page else 0
            line = tree.rootline(default_uid) or ()
            in_site = self._sites.of_rootline(each.uid for each in line) == site
            # MariaDB compares slugs without case, TYPO3's route does not.
            if page and in_site and page.slug in slugs:
                shadowed = any(tree.translation(default_uid, each) for each in nearer)
                pages.append((page, shadowed))
        return pages

    def _match_page(
        self, page: Page, path: str, language: SiteLanguage, enhancers: Sequence[Enhancer]
    ) -> "_Found | None":
        own = applicable(enhancers, page.l10n_parent or page.uid)
        kind = ""
        for decorator in own:
            if isinstance(decorator, PageType) and (read := _undecorated(path, decorator)):
                path, kind = read
        if path == page.slug or (page.slug in ("", "/") and path == "/"):
            return _Found(kind=kind)
        for enhancer in own:
            if isinstance(enhancer, RoutingEnhancer):
                for route in enhancer.routes:
                    values = self._read(route, page.slug, path, language)
                    if values is not None:
                        return _Found(kind, enhancer, route, values)
        return None

    def _read(
        self, route: Route, slug: str, path: str, language: SiteLanguage
    ) -> dict[Path, Scalar] | None:
        """The arguments of a path by this route; None: it is not of this route."""
        parsed = parse_route_path(
            slug.rstrip("/"),
            route.pattern,
            route.requirements_for_matching(),
            frozenset(name for name, each in route.paths.items() if each in route.defaults),
        )
        segments = parsed.match(path)
        if segments is None:
            return None
        values = dict(route.defaults)
        for name, segment in segments.items():
            argument = route.paths[name]
            mapper = route.mappers.get(argument)
            value = self._value(mapper, segment, language) if mapper else segment
            if value is None:
                return None
            values[argument] = value
        return values

    def _value(self, mapper: Mapper, segment: str, language: SiteLanguage) -> str | None:
        """The value that stands behind a segment."""
        if isinstance(mapper, StaticMapper):
            return mapper.to_value(segment)
        if isinstance(mapper, AliasMapper):
            field_name = mapper.table.fields[0]
            wanted = {field_name: mapper.prefix + mapper.without_prefix(segment)}
        elif (found := mapper.fields_of(segment)) is not None:
            wanted = found
        else:
            return None
        return self._uid_by(mapper.table.name, wanted, language)

    def _uid_by(self, table: str, wanted: dict[str, str], language: SiteLanguage) -> str | None:
        """The uid of the default-language record with these fields, along the fallbacks."""
        there = self._database.columns(table)
        parent = "l10n_parent" if "l10n_parent" in there else "l18n_parent"
        conditions = [
            f"({name} = %({name})s OR {parent} = %({name})s)"
            if name == "uid"
            else f"{name} = %({name})s"
            for name in wanted
        ]
        parameters: dict[str, Parameter] = {**wanted, "now": access_time(self._now())}
        # S608: names are from the site's configuration and the schema, values are parameters.
        rows = self._database.rows(
            f"""
            SELECT uid, {parent} AS parent, sys_language_uid AS language_id FROM {table}
            WHERE {" AND ".join(conditions)} AND deleted = 0 AND hidden = 0 AND t3ver_wsid = 0
              AND starttime <= %(now)s AND (endtime = 0 OR endtime > %(now)s)
            ORDER BY uid
            """,  # noqa: S608
            parameters,
        )
        order = [-1, language.language_id, *language.fallbacks]
        if "uid" in wanted:  # the uid says which record, whatever language is asked for
            order += [to_int(row["language_id"]) for row in rows]
        usable = [row for row in rows if to_int(row["language_id"]) in order]
        if not usable:
            return None
        best = min(usable, key=lambda row: order.index(to_int(row["language_id"])))
        return str(to_int(best["parent"]) or to_int(best["uid"]))


def match_site(url: str, sites: Sites) -> tuple[Site, SiteLanguage, str]:
    """The site and language whose base is the longest one above *url*, and the path below it.

    Raises:
        RoutingError: no base is above it.
    """
    asked = urlsplit(url)
    path = unquote(asked.path) or "/"
    found: list[tuple[tuple[bool, int], Site, SiteLanguage, str]] = []
    for site in sites:
        for language in site.languages:
            base = urlsplit(language.base)
            prefix = unquote(base.path).rstrip("/")
            below = path == prefix or path.startswith(f"{prefix}/")
            # Ports are not looked at, even where a base has one.
            if (
                below
                and base.hostname in (None, asked.hostname)
                and base.scheme in ("", asked.scheme)
            ):
                rank = (base.hostname is not None, len(prefix))
                found.append((rank, site, language, path[len(prefix) :].lstrip("/")))
    if not found:
        raise RoutingError(f"No site has the address {url}.")
    _, site, language, tail = max(found, key=lambda each: each[0])
    return site, language, tail


@dataclass(frozen=True, slots=True)
class _Found:
    kind: str = ""  # page type, when a suffix told it
    enhancer: RoutingEnhancer | None = None  # None: the bare page
    route: Route | None = None
    values: dict[Path, Scalar] = field(default_factory=dict)


def _result(
    site: Site,
    language: SiteLanguage,
    tail: str,
    page: Page,
    found: _Found,
    query: Arguments,
) -> Match:
    route_arguments: Arguments = nested(found.values)
    free: Arguments = {}
    if found.enhancer and found.route:
        if found.route.controller:
            controller, action = found.route.controller
            own: Arguments = {"controller": controller, "action": action}
            route_arguments = merged(route_arguments, {found.enhancer.namespace: own})
        mappers = found.route.mappers
        free = nested({path: each for path, each in found.values.items() if path not in mappers})
    return Match(
        site=site,
        language=language,
        tail=tail,
        page_uid=page.l10n_parent or page.uid,
        page_type=found.kind or to_string(_scalar(query.get("type", "0"))),
        route_arguments=route_arguments,
        dynamic_arguments=merged(free, query),
        query_arguments=query,
    )


def _slugs_of(path: str, decorators: Iterable[PageType]) -> list[str]:
    """Every slug that *path* could begin with, with and without a slash at its end."""
    for decorator in decorators:
        if read := _undecorated(path, decorator):
            path = read[0]
            break
    parts = [part for part in path.split("/") if part]
    slugs = ["/"]
    for end in range(1, len(parts) + 1):
        slugs += ["/" + "/".join(parts[:end]), "/" + "/".join(parts[:end]) + "/"]
    return slugs


def _undecorated(path: str, decorator: PageType) -> tuple[str, str] | None:
    """Take the suffix of a page type off: the path without it, and the type."""
    items = list(decorator.suffixes)
    if decorator.default and decorator.default not in items:
        items.append(decorator.default)
    regular = [re.escape(each) for each in items if each[:1] and each[0] in ".-_/"]
    slashed = [re.escape(each) for each in items if not each[:1] or each[0] not in ".-_/"]
    patterns = [f"(?:^|/)(?P<slashed>{'|'.join(slashed)})"] if slashed else []
    if regular and decorator.index:
        patterns.append(f"^{re.escape(decorator.index)}(?P<index>{'|'.join(regular)})")
    if regular:
        patterns.append(f"(?P<regular>{'|'.join(regular)})")
    found = re.search(f"(?:{'|'.join(patterns)})$", path.lstrip("/")) if patterns else None
    if found is None:
        return None
    value = next((each for each in found.groupdict().values() if each is not None), "")
    kind = decorator.suffixes.get(value)
    rest = path.lstrip("/")[: found.start()]
    return "/" + rest.strip("/"), kind if kind is not None else "0"


def _with_and_without_slash(path: str) -> list[str]:
    return [path, path.rstrip("/")] if path.endswith("/") and path != "/" else [path, path + "/"]


def _scalar(value: "Scalar | Arguments") -> Scalar:
    return None if isinstance(value, dict) else value
