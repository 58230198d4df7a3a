"""All ways of asking, on all sets: which there are, and what each reached."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from typo3_retrieval.backends.solr.hits import NAME as SOLR
from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval_cli.evaluation import mariadb, solr
from typo3_retrieval_cli.evaluation.asking import Answer, Ask, ask_all, backend_of, without_answer
from typo3_retrieval_cli.evaluation.ceiling import ceiling_of
from typo3_retrieval_cli.evaluation.data_sets import DataSet, Form
from typo3_retrieval_cli.evaluation.made_sites import MadeSite, on_mariadb, on_sqlite, tables_for
from typo3_retrieval_cli.evaluation.measures import Figures, figures, mean
from typo3_retrieval_cli.evaluation.reference import reference_of
from typo3_retrieval_cli.evaluation.tables import Engine

DatabaseKind = Literal["sqlite", "mariadb"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of asking."""

    name: str  # a backend's, or "ceiling"
    form: Form
    database: DatabaseKind | None = None  # None: in memory, or in Solr
    engine: Engine | None = None  # of ke_search's table on MariaDB
    reference: bool = False  # as the reference asks

    @property
    def excerpts(self) -> bool:
        """Whether its hits have excerpts that are measured."""
        return self.database is not None or self.name == SOLR

    @property
    def label(self) -> str:
        """The way for people, and for names of files."""
        where = [each for each in (self.database, self.engine) if each]
        return " ".join([self.name, *where, *(["reference"] if self.reference else [])])


@dataclass(slots=True)
class Results:
    """What was reached."""

    of_sets: dict[Way, dict[str, Figures]] = field(default_factory=dict)
    off_topic: dict[Way, dict[str, tuple[int, int]]] = field(default_factory=dict)  # (low, all)

    def mean(self, way: Way) -> Figures:
        """The mean over the sets."""
        return mean(list(self.of_sets[way].values()))

    def low_when_off_topic(self, way: Way) -> float | None:
        """The share of strangers' questions whose best hit was called low, or that had none."""
        low = sum(each for each, _ in self.off_topic.get(way, {}).values())
        total = sum(each for _, each in self.off_topic.get(way, {}).values())
        return low / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured."""

    sets: Sequence[DataSet]
    backends: Sequence[str]
    databases: Sequence[DatabaseKind]
    engines: Sequence[Engine]
    forms: Sequence[Form]
    off_topic: Sequence[tuple[str, str]] = ()  # (whose questions, whose documents), sets' names
    with_reference: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    runs: Path | None = None  # folder for run files

    def places(self) -> Iterator[tuple[DatabaseKind, Engine | None, list[str]]]:
        """Each database with the backends that are asked there."""
        backends = [each for each in self.backends if each != SOLR]
        for database in self.databases if backends else ():
            if database == "sqlite":
                yield database, None, backends
                continue
            # The engine is ke_search's matter; the others need one round only.
            for number, engine in enumerate(self.engines):
                asked = [each for each in backends if not number or each == "ke_search"]
                if asked:
                    yield database, engine, asked


Report = Callable[[str], Callable[[int], None]]  # tells of a step, gives its progress


def measure(plan: Plan, report: Report) -> Results:
    """Measure all of *plan*.

    Args:
        plan: what.
        report: called with each step's name; what it returns is called with how many questions
            were asked since.
    """
    results = Results()
    for data in plan.sets:
        ceiling = ceiling_of(data)
        for form in plan.forms:
            way = Way(name="ceiling", form=form)
            _measure(results, plan, way, data, ceiling, report)
    with _server(plan) as server:
        for database, engine, backends in plan.places():
            for data in plan.sets:
                progress = report(f"{data.name}: loading")
                tables = tables_for(backends)
                with _made(server, database, engine, data, tables, progress) as site:
                    for backend in backends:
                        shown = engine if backend == "ke_search" else None
                        way = Way(name=backend, form="text", database=database, engine=shown)
                        ask = backend_of(site, backend, data.documents)
                        reference = reference_of(site.database, backend, data.documents)
                        _ask_backend(results, plan, way, data, ask, reference, report)
    if SOLR in plan.backends:
        _measure_solr(results, plan, report)
    return results


def _measure_solr(results: Results, plan: Plan, report: Report) -> None:
    report("starting Solr")
    with solr.server(plan.sets) as server:
        for data in plan.sets:
            report(f"{data.name}: loading")
            with solr.loaded(server, data, plan.environment) as asks:
                way = Way(name=SOLR, form="text")
                _ask_backend(results, plan, way, data, asks.backend, asks.reference, report)


def _ask_backend(
    results: Results,
    plan: Plan,
    way: Way,
    data: DataSet,
    ask: Ask,
    reference: Ask | None,
    report: Report,
) -> None:
    for form in plan.forms:
        asked = replace(way, form=form)
        _measure(results, plan, asked, data, ask, report)
        if plan.with_reference and reference:
            _measure(results, plan, replace(asked, reference=True), data, reference, report)
    for questions, documents in plan.off_topic:
        if documents == data.name and "text" in plan.forms:
            others = next((each for each in plan.sets if each.name == questions), None)
            if others:
                _measure_off_topic(results, way, others, data, ask, report)


def _measure(
    results: Results, plan: Plan, way: Way, data: DataSet, ask: Ask, report: Report
) -> None:
    progress = report(f"{data.name}: {way.label}, {way.form}")
    answers = ask_all(ask, data.questions, way.form, progress)
    results.of_sets.setdefault(way, {})[data.name] = figures(data, answers)
    if plan.runs is not None:
        _write_run(plan.runs, way, data, answers)


def _measure_off_topic(
    results: Results, way: Way, others: DataSet, data: DataSet, ask: Ask, report: Report
) -> None:
    progress = report(f"{others.name} asked of {data.name}: {way.label}")
    answers = ask_all(ask, without_answer(others, data), "text", progress)
    low = sum(not answer.hits or answer.hits[0].confidence is Confidence.LOW for answer in answers)
    pair = f"{others.name}:{data.name}"
    results.off_topic.setdefault(way, {})[pair] = (low, len(answers))


def _write_run(folder: Path, way: Way, data: DataSet, answers: Sequence[Answer]) -> None:
    """The run in the form of TREC, which every tool of the trade reads."""
    folder.mkdir(parents=True, exist_ok=True)
    name = way.label.replace(" ", "-")
    lines = [
        f"{answer.question} Q0 {hit.document} {rank} {len(answer.hits) - rank} {name}\n"
        for answer in answers
        for rank, hit in enumerate(answer.hits)
    ]
    (folder / f"{data.name}.{name}.{way.form}.run").write_text("".join(lines), encoding="utf-8")


def _server(plan: Plan) -> AbstractContextManager[mariadb.Server | None]:
    if "mariadb" in plan.databases:
        return mariadb.server(plan.environment)
    return nullcontext(None)


@contextmanager
def _made(
    server: mariadb.Server | None,
    database: DatabaseKind,
    engine: Engine | None,
    data: DataSet,
    tables: Sequence[str],
    progress: Callable[[int], None],
) -> Iterator[MadeSite]:
    def told(table: str) -> None:
        del table
        progress(0)

    if database == "mariadb" and server is not None:
        with on_mariadb(
            server, data.documents, data.language, tables, engine or "innodb", told
        ) as site:
            yield site
        return
    with on_sqlite(data.documents, data.language, tables, told) as site:
        yield site
