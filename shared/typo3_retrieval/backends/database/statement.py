"""The SQL that finds candidates, for one dialect and the columns that a TYPO3 has."""

from collections.abc import Mapping, Sequence

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.enable_fields import enable_fields_sql
from typo3_retrieval.typo3.visibility import BACKEND_SECTION, FOLDER, SPACER
from typo3_retrieval.typo3.word_classes import WordMasks, classes_sql


class Statement:
    """Writes the statement of `find_candidates`.

    Names in it come from constants and from options that were checked to be column names;
    every value is a parameter.
    """

    def __init__(self, database: Database, terms: Sequence[Term]) -> None:
        self._dialect = database.dialect
        self._masks = WordMasks(database.dialect, terms)
        self._pages = database.columns("pages")
        self._content = database.columns("tt_content")

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What the terms' placeholders stand for."""
        return self._masks.parameters

    def text(
        self, page_fields: Sequence[str], content_fields: Sequence[str], *, within_tree: bool
    ) -> str:
        """The statement, whose rows are pages with the class that they belong to."""
        tree = f"tree (uid) AS ({_TREE}), " if within_tree else ""
        below = "AND page_uid IN (SELECT uid FROM tree)" if within_tree else ""
        masks = self._masks
        return f"""
            WITH RECURSIVE closed (uid, inherited) AS ({self._closed()}), {tree}
            inserted (page_uid, item, rest) AS ({self._inserted()}),
            borrowed (source, page_uid) AS ({self._borrowed()}),
            elsewhere (element, page_uid) AS ({self._elsewhere()}),
            said AS (
                SELECT page_uid, {masks.mask("hay")} AS said, {masks.mask("titles")} AS titled
                FROM (
                    SELECT CASE WHEN t.sys_language_uid > 0 THEN t.l10n_parent ELSE t.uid END
                               AS page_uid,
                           {self._haystack(page_fields, self._pages)} AS hay,
                           {self._haystack(("title",), self._pages)} AS titles
                    FROM pages t
                    WHERE {enable_fields_sql("t", self._pages, for_table="pages")}
                      AND t.sys_language_uid IN %(languages)s
                    LIMIT 1000000000
                ) page_rows
                UNION ALL
                SELECT COALESCE(elsewhere.page_uid, borrowed.page_uid, elements.page_uid),
                       elements.said, 0
                FROM (
                    SELECT page_uid, element, {masks.mask("hay")} AS said
                    FROM (
                        SELECT t.pid AS page_uid,
                               CASE WHEN t.l18n_parent > 0 THEN t.l18n_parent ELSE t.uid END
                                   AS element,
                               {self._haystack(content_fields, self._content)} AS hay
                        FROM tt_content t
                        WHERE {enable_fields_sql("t", self._content, for_table="tt_content")}
                          AND t.sys_language_uid IN %(content_languages)s
                        LIMIT 1000000000
                    ) content_rows
                ) elements
                LEFT JOIN elsewhere ON elsewhere.element = elements.element
                LEFT JOIN borrowed ON borrowed.source = elements.page_uid
                WHERE elements.said <> 0
            ), joined AS (
                SELECT page_uid AS id, BIT_OR(said) AS said, BIT_OR(titled) AS titled
                FROM said
                WHERE page_uid NOT IN (SELECT uid FROM closed) {below}
                GROUP BY page_uid
            )
            {classes_sql("joined")}
        """  # noqa: S608  # see the class: only column names are interpolated

    def _closed(self) -> str:
        """Pages that no search shows. Without them they would crowd the others out.

        They need not be all: what is found is judged by the rules themselves.
        """
        opened = enable_fields_sql("p", self._pages, for_table="pages")
        unsearchable = "OR p.no_search <> 0" if "no_search" in self._pages else ""
        return f"""
                SELECT p.uid,
                       CASE WHEN p.doktype = {BACKEND_SECTION}
                              OR (p.deleted <> 0 OR p.extendToSubpages <> 0)
                                 AND NOT ({opened})
                            THEN 1 ELSE 0 END
                FROM pages p
                WHERE p.sys_language_uid = 0
                  AND (NOT ({opened}) {unsearchable}
                       OR p.doktype IN ({BACKEND_SECTION}, {SPACER}, {FOLDER}))
                UNION
                SELECT p.uid, 1 FROM closed JOIN pages p ON p.pid = closed.uid
                WHERE closed.inherited = 1 AND p.sys_language_uid = 0
        """  # noqa: S608  # see the class

    def _inserted(self) -> str:
        """The items of "insert records" elements, one row each: a comma list, taken apart."""
        visible = enable_fields_sql("s", self._content, for_table="tt_content")
        # The first row of a recursion decides how long its texts may be.
        return f"""
                SELECT s.pid, CAST('' AS CHAR(255)), {self._joined("s.records", "','")}
                FROM tt_content s
                WHERE s.CType = 'shortcut' AND s.records <> '' AND {visible}
                UNION ALL
                SELECT page_uid, SUBSTR(rest, 1, INSTR(rest, ',') - 1),
                       SUBSTR(rest, INSTR(rest, ',') + 1)
                FROM inserted WHERE rest <> ''
        """  # noqa: S608  # see the class

    def _borrowed(self) -> str:
        """Pages that show the content of another one: each of these, and that one itself."""
        borrows = "WHERE content_from_pid > 0 AND sys_language_uid = 0"
        if "content_from_pid" not in self._pages:
            borrows = "WHERE 1 = 0"
        return f"""
                SELECT content_from_pid, uid FROM pages {borrows}
                UNION
                SELECT content_from_pid, content_from_pid FROM pages {borrows}
        """  # noqa: S608  # see the class

    def _elsewhere(self) -> str:
        """Elements that are inserted on other pages: each of these, and where they show anyway."""
        number = "UNSIGNED" if self._dialect == "mysql" else "INTEGER"
        uid = f"CAST(REPLACE(TRIM(item), 'tt_content_', '') AS {number})"
        return f"""
                SELECT {uid}, page_uid FROM inserted WHERE item <> ''
                UNION
                SELECT o.uid, COALESCE(borrowed.page_uid, o.pid)
                FROM inserted JOIN tt_content o ON o.uid = {uid}
                LEFT JOIN borrowed ON borrowed.source = o.pid
                WHERE item <> ''
        """  # noqa: S608  # see the class

    def _haystack(self, fields: Sequence[str], there: frozenset[str]) -> str:
        """The lower-cased text of the fields that the table has."""
        return self._masks.haystack([f"t.{field}" for field in fields if field in there])

    def _joined(self, *texts: str) -> str:
        if self._dialect == "mysql":
            return f"CONCAT({', '.join(texts)})"
        return " || ".join(texts)


# Hidden pages are kept: their subpages may be visible. UNION ends cycles.
_TREE = """
    SELECT uid FROM pages WHERE uid = %(root)s
    UNION
    SELECT p.uid FROM pages p JOIN tree ON p.pid = tree.uid WHERE p.sys_language_uid = 0
"""
