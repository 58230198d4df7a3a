"""From the routes that could carry a page's arguments to one path and one query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key

from typo3_retrieval.typo3.pcre import PatternError
from typo3_retrieval.typo3.php import (
    Arguments,
    Scalar,
    build_query,
    naturally_sorted,
    parse_query,
    to_string,
)
from typo3_retrieval.typo3.routing.arguments import Path, merged, nested
from typo3_retrieval.typo3.routing.aspects import Mapper, StaticMapper, uid_of
from typo3_retrieval.typo3.routing.enhancers import Candidate, Enhancer, PageType, RoutingEnhancer
from typo3_retrieval.typo3.routing.model import RoutingError
from typo3_retrieval.typo3.routing.patterns import RequirementError, parse_route_path
from typo3_retrieval.typo3.routing.records import Family, Table
from typo3_retrieval.typo3.sites import SiteLanguage

MAX_STATIC = 10_000  # combinations of all static mappers of one route, as in TYPO3
_TRIMMED = " \t\n\r\0\x0b"  # what PHP's trim() drops


@dataclass(frozen=True, slots=True)
class Lookups:
    """What mappers need: records, and the language and time to judge them by."""

    records: Mapping[tuple[Table, int], Family]
    language: SiteLanguage
    at: int  # an `access_time`

    def segment(self, mapper: Mapper, value: Scalar) -> str | None:
        """The path segment of a value; None: it has none."""
        if isinstance(mapper, StaticMapper):
            return mapper.to_url(to_string(value))
        family = self.records.get((mapper.table, uid_of(to_string(value))))
        return mapper.to_url(family, self.language, self.at) if family else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A candidate on a page: the whole path is the literal and the pattern."""

    candidate: Candidate
    literal: str  # the page's path
    pattern: str = ""  # what the route adds; texts and variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A path and the arguments that did not go into it."""

    path: str  # begins with a slash, not encoded
    query: Arguments
    dynamic: Arguments  # everything that a cHash has to cover
    explanation: tuple[str, ...]


def place(slug: str, arguments: Arguments, enhancers: Sequence[Enhancer]) -> list[Placed]:
    """All candidates for *arguments* on the page with this slug, the best one first.

    Raises:
        RoutingError: the arguments are of a kind that TYPO3 breaks on.
    """
    path = "/" + slug.lstrip("/")
    bare = Candidate(key="", enhancer="", route=None, arguments=arguments)
    placed = {"": Placed(candidate=bare, literal=path)}
    for enhancer in enhancers:
        if isinstance(enhancer, RoutingEnhancer):
            for each in enhancer.candidates(arguments):
                pattern = each.route.pattern if each.route else ""
                placed.pop(each.key, None)
                placed[each.key] = Placed(candidate=each, literal=path.rstrip("/"), pattern=pattern)
    found = list(placed.values())
    for enhancer in enhancers:
        if isinstance(enhancer, PageType):
            found = _decorated(found, enhancer, arguments)
    return sorted(found, key=cmp_to_key(_compare))


def _decorated(placed: list[Placed], decorator: PageType, arguments: Arguments) -> list[Placed]:
    suffix = decorator.suffix(arguments.get("type"))
    if suffix is None:
        return placed
    result: list[Placed] = []
    for each in placed:
        left = {k: v for k, v in each.candidate.arguments.items() if k != "type" or v is None}
        candidate = replace(each.candidate, arguments=left)
        if each.pattern.rstrip("/"):
            pattern = decorator.decorated(each.pattern, suffix)
            result.append(replace(each, candidate=candidate, pattern=pattern))
        else:
            literal = decorator.decorated(each.literal, suffix)
            result.append(Placed(candidate=candidate, literal=literal))
    return result


def lookups_of(placed: Sequence[Placed]) -> set[tuple[Table, int]]:
    """The records that the mappers of these candidates will ask for."""
    wanted: set[tuple[Table, int]] = set()
    for each in placed:
        if route := each.candidate.route:
            values = {**route.defaults, **each.candidate.given}
            for path, mapper in route.mappers.items():
                if path in values and not isinstance(mapper, StaticMapper):
                    uid = uid_of(to_string(values[path]))
                    if uid > 0:
                        wanted.add((mapper.table, uid))
    return wanted


def assemble(placed: Sequence[Placed], lookups: Lookups) -> Assembled:
    """Take the first candidate whose aspects can map their values.

    Raises:
        RoutingError: a value violates a requirement. TYPO3 raises then and tries no other.
    """
    skipped: list[str] = []
    for each in placed:
        try:
            return _assemble(each, lookups, skipped)
        except _Skipped as reason:
            skipped.append(f'Route enhancer "{each.candidate.enhancer}" left out: {reason}.')
    raise RoutingError("The page's URL cannot be built.", code=1538390230)


class _Skipped(Exception):  # no error: the next candidate's turn
    """This candidate cannot carry the arguments."""


def _assemble(placed: Placed, lookups: Lookups, skipped: Sequence[str]) -> Assembled:
    candidate, route = placed.candidate, placed.candidate.route
    if route is None:
        path = "/" + placed.literal.strip(_TRIMMED).lstrip("/")
        query = _through_query(candidate.arguments)
        return Assembled(path=path, query=query, dynamic=query, explanation=tuple(skipped))
    given = candidate.given
    segments, mapped = _mapped(route.mappers, given, lookups)
    values = {
        name: _segment(segments[path]) for name, path in route.paths.items() if path in segments
    }
    defaults = _defaults(route.mappers, route.defaults, lookups)
    literal, pattern = placed.literal.lstrip(_TRIMMED + "/"), placed.pattern.rstrip(_TRIMMED)
    parsed = parse_route_path(
        f"/{literal}" if literal else "",
        "/" + pattern.lstrip("/"),
        route.requirements_for_building(),
    )
    try:
        path = parsed.build(
            values,
            {name: defaults[each] for name, each in route.paths.items() if each in defaults},
        )
    except RequirementError as error:
        label = "__".join(route.paths[error.name])
        raise RoutingError(
            f'Parameter "{label}" must match "{error.requirement}" ("{error.value}" given).'
        ) from error
    except PatternError as error:
        raise _Skipped(f"a requirement cannot be checked here, {error}") from error
    _check_amount(route.paths.values(), route.mappers, {**route.defaults, **given})
    taken = set(route.paths.values())
    query = _through_query(
        nested({path: value for path, value in segments.items() if path not in taken})
    )
    free = {
        each: given.get(each, route.defaults.get(each))
        for each in route.paths.values()
        if each not in route.mappers
    }
    return Assembled(
        path=path,
        query=query,
        dynamic=merged(nested(free), query),
        explanation=(
            *skipped,
            f'Route enhancer "{candidate.enhancer}" made the path {placed.pattern}.',
            *mapped,
        ),
    )


def _mapped(
    mappers: Mapping[Path, Mapper], given: Mapping[Path, Scalar], lookups: Lookups
) -> tuple[dict[Path, Scalar], list[str]]:
    """Map every given value that has an aspect, whether its variable is in the path or not."""
    segments = dict(given)
    told: list[str] = []
    for path, mapper in mappers.items():
        if path in given:
            segment = lookups.segment(mapper, given[path])
            value = to_string(given[path])
            if segment is None:
                raise _Skipped(f'aspect {mapper.name} does not map {"__".join(path)} "{value}"')
            segments[path] = segment
            told.append(f'Aspect {mapper.name} mapped {"__".join(path)} "{value}" to "{segment}".')
    return segments, told


def _segment(value: Scalar) -> str | None:
    return None if value is None else to_string(value)


def _defaults(
    mappers: Mapping[Path, Mapper], defaults: Mapping[Path, Scalar], lookups: Lookups
) -> dict[Path, str]:
    """Defaults as they would stand in the URL; if one cannot be mapped, all stay as they are."""
    plain = {path: to_string(value) for path, value in defaults.items()}
    segments = {
        path: lookups.segment(mapper, defaults[path])
        for path, mapper in mappers.items()
        if path in defaults
    }
    known = {path: segment for path, segment in segments.items() if segment is not None}
    return {**plain, **known} if len(known) == len(segments) else plain


def _check_amount(
    paths: Iterable[Path], mappers: Mapping[Path, Mapper], values: Mapping[Path, Scalar]
) -> None:
    amount = 1
    for path in paths:
        mapper = mappers.get(path)
        if isinstance(mapper, StaticMapper) and path in values:
            amount *= len(mapper.values)
    if amount > MAX_STATIC:
        raise RoutingError(
            "Possible range of all mappers is larger than 10000 items", code=1537696772
        )


def _through_query(arguments: Arguments) -> Arguments:
    """What PHP reads from the query that Symfony writes: strings, other names, no null."""
    left = {name: value for name, value in arguments.items() if name != "_fragment"}
    # Sorted first: of two names that PHP makes one, such as a.b and a_b, the same always wins.
    return parse_query(build_query(naturally_sorted(left)).replace("%252F", "%2F"))


# --- order (TYPO3's RouteSorter) ---------------------------------------------------------


def _compare(left: Placed, right: Placed) -> int:
    """Below zero: *left* is tried first. Equal ones keep their order."""
    one, two = _Rank.of(left), _Rank.of(right)
    if one.bare or two.bare:
        return one.bare - two.bare
    if not one.variables or not two.variables:
        return (not one.variables) - (not two.variables)
    if one.complete and two.complete:
        return two.variables - one.variables
    if one.complete or two.complete:
        return -1 if one.complete else 1
    if one.sufficient != two.sufficient:
        return -1 if one.sufficient else 1
    return (one.missing_defaults - two.missing_defaults) or (one.defaults - two.defaults)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rank:
    bare: bool
    variables: int = 0
    complete: bool = False  # every variable is given
    sufficient: bool = False  # every variable without a default is given
    missing_defaults: int = 0
    defaults: int = 0

    @classmethod
    def of(cls, placed: Placed) -> "_Rank":
        route = placed.candidate.route
        if route is None:
            return cls(bare=True)
        paths, given = set(route.paths.values()), placed.candidate.given.keys()
        missing = paths - given
        return cls(
            bare=False,
            variables=len(paths),
            complete=not missing,
            sufficient=not missing - route.defaults.keys(),
            missing_defaults=len(route.defaults.keys() - given),
            defaults=len(route.defaults),
        )
