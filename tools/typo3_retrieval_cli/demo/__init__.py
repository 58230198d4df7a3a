"""A small TYPO3 site to try things with: the invented town of Lindenau."""
