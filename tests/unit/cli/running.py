"""Runs commands on a system with a fake backend and the demo's site configuration."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from typer.testing import CliRunner, Result

from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.plugin import (
    AVAILABLE,
    AccessContext,
    Availability,
    BackendUnavailable,
    Document,
    EvidenceSource,
    Registration,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
    unavailable,
)
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.main import app
from typo3_retrieval_cli.system import System

SITES = Path(site.__file__).parent / "sites"


@dataclass
class FakeBackend:
    """Finds *hits* answers to everything."""

    URL: ClassVar[str] = f"https://www.lindenau.example/{'very/long/' * 20}"

    hits: int = 2
    title: str = "Answer [1]"
    text: str = "# Answer [1]"
    available: bool = True
    broken: bool = False
    bug_in: str = ""
    name: str = "fake"
    queries: list[RetrievalQuery] = field(default_factory=list)
    users: list[str] = field(default_factory=list)

    def availability(self) -> Availability:
        return AVAILABLE if self.available else unavailable("switched off")

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        self.queries.append(query)
        self.users.append(access.acting_user.subject)
        return SearchAnswer(
            [
                EvidenceSource(
                    source_id=SourceId.of("fake", number),
                    title=self.title,
                    url=self.URL if number == 1 else f"https://www.lindenau.example/{number}",
                    excerpt="An excerpt.",
                    language_id=query.language_id,
                )
                for number in range(1, self.hits + 1)
            ]
        )

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        if self.broken:
            raise BackendUnavailable("no connection")
        if self.bug_in and self.bug_in in source_id.parts:
            raise RuntimeError("a bug")
        if source_id.parts != ("1",):
            return None
        return Document(source_id=source_id, title=self.title, url=self.URL, text=self.text)


def system_with(backend: FakeBackend, *, priority: int = 50) -> System:
    """A system whose only backend is *backend*."""
    sites = read_sites(SITES, context="Production", environment={})

    def build(settings: Settings) -> Services:
        registration = Registration("fake", priority=priority, build=lambda _: backend)
        return build_services(settings, sites=sites, backends=[registration])

    return System(environment={}, build=build)


def run(
    system: System,
    *arguments: str,
    stdin: Sequence[Any] = (),
    raw: bytes | None = None,
) -> Result:
    """Run a command; *stdin* is written as lines of JSON, *raw* as it is."""
    given = raw if raw is not None else "".join(json.dumps(each) + "\n" for each in stdin).encode()
    return CliRunner().invoke(app, arguments, input=given, obj=system)


def lines(result: Result) -> list[dict[str, Any]]:
    """The JSON lines of a batch, which ends well whatever its lines are."""
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]
