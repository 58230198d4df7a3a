"""A LlamaIndex retriever: nodes of a TYPO3 site, each with the URL to cite.

pip install httpx llama-index-core
"""

import os

import httpx
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class Typo3Retriever(BaseRetriever):
    """Asks POST /query."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        site: str | None = None,
        language: str | None = None,
        max_sources: int = 8,
    ) -> None:
        super().__init__()
        self._url = f"{url.rstrip('/')}/query"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._fields = {"site": site, "language": language, "max_sources": max_sources}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        response = httpx.post(
            self._url,
            headers=self._headers,
            json={"question": query_bundle.query_str, **self._fields},
            timeout=30,
        )
        response.raise_for_status()
        answer = response.json()
        if answer["degraded"]:  # nobody could search: not the same as nothing found
            raise RuntimeError(" ".join(answer["notes"]))
        return [
            NodeWithScore(
                node=TextNode(
                    id_=source["source_id"],
                    text=source["excerpt"],
                    metadata={
                        "url": source["url"],
                        "title": source["title"],
                        "language": source["language"],
                        "confidence": source["confidence"],
                        "last_modified": source["last_modified"],
                        "backend": answer["backend"],
                    },
                ),
                score=source["score"],
            )
            for source in answer["sources"]
        ]


if __name__ == "__main__":
    retriever = Typo3Retriever(os.environ["RETRIEVAL_URL"], os.environ["RETRIEVAL_TOKEN"])
    for found in retriever.retrieve("When is bulky waste collected?"):
        print(found.metadata["url"], found.text, sep="\n", end="\n\n")
