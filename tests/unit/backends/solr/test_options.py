"""The operator's options: what they may be, and how a wrong one is told."""

import pytest

from typo3_retrieval.backends.solr.options import QUERY_FIELDS, SolrOptions
from typo3_retrieval.core.errors import ConfigurationError


def test_without_options_the_measured_request_is_sent() -> None:
    options = SolrOptions.of({})
    assert options.query_fields == QUERY_FIELDS
    assert not options.own_handler


def test_one_option_leaves_the_cores_own_handler_alone() -> None:
    assert SolrOptions.of({"query_fields": "core"}).own_handler


def test_filter_queries_are_separated_by_semicolons() -> None:
    options = SolrOptions.of({"filter_queries": 'type:(pages OR tx_news); -category:"a, b" ;'})
    assert options.filter_queries == ("type:(pages OR tx_news)", '-category:"a, b"')


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("query_fields", "title^high"),
        ("query_fields", "{!lucene}title"),
        ("mm", "most"),
        ("timeout", "0"),
        ("timeout", "5s"),
        ("timeout", "60"),
        ("connect_timeout", "-1"),
        ("time_allowed", "2.5"),
        ("cool_down", "soon"),
        ("query_filds", "title"),
    ],
)
def test_a_wrong_option_is_refused_by_its_variables_name(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"RETRIEVAL_SOLR_{name.upper()}"):
        SolrOptions.of({name: value})


@pytest.mark.parametrize("mm", ["0", "-25%", "75%", "2<-35%", "2<-25% 9<-3"])
def test_mm_is_what_solr_knows(mm: str) -> None:
    assert SolrOptions.of({"mm": mm}).mm == mm
