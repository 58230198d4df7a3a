"""A site whose texts are too many to be searched in time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.contract.site import element, page, resources
from tests.contract.tables import write_sqlite
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.database import BACKEND
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.typo3.database import Parameter, Row, StatementTimeout

ACCESS = AccessContext.public_only(BackendUser("7"))


class SlowTexts(SqliteDatabase):
    """Has no time for a scan of the long texts."""

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        if "AS said" in sql and "bodytext" in sql:
            raise StatementTimeout("statement ended at its limit")
        return super().rows(sql, parameters)


def test_titles_and_headers_are_searched_instead_with_all_words(tmp_path: Path) -> None:
    pages = [
        page(1, "Home", pid=0, slug="/", is_siteroot=1),
        page(2, "Bulky waste"),
        page(3, "Dates"),
        page(4, "Letters"),
    ]
    content = [
        element(20, 2, "Ring us."),
        element(30, 3, "In May.", header="Bulky waste, waste paper"),
        element(40, 4, "Nothing about bulky waste."),
    ]
    database = SlowTexts(
        write_sqlite(tmp_path / "site.sqlite", {"pages": pages, "tt_content": content})
    )
    answer = BACKEND.build(resources(database)).search(RetrievalQuery.of("bulky waste"), ACCESS)
    database.close()
    assert {source.page_uid for source in answer.sources} == {2, 3}
    assert answer.notes == ("The search took too long; only titles and headers were searched.",)
