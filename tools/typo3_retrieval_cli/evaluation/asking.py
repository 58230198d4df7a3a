"""Asks a backend every question of a set, and keeps what came."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.backends import database as plain_tables
from typo3_retrieval.backends import indexed_search, ke_search
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.query import MIN_CHARACTERS, RetrievalQuery
from typo3_retrieval.edge.settings import MAX_DEADLINE, Settings
from typo3_retrieval.typo3.database import Database, Dialect, Parameter, Row
from typo3_retrieval_cli.evaluation.data_sets import DataSet, Document, Form, Question
from typo3_retrieval_cli.evaluation.made_sites import MadeSite
from typo3_retrieval_cli.evaluation.site_rows import NOW

HITS = 8  # measured
MORE_HITS = 10  # of nDCG, too: that depth is what other reports have
ASKED = max(HITS, MORE_HITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One hit."""

    document: str
    excerpt: str = ""
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came for one question."""

    question: str  # its id
    hits: Sequence[Found]
    milliseconds: float
    statements: int
    notes: Sequence[str] = ()
    failed: bool = False  # no backend answered


# Those that search TYPO3's tables, the best first. Any other that is installed can be asked too.
SQL_BACKENDS = {
    each.BACKEND.name: each.BACKEND for each in (ke_search, indexed_search, plain_tables)
}

Ask = Callable[[str], Answer]  # of a question's text; its id is filled in later


class CountingDatabase:
    """A `Database` that counts its statements."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.statements = 0

    @property
    def dialect(self) -> Dialect:
        return self._database.dialect

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        self.statements += 1
        return self._database.rows(sql, parameters)

    def columns(self, table: str) -> frozenset[str]:
        return self._database.columns(table)


def backend_of(site: MadeSite, name: str, documents: Sequence[Document]) -> Ask:
    """Make what asks one backend, as the system would.

    Raises:
        ConfigurationError: there is no such backend.
    """
    database = CountingDatabase(site.database)
    services = build_services(
        # No shorter: what a loaded machine is late with would count as wrong.
        Settings(backends=(name,), deadline_seconds=MAX_DEADLINE),
        sites=site.sites,
        database=database,
        backends=[SQL_BACKENDS[name]] if name in SQL_BACKENDS else None,
        now=lambda: NOW,
    )
    return ask_of(services.cascade, documents, lambda: database.statements)


def ask_of(
    cascade: Cascade, documents: Sequence[Document], statements: Callable[[], int] = lambda: 0
) -> Ask:
    """Make what asks a built system of one backend.

    Args:
        cascade: of it.
        documents: pages 1 to n of its site.
        statements: how many the database got so far.
    """
    access = AccessContext.public_only(BackendUser("_evaluation_"))

    def ask(text: str) -> Answer:
        before, started = statements(), time.perf_counter()
        evidence = cascade.search(RetrievalQuery.of(text, limit=ASKED), access)
        return Answer(
            question="",
            hits=[
                Found(
                    document=documents[source.page_uid - 1].id,
                    excerpt=source.excerpt,
                    confidence=source.confidence,
                )
                for source in evidence.sources
                if source.page_uid and source.page_uid <= len(documents)
            ],
            milliseconds=(time.perf_counter() - started) * 1000,
            statements=statements() - before,
            notes=evidence.notes,
            failed=evidence.degraded,
        )

    return ask


def ask_all(
    ask: Ask, questions: Sequence[Question], form: Form, progress: Callable[[int], None]
) -> list[Answer]:
    """Ask every question, after one that warms the caches.

    Args:
        ask: what is measured.
        questions: of a set.
        form: in which they are asked.
        progress: told after each how many were asked.
    """
    asked = [each for each in questions if len(each.form(form)) >= MIN_CHARACTERS]
    if asked:
        ask(asked[0].form(form))
    answers: list[Answer] = []
    for question in asked:
        answer = ask(question.form(form))
        answers.append(
            Answer(
                question=question.id,
                hits=answer.hits,
                milliseconds=answer.milliseconds,
                statements=answer.statements,
                notes=answer.notes,
                failed=answer.failed,
            )
        )
        progress(1)
    return answers


def without_answer(data: DataSet, other: DataSet) -> list[Question]:
    """The questions of *data* whose documents *other* does not hold."""
    titles = {(each.title, each.body) for each in other.documents}
    known = {each.id for each in data.documents if (each.title, each.body) in titles}
    return [each for each in data.questions if not data.relevant.get(each.id, frozenset()) & known]
