"""The words by which a row of the recorded site is recognised wherever it shows."""

import re
from pathlib import Path

from tests.conformance.recorded import lines

MARKER = re.compile(r"mx[pcr]\d+z")


def markers(*texts: str) -> set[str]:
    """The rows that *texts* show."""
    return {marker for text in texts for marker in MARKER.findall(text)}


def never_shown(folder: Path) -> frozenset[str]:
    """The markers of rows whose requests were recorded, none of which showed them."""
    judged: set[str] = set()
    shown: set[str] = set()
    for line in lines(folder / "visibility.jsonl"):
        if line["kind"] == "content":
            judged.add(line["marker"])
            if line["seen_on_own_page"] or line["seen_on_other_pages"]:
                shown.add(line["marker"])
        elif line["groups"] == "anonymous":
            judged.add(line["page_marker"])
            shown |= set(line["markers"] if line["status"] == 200 else ())
    for line in lines(folder / "page_verdicts.jsonl"):
        shown |= set(line["rendered_record"] if line["anonymous_sees_page"] else ())
    return frozenset(judged - shown)
