"""Site configurations in a folder: ``<identifier>/config.yaml``, as TYPO3 keeps them."""

import logging
import re
from collections.abc import Hashable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.site_configuration import parse_site
from typo3_retrieval.typo3.sites import Site, Sites

log = logging.getLogger(__name__)

FILE_NAME = "config.yaml"
MAX_FILE_SIZE = 2_000_000  # bytes; a site's configuration has some ten thousand


def read_sites(folder: Path | str, *, context: str, environment: Mapping[str, str]) -> Sites:
    """Read every site below *folder*. A broken one leaves the others working, with a note.

    Args:
        folder: holds one folder per site.
        context: TYPO3's application context, e.g. ``Production``.
        environment: what ``%env(NAME)%`` reads.

    Raises:
        ConfigurationError: no such folder, or no site in it can be read.
    """
    root = Path(folder)
    if not root.is_dir():
        raise ConfigurationError(
            f"RETRIEVAL_SITES names {str(folder)!r}, which is no folder; "
            f"it should hold <identifier>/{FILE_NAME}, one per site."
        )
    sites: list[Site] = []
    notes: list[str] = []
    for path in sorted(root.glob(f"*/{FILE_NAME}")):
        identifier = path.parent.name
        reader = _Reader(root, identifier)
        try:
            site = parse_site(
                identifier,
                reader.read(path),
                context=context,
                environment=environment,
                source=f"{identifier}/{FILE_NAME}",
            )
            _check_root_is_free(site, sites)
            sites.append(site)
            notes += reader.notes
        except ConfigurationError as error:
            # The note reaches whoever asks; what is wrong is the operator's affair.
            log.warning("site %s cannot be read: %s", identifier, error)
            notes.append(f'Site "{identifier}" could not be read and was left out.')
    if not sites:
        raise ConfigurationError(
            f"RETRIEVAL_SITES names {str(folder)!r}, where no site can be read: "
            f"{len(notes)} of <identifier>/{FILE_NAME} found, see the log."
        )
    return Sites(sites=tuple(sites), notes=tuple(notes))


def _check_root_is_free(site: Site, others: list[Site]) -> None:
    """Two sites of one root page would make the site of a page a matter of luck."""
    for other in others:
        if other.root_page_uid == site.root_page_uid:
            raise ConfigurationError(
                f"{site.identifier}/{FILE_NAME}: rootPageId {site.root_page_uid} "
                f'is that of site "{other.identifier}", too'
            )


class _Reader:
    """Reads a site's file and what it imports.

    Args:
        root: the folder of all sites; errors name files relative to it.
        identifier: of the site.
    """

    def __init__(self, root: Path, identifier: str) -> None:
        self._root = root
        self._identifier = identifier
        self.notes: list[str] = []

    def read(self, path: Path, importing: tuple[Path, ...] = ()) -> dict[str, Any]:
        """Read one file and merge what it imports below it.

        Args:
            path: the file.
            importing: the files that led here, to find a loop.

        Raises:
            ConfigurationError: naming the file and the key.
        """
        path = path.resolve()
        name = self._name(path)
        if path in importing:
            chain = " -> ".join(map(self._name, (*importing, path)))
            raise ConfigurationError(f"{name}: imports form a loop: {chain}")
        content = _parse(path, name)
        imports = content.pop("imports", None) or []
        if not isinstance(imports, list):
            raise ConfigurationError(f"{name}: imports must be a list")
        merged: dict[str, Any] = {}
        for index, each in enumerate(imports):
            target = self._target(path, each, f"{name}: imports[{index}]")
            if target is not None:
                # Later imports win over earlier ones, the file itself over all.
                merged = _merged(merged, self.read(target, (*importing, path)))
        return cast("dict[str, Any]", _merged(merged, content))

    def _target(self, path: Path, entry: object, key: str) -> Path | None:
        """The imported file; None for one of an extension, which only TYPO3 has."""
        resource = entry.get("resource") if isinstance(entry, Mapping) else entry
        if not isinstance(resource, str) or not resource:
            raise ConfigurationError(f"{key}.resource is missing")
        if resource.startswith("EXT:"):
            # Such a file mostly holds route enhancers. Without them a URL is the page's path and
            # a query, which TYPO3 accepts: better than a site that cannot be asked at all.
            log.warning(
                '%s.resource is "%s", which is not at hand here; to have it, copy the file beside '
                "%s and import it by a relative path",
                key,
                resource,
                FILE_NAME,
            )
            note = f'Site "{self._identifier}": a configuration of an extension was left out.'
            self.notes += [] if note in self.notes else [note]
            return None
        target = (path.parent / resource).resolve()
        # The folder of all sites is what the operator handed over; nothing above it is read.
        if not target.is_relative_to(self._root.resolve()):
            raise ConfigurationError(f'{key}.resource is "{resource}", outside the folder of sites')
        if not target.is_file():
            raise ConfigurationError(f'{key}.resource is "{resource}": no such file')
        return target

    def _name(self, path: Path) -> str:
        resolved = path.resolve()
        root = self._root.resolve()
        return resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.name


def _merged(below: Any, above: Any) -> Any:
    """Lay *above* over *below*: mappings merge, lists are joined, scalars are replaced."""
    if isinstance(below, list) and isinstance(above, list):
        return [*below, *above]
    if isinstance(below, dict) and isinstance(above, dict):
        result = dict(below)
        for name, value in above.items():
            result[name] = _merged(below[name], value) if name in below else value
        return result
    return above


def _parse(path: Path, name: str) -> dict[str, Any]:
    import yaml  # here, because a cold start that reads no site need not pay for it

    try:
        if path.stat().st_size > MAX_FILE_SIZE:
            raise ConfigurationError(f"{name}: is larger than {MAX_FILE_SIZE} bytes")
        content = yaml.load(path.read_bytes(), Loader=_loader())  # noqa: S506  # a SafeLoader
    except OSError as error:
        raise ConfigurationError(f"{name}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{name}: is not valid YAML: {_reason(error)}") from error
    if not isinstance(content, dict):
        raise ConfigurationError(f"{name}: must hold a mapping")
    return content


def _reason(error: Exception) -> str:
    """What is wrong and where, in one line, without the path that PyYAML's message has."""
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    return re.sub(r"\s+", " ", f"{problem}{where}")


@cache
def _loader() -> Any:
    """A safe loader that reads scalars as Symfony's does: YAML 1.2's core schema.

    ``no`` is a language, ``on`` and ``yes`` are words, ``01`` and dates are strings.
    """
    import yaml  # here: see _parse

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where PyYAML has it

    class CoreLoader(base):  # type: ignore[misc]  # C or Python, which is found out at run time
        yaml_implicit_resolvers: ClassVar[dict[str, list[Any]]] = {}

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            seen: set[object] = set()
            for key_node, _ in node.value:
                if key_node.tag == "tag:yaml.org,2002:merge":
                    continue
                key = self.construct_object(key_node, deep=True)
                if not isinstance(key, Hashable) or key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"duplicate key {key!r}", key_node.start_mark
                    )
                seen.add(key)
            return cast("dict[Hashable, Any]", super().construct_mapping(node, deep=deep))

    for tag, pattern, first in (
        ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("int", r"[-+]?(?:0|[1-9][0-9_]*)|0x[0-9a-fA-F]+", list("-+0123456789")),
        (
            "float",
            r"[-+]?(?:[0-9]+\.[0-9_]*|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
            r"|\.(?:nan|NaN|NAN)",
            list("-+.0123456789"),
        ),
        ("merge", "<<", ["<"]),
    ):
        CoreLoader.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), list(first)
        )
    return CoreLoader
