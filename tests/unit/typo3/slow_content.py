"""The rules of TYPO3's content overlays once more, slow and plain: a second opinion for tests."""

from collections.abc import Sequence

from tests.unit.typo3.slow_visibility import Row, number, passes


class SlowContent:
    """All rows of `tt_content` of some pages that visitors may enter."""

    def __init__(self, rows: Sequence[Row], open_pages: Sequence[int], minute: int) -> None:
        self.rows = [row for row in rows if not number(row, "t3ver_wsid")]
        self.open_pages = open_pages
        self.minute = minute

    def translation(self, row: Row, language: int) -> Row | None:
        for each in sorted(self.rows, key=lambda each: number(each, "uid")):
            if (
                number(each, "l18n_parent") == number(row, "uid")
                and number(each, "pid") == number(row, "pid")
                and number(each, "sys_language_uid") == language
                and passes(each, self.minute)
            ):
                return each
        return None

    def in_language(self, row: Row, language: int, mode: str) -> Row | None:
        own = number(row, "sys_language_uid")
        if mode == "free" or own == -1 or own == language:
            return row
        if own > 0:
            return None
        translated = self.translation(row, language)
        if translated is not None:
            return translated
        return row if mode == "fallback" else None

    def is_asked_for(self, row: Row, language: int, mode: str) -> bool:
        own = number(row, "sys_language_uid")
        if own == -1:
            return True
        if mode == "free":
            return own == language
        if own == 0:
            return True
        return mode == "strict" and own == language and number(row, "l18n_parent") == 0

    def named(self, row: Row, language: int, mode: str, trail: list[int]) -> list[int]:
        """The uids that are shown in place of one row."""
        if row["CType"] != "shortcut":
            return [number(row, "uid")]
        shown = []
        for uid in str(row["records"] or "").split(","):
            for each in self.rows:
                if (
                    str(each["uid"]) == uid
                    and number(each, "uid") not in trail
                    and passes(each, self.minute)
                    and number(each, "pid") in self.open_pages
                ):
                    translated = self.in_language(each, language, mode)
                    if translated is not None:
                        deeper = [*trail, number(each, "uid")]
                        shown += self.named(translated, language, mode, deeper)
        return shown

    def on_page(self, page: int, language: int, mode: str) -> list[int]:
        """The uids of the rows that are shown, in page order."""
        candidates = [
            row
            for row in self.rows
            if number(row, "pid") == page
            and number(row, "colPos") == 0
            and passes(row, self.minute)
            and self.is_asked_for(row, language, mode)
        ]
        candidates.sort(key=lambda row: (number(row, "sorting"), number(row, "uid")))
        shown = []
        for row in candidates:
            translated = self.in_language(row, language, mode)
            if translated is not None:
                shown += self.named(translated, language, mode, [])
        return shown
