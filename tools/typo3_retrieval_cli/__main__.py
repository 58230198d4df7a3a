"""``python -m typo3_retrieval_cli``: the same as ``typo3-retrieval``."""

from typo3_retrieval_cli.main import app

app(prog_name="typo3-retrieval")
