"""probe: who answers, with the right page, how fresh; what the deployed probe tells CloudWatch."""

from typing import TYPE_CHECKING

import typer

from typo3_retrieval_cli.options import Json, system_of
from typo3_retrieval_cli.output import FAILED, show, tell, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from typo3_retrieval.edge.probe import BackendReport, Report


def probe(context: typer.Context, as_json: Json = False) -> None:
    """Ask each backend by itself; exit with 1 when one that should answer does not.

    Each backend that RETRIEVAL_BACKENDS names should answer, without it each that is configured,
    and each canary of RETRIEVAL_CANARIES should be found.
    """
    from typo3_retrieval.edge.probe import probe as ask

    report = ask(system_of(context).services())
    if as_json:
        write_json(report.document())
    else:
        show(_table(report))
        if not any(each.canaries for each in report.backends):
            tell("No canary is set (RETRIEVAL_CANARIES): right pages were not looked for.")
    if not report.is_healthy:
        raise typer.Exit(FAILED)


def _table(report: "Report") -> "Table":
    from rich.table import Table

    columns = ("backend", "state", "latency", "documents", "newest", "canaries", "reason")
    table = Table(*columns, box=None, pad_edge=False)
    for each in report.backends:
        style = "green" if each.is_right and each.is_up else "red" if each.expected else "dim"
        table.add_row(
            each.backend,
            f"[{style}]{_state(each)}[/]",
            "" if each.milliseconds is None else f"{each.milliseconds} ms",
            "" if each.documents is None else f"{each.documents:,}",
            "" if each.index_age is None else f"{_age(each.index_age)} ago",
            _canaries(each),
            each.reason,
        )
    return table


def _state(report: "BackendReport") -> str:
    if report.is_up:
        return "up" if report.is_right else "wrong"
    if report.reachable:
        return "empty"
    return "down" if report.expected else "off"


def _canaries(report: "BackendReport") -> str:
    hits = sum(canary.hit for canary in report.canaries)
    return f"{hits} of {len(report.canaries)}" if report.canaries else ""


def _age(seconds: int) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
