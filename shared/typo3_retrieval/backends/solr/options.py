"""The operator's options, ``RETRIEVAL_SOLR_*``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Self, TypeVar

from typo3_retrieval.core.errors import ConfigurationError

T = TypeVar("T")

# Fitted on seven question sets: equal weights for title and text, all else counts little.
# `author` is left out, it made answers worse.
QUERY_FIELDS = (
    "title^1 content^1 titleExact^0.3 contentExact^0.3 tagsH1^0.5 tagsH2H3^0.5"
    " keywords^0.5 description^0.5 abstract^0.5 subTitle^0.5 navTitle^0.5"
)
CORE = "core"  # the value of QUERY_FIELDS that leaves the core's own handler alone
_QUERY_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\^[0-9]+(\.[0-9]+)?)?")
_MM = re.compile(r"-?[0-9]+%?|([0-9]+<-?[0-9]+%?)( +[0-9]+<-?[0-9]+%?)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SolrOptions:
    """How Solr is asked. The names are those of the options, in lower case."""

    query_fields: str = QUERY_FIELDS  # Solr's qf, or "core"
    mm: str = ""  # Solr's mm; empty: 0, and the core's own with query_fields "core"
    filter_queries: tuple[str, ...] = ()  # further fq; they can only narrow
    timeout: float = 5.0  # seconds for one search or fetch, all its requests together
    connect_timeout: float = 2.0  # seconds
    time_allowed: int = 2000  # milliseconds after which Solr itself stops searching
    cool_down: int = 15  # seconds in which a core that did not answer is not asked again

    @property
    def own_handler(self) -> bool:
        """Whether the core decides which fields are searched, and how."""
        return self.query_fields == CORE

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Self:
        """Parse the options.

        Raises:
            ConfigurationError: one is unknown or wrong; names the variable.
        """
        known = {field.name for field in fields(cls)}
        for name in options:
            if name not in known:
                names = ", ".join(sorted(f"RETRIEVAL_SOLR_{each.upper()}" for each in known))
                raise ConfigurationError(
                    f"RETRIEVAL_SOLR_{name.upper()} is not an option of Solr. There are: {names}."
                )

        def read(name: str, parse: Callable[[str, str], T], default: T) -> T:
            value = options.get(name, "").strip()
            return parse(f"RETRIEVAL_SOLR_{name.upper()}", value) if value else default

        return cls(
            query_fields=read("query_fields", _query_fields, QUERY_FIELDS),
            mm=read("mm", _mm, ""),
            filter_queries=read("filter_queries", _filter_queries, ()),
            timeout=read("timeout", _seconds, 5.0),
            connect_timeout=read("connect_timeout", _seconds, 2.0),
            time_allowed=read("time_allowed", _milliseconds, 2000),
            cool_down=read("cool_down", _cool_down, 15),
        )


def _query_fields(name: str, value: str) -> str:
    parts = value.split()
    if value != CORE and not all(map(_QUERY_FIELD.fullmatch, parts)):
        raise _wrong(name, value, f'fields with weights such as "title^2 content", or "{CORE}"')
    return " ".join(parts)


def _mm(name: str, value: str) -> str:
    if not _MM.fullmatch(value):
        raise _wrong(name, value, 'Solr\'s "minimum should match", such as 0, 75% or 2<-35%')
    return value


def _filter_queries(_name: str, value: str) -> tuple[str, ...]:
    # A semicolon, because filter queries are full of commas and blanks.
    return tuple(filter(None, (each.strip() for each in value.split(";"))))


def _seconds(name: str, value: str) -> float:
    return _number(name, value, r"[0-9]{1,2}(\.[0-9]{1,3})?", 0.05, 29, "seconds, 0.05 to 29")


def _milliseconds(name: str, value: str) -> int:
    return int(_number(name, value, r"[0-9]{1,5}", 1, 29_000, "milliseconds, 1 to 29000"))


def _cool_down(name: str, value: str) -> int:
    return int(_number(name, value, r"[0-9]{1,4}", 0, 3600, "seconds, 0 to 3600"))


def _number(name: str, value: str, form: str, least: float, most: float, what: str) -> float:
    if not re.fullmatch(form, value) or not least <= float(value) <= most:
        raise _wrong(name, value, what)
    return float(value)


def _wrong(name: str, value: str, expected: str) -> ConfigurationError:
    return ConfigurationError(f"{name} is {value!r}; expected {expected}.")
