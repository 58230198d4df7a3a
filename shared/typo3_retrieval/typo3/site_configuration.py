"""One site's configuration, parsed: base variants, languages, placeholders.

Rules: TYPO3's `Site::__construct`, `SiteLanguage::__construct` and the placeholder processors
of its YAML loader.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import urlsplit

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.conditions import evaluate_condition
from typo3_retrieval.typo3.sites import FallbackType, Site, SiteLanguage

log = logging.getLogger(__name__)

_PLACEHOLDER = re.compile(
    r"""%env\(\s*(?P<env>'[^']*'|"[^"]*"|[^()'"]+?)\s*\)%|%(?P<path>[^%()\s]+)%"""
)
_UNRESOLVED = re.compile(r"%env\(.*?\)%")
# Site::__construct takes this language when none is configured.
_DEFAULT_LANGUAGE = {"languageId": 0, "title": "Default", "locale": "en_US.UTF-8"}
KNOWN_ENHANCERS = frozenset({"Simple", "Plugin", "Extbase", "PageType"})
_MAX_DEPTH = 64  # levels of a configuration


def parse_site(
    identifier: str,
    configuration: Mapping[str, Any],
    *,
    context: str,
    environment: Mapping[str, str],
    source: str = "config.yaml",
) -> Site:
    """Parse one site's *configuration*.

    Args:
        identifier: name of the site's folder.
        configuration: the YAML's content, imports merged, placeholders not yet replaced.
        context: TYPO3's application context; chooses base variants.
        environment: what ``%env(NAME)%`` and ``getenv()`` read.
        source: how errors name the file, e.g. ``main/config.yaml``.

    Raises:
        ConfigurationError: naming *source* and the key.
    """
    return _Parser(source, context, environment).site(identifier, configuration)


@dataclass(frozen=True, slots=True)
class _Parser:
    source: str
    context: str
    environment: Mapping[str, str]

    def site(self, identifier: str, raw: Mapping[str, Any]) -> Site:
        settings = self._replaced(raw, raw, "")
        self._check_placeholders(settings)
        root = self._integer(settings, "rootPageId", "rootPageId")
        if root < 1:
            raise self._error("rootPageId", "must be the uid of a page")
        base = _with_slash(sanitized_base(self._base(settings, "")))
        return Site(
            identifier=identifier,
            root_page_uid=root,
            base=base,
            languages=self._languages(settings, base),
            route_enhancers=self._enhancers(settings),
            settings=settings,
        )

    # --- bases ---------------------------------------------------------------------------

    def _base(self, settings: Mapping[str, Any], prefix: str) -> str:
        """The base that holds in this context: of the first variant that applies, else `base`."""
        for index, variant in enumerate(self._sequence(settings, "baseVariants", prefix)):
            key = f"{prefix}baseVariants[{index}]"
            if not isinstance(variant, Mapping):
                raise self._error(key, "must be a mapping with base and condition")
            condition = self._string(variant, "condition", f"{key}.condition")
            if condition and self._holds(condition, f"{key}.condition"):
                return self._checked(variant, f"{key}.")
        return self._checked(settings, prefix)

    def _checked(self, settings: Mapping[str, Any], prefix: str) -> str:
        """The value of `base`, a URL without blanks, placeholders, query or fragment."""
        key = f"{prefix}base"
        base = self._string(settings, "base", key)
        if match := _UNRESOLVED.search(base):
            raise self._unresolved(key, match.group())
        try:
            parts = urlsplit(sanitized_base(base))
            _ = parts.port
        except ValueError as error:
            raise self._error(key, "is not a URL") from error
        if re.search(r"[\s\\]", base) or parts.query or parts.fragment:
            raise self._error(key, "is not a base URL: it has blanks, a query or a fragment")
        if parts.scheme not in {"", "http", "https"}:
            raise self._error(key, "must start with http:// or https://")
        return base

    def _holds(self, condition: str, key: str) -> bool:
        try:
            return evaluate_condition(condition, context=self.context, environment=self.environment)
        except ConfigurationError as error:
            raise self._error(key, str(error)) from error

    # --- languages -----------------------------------------------------------------------

    def _languages(self, settings: Mapping[str, Any], base: str) -> tuple[SiteLanguage, ...]:
        configured = self._sequence(settings, "languages", "") or [_DEFAULT_LANGUAGE]
        languages: dict[int, SiteLanguage] = {}
        for index, each in enumerate(configured):
            key = f"languages[{index}]"
            if not isinstance(each, Mapping):
                raise self._error(key, "must be a mapping")
            language = self._language(each, f"{key}.", base)
            languages[language.language_id] = language  # the last of two wins, as in TYPO3
        return tuple(languages.values())

    def _language(self, settings: Mapping[str, Any], prefix: str, base: str) -> SiteLanguage:
        language_id = self._integer(settings, "languageId", f"{prefix}languageId")
        if language_id < 0:
            raise self._error(f"{prefix}languageId", "must be 0 or more")
        fallback_type = self._string(settings, "fallbackType", f"{prefix}fallbackType") or "strict"
        if fallback_type not in get_args(FallbackType):
            known = ", ".join(get_args(FallbackType))
            raise self._error(f"{prefix}fallbackType", f"is {fallback_type!r}, not one of {known}")
        return SiteLanguage(
            language_id=language_id,
            title=self._string(settings, "title", f"{prefix}title") or "Default",
            base=self._language_base(settings, prefix, base),
            locale=self._string(settings, "locale", f"{prefix}locale"),
            # PHP's truth: "0" of a placeholder is false.
            enabled=settings.get("enabled") not in (False, 0, "", "0", []),
            fallback_type=fallback_type,  # type: ignore[arg-type]  # checked above
            fallbacks=self._fallbacks(settings.get("fallbacks"), f"{prefix}fallbacks"),
        )

    def _language_base(self, settings: Mapping[str, Any], prefix: str, base: str) -> str:
        """The language's own base, or, when it has neither scheme nor host, below the site's."""
        if not settings.get("base"):
            return base
        own = sanitized_base(self._base(settings, prefix))
        parts = urlsplit(own)
        if parts.scheme or parts.netloc:
            return _with_slash(own)
        return _with_slash(sanitized_base(base.rstrip("/") + "/" + own.lstrip("/")))

    def _fallbacks(self, value: object, key: str) -> tuple[int, ...]:
        """Language ids of ``"1,0"``, ``[1, 0]`` or ``0``; an empty string is none."""
        if value is None or value == "":
            return ()
        parts = value.split(",") if isinstance(value, str) else value
        try:
            each = [parts] if isinstance(parts, int) else list(parts)  # type: ignore[call-overload]
            ids = tuple(int(str(part).strip()) for part in each)
        except (TypeError, ValueError) as error:
            raise self._error(key, f"must be a list of language ids, not {value!r}") from error
        return tuple(dict.fromkeys(ids))

    # --- enhancers -----------------------------------------------------------------------

    def _enhancers(self, settings: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
        enhancers = settings.get("routeEnhancers") or {}
        if isinstance(enhancers, list):
            enhancers = {str(index): each for index, each in enumerate(enhancers)}
        if not isinstance(enhancers, Mapping):
            raise self._error("routeEnhancers", "must be a mapping")
        for name, enhancer in enhancers.items():
            key = f"routeEnhancers.{name}"
            if not isinstance(enhancer, Mapping):
                raise self._error(key, "must be a mapping")
            kind = enhancer.get("type")
            if not isinstance(kind, str) or not kind:
                raise self._error(f"{key}.type", "must name an enhancer")
            if kind not in KNOWN_ENHANCERS:
                # TYPO3 lets extensions register types of their own, which cannot be seen from
                # here. Without the enhancer a URL is the slug and a query, which resolves too.
                log.warning(
                    '%s: %s.type is "%s", which is not known; its URLs get a query instead',
                    self.source,
                    key,
                    kind,
                )
        return {str(name): enhancer for name, enhancer in enhancers.items()}

    # --- placeholders --------------------------------------------------------------------

    def _replaced(self, value: Any, whole: Mapping[str, Any], key: str) -> Any:
        """Replace placeholders in all strings; those that cannot be resolved stay."""
        if key.count(".") + key.count("[") > _MAX_DEPTH:
            raise self._error(key, "is nested too deep")
        if isinstance(value, Mapping):
            return {
                name: self._replaced(each, whole, f"{key}.{name}" if key else str(name))
                for name, each in value.items()
            }
        if isinstance(value, list):
            return [
                self._replaced(each, whole, f"{key}[{index}]") for index, each in enumerate(value)
            ]
        if isinstance(value, str) and value.count("%") > 1:
            return self._replaced_in(value, whole, rounds=5)
        return value

    def _replaced_in(self, text: str, whole: Mapping[str, Any], rounds: int) -> Any:
        """Replace in one string; a placeholder that is all of it may become a number or list."""
        if match := _PLACEHOLDER.fullmatch(text):
            value = self._value_of(match, whole)
        else:

            def inside(match: re.Match[str]) -> str:
                found = self._value_of(match, whole)
                scalar = isinstance(found, str | int | float) and not isinstance(found, bool)
                return str(found) if scalar else match.group()

            value = _PLACEHOLDER.sub(inside, text)
        if rounds and value != text and isinstance(value, str) and value.count("%") > 1:
            return self._replaced_in(value, whole, rounds - 1)
        return value

    def _value_of(self, match: re.Match[str], whole: Mapping[str, Any]) -> Any:
        """What a placeholder stands for, or the placeholder itself."""
        if name := match["env"]:
            return self.environment.get(name.strip("'\""), match.group())
        value: Any = whole
        for part in match["path"].split("."):
            if not isinstance(value, Mapping) or part not in value:
                return match.group()
            value = value[part]
        return value

    def _check_placeholders(self, settings: Mapping[str, Any]) -> None:
        """Refuse what could not be resolved.

        Base variants are left to `_base`: the local one often names a variable that only the
        developer's machine has, and TYPO3 never looks at a variant that does not apply. Solr's
        keys are left to its backend, which alone is unavailable without them.
        """
        for key, text in _strings(settings, ""):
            left = "baseVariants[" in key or key.rpartition(".")[2].startswith("solr_")
            if not left and (match := _UNRESOLVED.search(text)):
                raise self._unresolved(key, match.group())

    # --- values --------------------------------------------------------------------------

    def _string(self, settings: Mapping[str, Any], name: str, key: str) -> str:
        value = settings.get(name)
        if value is None:
            return ""
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise self._error(key, f"must be a string, not {type(value).__name__}")
        return str(value).strip()

    def _integer(self, settings: Mapping[str, Any], name: str, key: str) -> int:
        value = settings.get(name)
        if value is None:
            raise self._error(key, "is missing")
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
            return int(value)
        raise self._error(key, f"must be a whole number, not {value!r}")

    def _sequence(self, settings: Mapping[str, Any], name: str, prefix: str) -> list[Any]:
        value = settings.get(name)
        if value is None:
            return []
        if isinstance(value, Mapping):
            return list(value.values())  # PHP makes no difference between list and mapping
        if not isinstance(value, list):
            raise self._error(f"{prefix}{name}", "must be a list")
        return value

    def _unresolved(self, key: str, placeholder: str) -> ConfigurationError:
        return self._error(key, f"has {placeholder}, and no such environment variable is set")

    def _error(self, key: str, what: str) -> ConfigurationError:
        return ConfigurationError(f"{self.source}: {key} {what}")


def sanitized_base(base: str) -> str:
    """Make sure that *base* starts with a scheme, ``//`` or ``/``.

    ``www.example.org/x`` is a domain, ``de`` and ``de/`` are paths, as TYPO3 reads them
    (`Site::sanitizeBaseUrl`).
    """
    if not base or "//" in base or base.startswith("/"):
        return base
    return f"//{base}" if "." in base else f"/{base}"


def _with_slash(base: str) -> str:
    return base if base.endswith("/") else f"{base}/"


def _strings(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """All strings below *value* with their keys, as ``languages[0].base``."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _strings(each, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _strings(each, f"{key}[{index}]")
    elif isinstance(value, str):
        yield key, value
