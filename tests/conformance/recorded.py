"""The recorded site, as the conformance tests read it."""

import json
from pathlib import Path
from typing import Any

from typo3_retrieval.adapters.site_files import read_sites

LANGUAGES = range(5)  # the ids of the recorded sites; 4 is disabled


class Recorded:
    """The recorded site: its time, its configuration, and what was seen on it."""

    def __init__(self, folder: Path) -> None:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        self.now: int = truth["timestamps"]["recorded"]  # UNIX epoch, seconds
        self.encryption_key: str = truth["encryptionKey"]
        self.sites = read_sites(
            folder / "sites",
            context=truth["applicationContext"],
            environment=truth["environment"],
        )
        self.pages = lines(folder / "page_verdicts.jsonl")
        self.content = [
            line for line in lines(folder / "visibility.jsonl") if line["kind"] == "content"
        ]
        self.uids = {line["page"] for line in self.pages} | {line["pid"] for line in self.content}


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
