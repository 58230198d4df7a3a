"""A LangChain retriever: documents of a TYPO3 site, each with the URL to cite.

pip install httpx langchain-core
"""

import os

import httpx
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import SecretStr


class Typo3Retriever(BaseRetriever):
    """Asks POST /query."""

    url: str
    token: SecretStr
    site: str | None = None  # identifier; None asks every site
    language: str | None = None  # ISO code, locale or id; None: that of the question
    max_sources: int = 8

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        response = httpx.post(
            f"{self.url.rstrip('/')}/query",
            headers={"Authorization": f"Bearer {self.token.get_secret_value()}"},
            json={
                "question": query,
                "site": self.site,
                "language": self.language,
                "max_sources": self.max_sources,
            },
            timeout=30,
        )
        response.raise_for_status()
        answer = response.json()
        if answer["degraded"]:  # nobody could search: not the same as nothing found
            raise RuntimeError(" ".join(answer["notes"]))
        return [
            Document(
                id=source["source_id"],
                page_content=source["excerpt"],
                metadata={
                    "source": source["url"],  # where LangChain looks for it
                    "title": source["title"],
                    "source_id": source["source_id"],
                    "language": source["language"],
                    "score": source["score"],
                    "confidence": source["confidence"],
                    "last_modified": source["last_modified"],
                    "backend": answer["backend"],
                },
            )
            for source in answer["sources"]
        ]


if __name__ == "__main__":
    retriever = Typo3Retriever(
        url=os.environ["RETRIEVAL_URL"], token=SecretStr(os.environ["RETRIEVAL_TOKEN"])
    )
    for document in retriever.invoke("When is bulky waste collected?"):
        print(document.metadata["source"], document.page_content, sep="\n", end="\n\n")
