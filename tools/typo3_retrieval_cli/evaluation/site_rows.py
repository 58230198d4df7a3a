"""Documents as the rows of a TYPO3 site, and of the indexes that its extensions fill."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from typo3_retrieval.backends.indexed_search import lexer
from typo3_retrieval.typo3.database import Value
from typo3_retrieval_cli.evaluation.data_sets import Document

Row = Mapping[str, Value]

NOW = 1_770_000_000  # epoch seconds; all rows are of this time
TITLE_CHARACTERS = 255  # of a page; the rest is cut
_ANONYMOUS = "0,-1"


def root_uid(documents: Sequence[Document]) -> int:
    """The home page; the documents are pages 1 to n below it, in their order."""
    return len(documents) + 1


def rows_of(table: str, documents: Sequence[Document]) -> Iterator[Row]:
    """The rows of *table* for a site of these *documents*."""
    writer = _WRITERS.get(table)
    return writer(documents) if writer else iter(())


def _pages(documents: Sequence[Document]) -> Iterator[Row]:
    root = root_uid(documents)
    home: Row = {
        "uid": root,
        "pid": 0,
        "title": "Home",
        "slug": "/",
        "is_siteroot": 1,
        "doktype": 1,
    }
    yield {**home, "tstamp": NOW}
    for uid, document in enumerate(documents, start=1):
        yield {
            "uid": uid,
            "pid": root,
            "title": document.title[:TITLE_CHARACTERS],
            "slug": f"/{uid}",
            "doktype": 1,
            "sorting": uid,
            "tstamp": NOW,
        }


def _content(documents: Sequence[Document]) -> Iterator[Row]:
    for uid, document in enumerate(documents, start=1):
        yield {
            "uid": uid,
            "pid": uid,
            "CType": "text",
            "bodytext": "".join(f"<p>{escape(line)}</p>" for line in paragraphs(document)),
            "sorting": uid,
            "tstamp": NOW,
        }


def _ke_search(documents: Sequence[Document]) -> Iterator[Row]:
    for uid, document in enumerate(documents, start=1):
        yield {
            "uid": uid,
            "type": "page",
            "targetpid": str(uid),
            "orig_uid": str(uid),
            "title": document.title[:TITLE_CHARACTERS],
            "content": "\n".join(paragraphs(document)),
            "sortdate": NOW,
            "tstamp": NOW,
        }


def _phash(documents: Sequence[Document]) -> Iterator[Row]:
    for phash, uid, document in _hashed(documents):
        yield {
            "phash": phash,
            "static_page_arguments": "[]",
            "data_page_id": uid,
            "gr_list": _ANONYMOUS,
            "item_title": document.title[:TITLE_CHARACTERS],
            "item_mtime": NOW,
            "tstamp": NOW,
        }


def _fulltext(documents: Sequence[Document]) -> Iterator[Row]:
    for phash, _, document in _hashed(documents):
        yield {"phash": phash, "fulltextdata": _indexed_text(document)}


def _relations(documents: Sequence[Document]) -> Iterator[Row]:
    for phash, _, document in _hashed(documents):
        in_title = set(lexer.words(document.title))
        counted = Counter(word[:60] for word in lexer.words(_indexed_text(document)))
        for word, count in counted.items():
            yield {
                "phash": phash,
                "wid": _md5(word),
                "count": min(count, 32_000),
                "freq": min(32_000, count * 320_000 // counted.total()),
                "flags": 128 if word in in_title else 0,
            }


def _words(documents: Sequence[Document]) -> Iterator[Row]:
    known = {word[:60] for each in documents for word in lexer.words(_indexed_text(each))}
    for wid, word in sorted((_md5(word), word) for word in known):
        yield {"wid": wid, "baseword": word}


def _sections(documents: Sequence[Document]) -> Iterator[Row]:
    for phash, uid, _ in _hashed(documents):
        yield {"phash": phash, "page_id": uid}


_WRITERS: Mapping[str, Callable[[Sequence[Document]], Iterator[Row]]] = {
    "pages": _pages,
    "tt_content": _content,
    "tx_kesearch_index": _ke_search,
    "index_phash": _phash,
    "index_fulltext": _fulltext,
    "index_rel": _relations,
    "index_words": _words,
    "index_section": _sections,
}


def paragraphs(document: Document) -> list[str]:
    """The paragraphs of the body that hold anything."""
    return [line for line in map(str.strip, document.body.splitlines()) if line]


def _indexed_text(document: Document) -> str:
    """What the indexer reads of the page: its title, then its content."""
    return " ".join((document.title[:TITLE_CHARACTERS], *paragraphs(document)))


def _hashed(documents: Sequence[Document]) -> list[tuple[str, int, Document]]:
    """In the order of the hashes, which is that of the tables' primary key."""
    return sorted(
        ((_md5(str(uid)), uid, document) for uid, document in enumerate(documents, start=1)),
        key=lambda each: each[0],
    )


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
