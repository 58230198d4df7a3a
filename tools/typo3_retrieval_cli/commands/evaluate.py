"""evaluate: how often the right page comes first, on question sets with relevance judgments."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from typo3_retrieval_cli.options import Json, system_of
from typo3_retrieval_cli.output import write_json

if TYPE_CHECKING:
    from typo3_retrieval_cli.evaluation.data_sets import Form
    from typo3_retrieval_cli.evaluation.runs import DatabaseKind
    from typo3_retrieval_cli.evaluation.tables import Engine

_NEEDED = "evaluate needs the package ir_measures, which the project's development tools have."


def evaluate(
    context: typer.Context,
    data: Annotated[
        Path, typer.Option(metavar="FOLDER", help="A question set, or a folder of such.")
    ],
    backend: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Backend; repeat it for more. solr needs a checkout.",
            show_default="all SQL",
        ),
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="sqlite|mariadb",
            help="Where the site is made, not for solr.",
            show_default="sqlite",
        ),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="innodb|myisam", help="Of ke_search's table on MariaDB.", show_default="innodb"
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            metavar="text|kw", help="The question, or its words only.", show_default="text"
        ),
    ] = None,
    at_most: Annotated[
        int | None, typer.Option(min=1, help="Questions of each set.", show_default="all")
    ] = None,
    off_topic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUESTIONS:DOCUMENTS",
            help="Two sets' names: ask the one's questions of the other's documents.",
        ),
    ] = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="Also ask as the PHP implementation does.")
    ] = False,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write run files, results and a plot here."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make sites of question sets, ask every question, and measure what comes."""
    from typo3_retrieval.core.errors import ConfigurationError

    try:
        import ir_measures  # noqa: F401  # asked for before minutes of work, not after
    except ImportError as error:
        raise ConfigurationError(_NEEDED) from error
    from typo3_retrieval_cli.evaluation.asking import SQL_BACKENDS
    from typo3_retrieval_cli.evaluation.data_sets import read_sets
    from typo3_retrieval_cli.evaluation.report import as_documents, progress, show_results
    from typo3_retrieval_cli.evaluation.runs import Plan, measure

    pairs = [each.partition(":")[::2] for each in off_topic or ()]
    plan = Plan(
        sets=read_sets(data, at_most=at_most),
        backends=backend or tuple(SQL_BACKENDS),
        databases=cast("list[DatabaseKind]", _chosen("database", database, "sqlite", "mariadb")),
        engines=cast("list[Engine]", _chosen("engine", engine, "innodb", "myisam")),
        forms=cast("list[Form]", _chosen("form", form, "text", "kw")),
        off_topic=pairs,
        with_reference=reference,
        environment=os.environ if context.obj is None else system_of(context).environment,
        runs=runs,
    )
    with progress() as report:
        results = measure(plan, report)
    documents = as_documents(results)
    if as_json:
        for document in documents:
            write_json(document)
    else:
        show_results(results)
    if runs is not None:
        from typo3_retrieval_cli.evaluation.plot import write_plot

        lines = "".join(f"{each}\n" for each in map(_line, documents))
        (runs / "results.jsonl").write_text(lines, encoding="utf-8")
        write_plot(results, runs / "plot.png")


def _line(document: dict[str, object]) -> str:
    from typo3_retrieval_cli.output import as_json

    return as_json(document)


def _chosen(option: str, values: list[str] | None, *allowed: str) -> list[str]:
    """The values of an option, by default the first that is allowed."""
    for value in values or ():
        if value not in allowed:
            raise typer.BadParameter(f"--{option} must be one of: {', '.join(allowed)}.")
    return list(dict.fromkeys(values or allowed[:1]))
