"""The real servers that the tests talk to, from what pip's and Maven's clients can get."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TRUTH = REPOSITORY.parent / "shared" / "truth"  # recorded from a real TYPO3; beside the repository
