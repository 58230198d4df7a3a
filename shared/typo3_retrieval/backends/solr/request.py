"""What Solr is asked: parameters of a search and of a fetch.

Every request is a `SolrRequest`, and every `SolrRequest` has the access filter: there is no way
to make one without. Where EXT:solr's plugin is missing Solr refuses it, so it fails closed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.backends.solr.scope import Scope
from typo3_retrieval.backends.solr.words import query_words
from typo3_retrieval.core.access import ANONYMOUS_GROUPS

PAGES = "pages"  # the type of the documents that are pages
_ACCESS = "{!typo3access}" + ",".join(map(str, ANONYMOUS_GROUPS))
_NOT_ENDED = "-endtime:[* TO NOW/MINUTE]"
_FIELDS = (
    "id,type,uid,site,rootline,url,title,content,changed,indexed,score,"
    "subTitle,navTitle,keywords,description,abstract"
)
_OWN_HANDLER_FIELDS = 24  # a guess for a core's own qf; only bounds the number of words
_VARIANTS = 20  # documents that one page may have, by groups and mount points


@dataclass(frozen=True, slots=True, kw_only=True)
class SolrRequest:
    """One request to the select handler, without the access filter that `form` adds."""

    parameters: Mapping[str, str]
    filters: tuple[str, ...]
    rows: int

    def form(self) -> dict[str, str | list[str]]:
        """The fields of the form that is posted; names and values are plain text."""
        return {
            **self.parameters,
            "rows": str(self.rows),
            "wt": "json",
            "echoParams": "none",
            "expandMacros": "false",  # ${…} would be read in any parameter
            "fq": [_ACCESS, _NOT_ENDED, *self.filters],
        }


def search_request(
    text: str, scope: Scope, options: SolrOptions, *, rows: int, counted: Mapping[str, str]
) -> SolrRequest | None:
    """The request for *text* in documents of *scope*; None when no word is in the text.

    Args:
        text: the caller's.
        scope: the sites in the core that are asked.
        options: the operator's.
        rows: documents wanted.
        counted: words, by the field of the answer that tells how many documents have them.
    """
    fields = _OWN_HANDLER_FIELDS if options.own_handler else len(options.query_fields.split())
    words = query_words(text, fields)
    if not words:
        return None
    # docfreq() looks a number up in the index: it costs nothing, and analyses the word itself.
    functions = [f"{field}:docfreq(content,${field}_word)" for field in counted]
    return SolrRequest(
        parameters={
            "q": words,
            "fl": ",".join((_FIELDS, "documents:numdocs()", *functions)),
            "timeAllowed": str(options.time_allowed),
            **{f"{field}_word": word for field, word in counted.items()},
            **_ranking(options),
        },
        filters=(scope.filter(), *options.filter_queries),
        rows=rows,
    )


def _ranking(options: SolrOptions) -> Mapping[str, str]:
    """The measured parameters, or nothing: then the core's handler decides."""
    mm = {"mm": options.mm} if options.mm else {}
    if options.own_handler:
        return mm
    return {
        "defType": "edismax",
        "qf": options.query_fields,
        "mm": "0",  # a question need not find all its words: alone worth +.23 nDCG@10
        "tie": "0.3",
        "sow": "false",
        "uf": "-*",  # no field: queries
        "lowercaseOperators": "false",
        **mm,
    }


def fetch_request(kind: str, uid: int, scope: Scope, options: SolrOptions) -> SolrRequest:
    """The request for all public documents of one page or record in *scope*.

    Args:
        kind: the document's type; letters, digits and underscores only.
        uid: of the page or record.
        scope: the site that the document should belong to.
        options: the operator's.
    """
    return SolrRequest(
        parameters={
            "defType": "lucene",
            "q": f"+type:{kind} +uid:{uid}",
            "fl": _FIELDS,
            "timeAllowed": str(options.time_allowed),
        },
        filters=(scope.filter(), *options.filter_queries),
        rows=_VARIANTS,
    )


def newest_request() -> SolrRequest:
    """The request for the document that was indexed last, and for how many a core holds."""
    return SolrRequest(
        parameters={
            "defType": "lucene",
            "q": "*:*",
            "sort": "indexed desc",
            "fl": "id,type,uid,indexed,documents:numdocs()",
        },
        filters=(),
        rows=1,
    )
