"""``python -m typo3_retrieval_cli.evaluation.bench``: how long searches take on large sites."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from typo3_retrieval.adapters.mysql import STATEMENT_SECONDS
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval_cli.evaluation.asking import SQL_BACKENDS, Answer, Ask, ask_all, backend_of
from typo3_retrieval_cli.evaluation.data_sets import Document, Question, read_sets
from typo3_retrieval_cli.evaluation.made_sites import on_mariadb, on_sqlite, tables_for
from typo3_retrieval_cli.evaluation.mariadb import server
from typo3_retrieval_cli.evaluation.measures import percentile
from typo3_retrieval_cli.evaluation.reference import reference_of
from typo3_retrieval_cli.evaluation.report import progress
from typo3_retrieval_cli.evaluation.runs import Report
from typo3_retrieval_cli.evaluation.synthetic import Language, Sentences, Writer
from typo3_retrieval_cli.output import show


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long one way of asking took on a site of one size."""

    way: str
    pages: int
    p50: float  # milliseconds
    p95: float
    slowest: float
    empty: float  # share of questions
    statements: int  # the most
    narrowed: float  # share of answers with a note, such as a search that took too long
    failed: float  # share


def timing(way: str, pages: int, answers: Sequence[Answer]) -> Timing:
    """Sum *answers* up."""
    times = sorted(answer.milliseconds for answer in answers)
    share = 1 / max(1, len(answers))
    return Timing(
        way=way,
        pages=pages,
        p50=round(percentile(times, 50), 1),
        p95=round(percentile(times, 95), 1),
        slowest=round(times[-1], 1),
        empty=round(sum(not answer.hits for answer in answers) * share, 4),
        statements=max(answer.statements for answer in answers),
        narrowed=round(sum(bool(answer.notes) for answer in answers) * share, 4),
        failed=round(sum(answer.failed for answer in answers) * share, 4),
    )


def writer_of(data: Path | None, language: str) -> Writer:
    """What writes the sites: sentences of the sets in *data*, else a made-up language.

    Raises:
        InvalidInput: there is no set of this language in *data*.
    """
    if data is None:
        return Language()
    sets = [each for each in read_sets(data) if each.language == language]
    if not sets:
        raise InvalidInput(f"--data: no set in {data} is of the language {language!r}.")
    return Sentences(sets)


def measured(
    sizes: Sequence[int],
    questions: int,
    *,
    write: Callable[[], Writer],
    sqlite: bool,
    reference: bool,
    report: Report,
) -> Iterator[Timing]:
    """Measure each backend on sites of these sizes."""
    with server(os.environ) as mariadb:
        for size in sizes:
            writer = write()  # anew: the smaller sites are the same whichever sizes are asked for
            pages = writer.pages(size)
            asked = writer.questions(pages, questions)

            def told(table: str, size: int = size) -> None:
                report(f"{size} pages: loading {table}")(0)

            def ask(way: str, by: Ask, asked: list[Question] = asked, size: int = size) -> Timing:
                told_of = report(f"{size} pages: {way}")
                return timing(way, size, ask_all(by, asked, "text", told_of))

            tables = tables_for(list(SQL_BACKENDS))
            made = partial(
                on_mariadb,
                mariadb,
                pages,
                writer.language,
                statement_seconds=STATEMENT_SECONDS,
                progress=told,
            )
            with made(tables=tables, engine="innodb") as site:
                for name in SQL_BACKENDS:
                    label = f"{name} innodb" if name == "ke_search" else name
                    yield ask(label, backend_of(site, name, pages))
                    other = reference_of(site.database, name, pages) if reference else None
                    if other:
                        yield ask(f"{label} reference", other)
            with made(tables=tables_for(["ke_search"]), engine="myisam") as site:
                yield ask("ke_search myisam", backend_of(site, "ke_search", pages))
            if sqlite:
                yield from _on_sqlite(pages, writer.language, ask, told)


def _on_sqlite(
    pages: Sequence[Document],
    language: str,
    ask: Callable[[str, Ask], Timing],
    told: Callable[[str], None],
) -> Iterator[Timing]:
    tables = tables_for(list(SQL_BACKENDS))
    with on_sqlite(pages, language, tables, told, statement_seconds=STATEMENT_SECONDS) as site:
        for name in SQL_BACKENDS:
            yield ask(f"{name} sqlite", backend_of(site, name, pages))


def main(
    pages: Annotated[
        list[int] | None, typer.Option(help="Size of a site; repeat it for more.")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="Asked of each.")] = 100,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Question sets whose sentences make the pages.",
            show_default="a made-up language",
        ),
    ] = None,
    language: Annotated[str, typer.Option(help="Of the sets.")] = "en",
    sqlite: Annotated[bool, typer.Option("--sqlite", help="Also on SQLite.")] = False,
    reference: Annotated[
        bool, typer.Option("--reference", help="Also as the PHP implementation asks.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write the figures here.")] = None,
) -> None:
    """Print a table of latencies: medians and 95th percentiles in milliseconds."""
    from rich.table import Table

    found: list[Timing] = []
    write = partial(writer_of, data, language)
    with progress() as report:
        for each in measured(
            pages or [1_000, 10_000],
            questions,
            write=write,
            sqlite=sqlite,
            reference=reference,
            report=report,
        ):
            found.append(each)
            if output is not None:  # after each: a long run may be interrupted
                output.parent.mkdir(parents=True, exist_ok=True)
                output.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    table = Table("backend", title="Milliseconds of a search, and the most statements")
    for head in ("pages", "p50", "p95", "slowest", "empty", "statements", "with a note", "failed"):
        table.add_column(head, justify="right")
    for each in found:
        table.add_row(*map(str, asdict(each).values()))
    show(table)


if __name__ == "__main__":
    typer.run(main)
