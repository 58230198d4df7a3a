"""Ranking and excerpts for the backends that search tables.

Measured on question sets with relevance judgments; Solr keeps its own ranking.
"""
