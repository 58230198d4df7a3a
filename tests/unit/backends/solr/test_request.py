"""What Solr is asked: the measured request, and the access filter in every one."""

from typing import Any

import pytest

from tests.unit.backends.solr.fakes import language, site
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.backends.solr.request import (
    SolrRequest,
    fetch_request,
    search_request,
)
from typo3_retrieval.backends.solr.scope import Scope

HERE = Scope.of([site()], [site()])
ACCESS_FILTER = "{!typo3access}0,-1"


def form(text: str = "waste", **options: str) -> dict[str, Any]:
    parsed = SolrOptions.of(options)
    request = search_request(text, HERE, parsed, rows=34, counted={"term0": "waste"})
    assert request is not None
    return request.form()


def test_the_request_is_the_measured_one() -> None:
    sent = form()
    assert sent["q"] == "waste"
    assert sent["defType"] == "edismax"
    assert (sent["mm"], sent["tie"], sent["sow"], sent["uf"]) == ("0", "0.3", "false", "-*")
    assert (sent["expandMacros"], sent["lowercaseOperators"]) == ("false", "false")
    assert (sent["rows"], sent["wt"], sent["echoParams"]) == ("34", "json", "none")
    assert sent["timeAllowed"] == "2000"
    assert "omitHeader" not in sent  # it would hide that the answer is partial


def test_the_cores_own_handler_is_left_alone_on_request() -> None:
    sent = form(query_fields="core")
    assert not {"qf", "mm", "tie", "defType", "uf", "sow"}.intersection(sent)
    assert sent["expandMacros"] == "false"
    assert ACCESS_FILTER in sent["fq"]


def test_options_change_weights_and_mm_only() -> None:
    sent = form(query_fields="title^3 content", mm="75%")
    assert (sent["qf"], sent["mm"]) == ("title^3 content", "75%")


@pytest.mark.parametrize(
    "request_",
    [
        SolrRequest(parameters={}, filters=(), rows=1),
        SolrRequest(parameters={"fq": "*:*"}, filters=("*:*",), rows=1),
        fetch_request("pages", 3, HERE, SolrOptions()),
        search_request("x", HERE, SolrOptions(), rows=1, counted={}),
        search_request("x", HERE, SolrOptions(filter_queries=("a:b",)), rows=1, counted={}),
    ],
)
def test_no_request_can_be_made_without_the_access_filter(request_: SolrRequest) -> None:
    assert request_.form()["fq"][0] == ACCESS_FILTER


def test_text_without_a_word_asks_nothing() -> None:
    assert search_request("?!", HERE, SolrOptions(), rows=1, counted={}) is None


def test_sites_are_separated_by_their_roots_and_else_by_name() -> None:
    campaign, intranet = site("campaign", 200), site("intranet", 220)
    scope = Scope.of([site(), campaign], [site(), campaign, intranet])
    assert scope.filter() == (
        'rootline:("0-1/" OR "0-200/") OR '
        '(+site:("campaign" OR "main" OR "www.example.org") -rootline:("0-220/"))'
    )


def test_with_all_sites_asked_there_is_no_other() -> None:
    assert HERE.filter() == 'rootline:("0-1/") OR (+site:("main" OR "www.example.org"))'


def test_a_languages_own_host_names_the_site_too() -> None:
    at = site(languages=[language(), language(3, "https://www.example.at/")])
    assert '"www.example.at"' in Scope.of([at], [at]).filter()


def test_an_identifier_cannot_break_out_of_its_quotes() -> None:
    assert r'"a\") OR *:*"' in Scope.of([site('a") OR *:*')], []).filter()
