"""Answers as people read them in a terminal. A site's text is never read as markup."""

from rich.padding import Padding
from rich.text import Text

from typo3_retrieval.edge.models import FetchResponse, KeywordResponse, QueryResponse
from typo3_retrieval_cli.output import show, show_address, tell

_CONFIDENCE = {"high": "green", "medium": "yellow", "low": "red"}


def evidence(answer: QueryResponse) -> None:
    """Print the evidence for a question."""
    number = len(answer.sources)
    if answer.degraded:
        tell("No backend could answer.", style="bold red")
    else:
        found = f"{number} {'source' if number == 1 else 'sources'}" if number else "No evidence"
        show(Text(f"{found} (backend: {answer.backend})", style="bold"))
    for position, source in enumerate(answer.sources, start=1):
        confidence = source.confidence.value if source.confidence else "unknown"
        _hit(
            position,
            source.title,
            source.url,
            source.excerpt,
            Text.assemble(
                (source.source_id, "dim"),
                ("  confidence ", "dim"),
                (confidence, _CONFIDENCE.get(confidence, "dim")),
                (f"  changed {source.last_modified[:10]}" if source.last_modified else "", "dim"),
            ),
        )
    for note in answer.notes:
        tell(f"Note: {note}", style="yellow")
    for attempt in answer.attempts:
        reason = f" ({attempt.reason})" if attempt.reason else ""
        tell(
            f"{attempt.backend} {attempt.outcome.value}{reason}, {attempt.milliseconds} ms",
            style="dim",
        )


def hits(answer: KeywordResponse) -> None:
    """Print the hits of a keyword search."""
    if not answer.available:
        tell("No backend could answer.", style="bold red")
    elif not answer.hits:
        show(Text("Nothing found", style="bold"))
    for position, hit in enumerate(answer.hits, start=1):
        _hit(position, hit.title, hit.url, hit.excerpt, Text(hit.source_id, style="dim"))
    if answer.degraded and answer.available:
        tell("Note: A backend failed; there may be more.", style="yellow")


def document(answer: FetchResponse) -> None:
    """Print a page of a source's text."""
    show(Text(answer.title, style="bold"))
    show_address(answer.url)
    show("", Text(answer.text))
    shown = answer.offset + len(answer.text)
    tell(f"Characters {answer.offset} to {shown} of {answer.total_characters}.", style="dim")
    if answer.next_offset is not None:
        tell(f"Read on with --offset {answer.next_offset}.", style="dim")


def _hit(position: int, title: str, url: str, excerpt: str, facts: Text) -> None:
    show("", Text(f"{position}. {title or '(no title)'}", style="bold"))
    show_address(url, indent="   ")
    show(Padding(Text(excerpt), (0, 0, 0, 3)), Padding(facts, (0, 0, 0, 3)))
