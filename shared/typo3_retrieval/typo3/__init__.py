"""What TYPO3 means: sites, routing, rootlines, visibility."""
