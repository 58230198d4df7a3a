"""The measuring stick: question sets with relevance judgments, asked of the real backends."""
