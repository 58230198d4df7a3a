"""Retrieval for TYPO3 sites: public evidence with citations that resolve."""

__version__ = "0.1.0"
