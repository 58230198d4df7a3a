"""The rules of page visibility once more: slow, plain, and without a line of the package's rules.

Written from the description of TYPO3's behaviour, as a second opinion for property tests. It reads
rows as dictionaries and asks one question after the other.
"""

from collections.abc import Mapping, Sequence

Row = Mapping[str, object]


def number(row: Row, name: str) -> int:
    return int(str(row.get(name, 0)))


def passes_switches(row: Row, minute: int) -> bool:
    if number(row, "deleted") == 1 or number(row, "hidden") == 1:
        return False
    if number(row, "starttime") > minute:
        return False
    return not 0 < number(row, "endtime") <= minute


def passes_groups(row: Row) -> bool:
    groups = str(row.get("fe_group", "0"))
    if groups == "":
        return True
    return any(group in ("0", "-1") for group in groups.split(","))


def passes(row: Row, minute: int) -> bool:
    return passes_switches(row, minute) and passes_groups(row)


class SlowSite:
    """All rows of `pages` of an installation with one site, whose root is page 1."""

    def __init__(self, rows: Sequence[Row], languages: Mapping[int, tuple[int, ...]]) -> None:
        self.rows = rows
        self.languages = languages  # id of each enabled language: its fallbacks

    def row(self, uid: int) -> Row | None:
        for row in self.rows:
            if number(row, "uid") == uid:
                return row
        return None

    def way_up(self, row: Row) -> list[Row] | None:
        way = [row]
        while number(way[-1], "pid") != 0:
            above = self.row(number(way[-1], "pid"))
            if above is None or above in way:
                return None
            way.append(above)
        if any(number(each, "deleted") for each in way):
            return None
        return way

    def way_is_open(self, way: Sequence[Row], minute: int) -> bool:
        for each in way:
            if number(each, "doktype") == 6:
                return False
            if number(each, "extendToSubpages") and not passes(each, minute):
                return False
        return True

    def translation(self, row: Row, language: int, minute: int) -> Row | None:
        best = None
        for each in self.rows:
            if (
                number(each, "l10n_parent") == number(row, "uid")
                and number(each, "sys_language_uid") == language
                and passes_switches(each, minute)
                and (best is None or number(each, "uid") > number(best, "uid"))
            ):
                best = each
        return best

    def shown_row(self, row: Row, language: int, minute: int) -> Row:
        if language == 0:
            return row
        for candidate in [language, *self.languages[language]]:
            if candidate != 0:
                found = self.translation(row, candidate, minute)
                if found is not None:
                    return found
        return row

    def content_language(self, row: Row, language: int, minute: int) -> int | None:
        shown = number(self.shown_row(row, language, minute), "sys_language_uid")
        if shown == language:
            return language
        for candidate in self.languages[language]:
            if candidate == 0:
                return 0
            if candidate == shown:
                return candidate
        return None

    def may_enter(self, uid: int, minute: int) -> Row | None:
        row = self.row(uid)
        if row is not None and number(row, "sys_language_uid") > 0 and not number(row, "deleted"):
            row = self.row(number(row, "l10n_parent"))
        return row if row is not None and passes(row, minute) else None

    def content_page(self, uid: int, language: int, minute: int) -> Row | None:
        row = self.may_enter(uid, minute)
        steps = 0
        while row is not None and number(row, "doktype") == 4:
            steps += 1
            if steps == 20:
                return None
            shown = self.shown_row(row, language, minute)
            mode = number(shown, "shortcut_mode")
            if mode in (1, 2):
                return None
            if mode == 3:
                start = self.may_enter(number(shown, "shortcut") or number(row, "uid"), minute)
                row = self.may_enter(number(start, "pid"), minute) if start else None
            else:
                row = self.may_enter(number(shown, "shortcut"), minute)
        if row is not None and number(row, "doktype") == 7 and number(row, "mount_pid_ol"):
            row = self.may_enter(number(row, "mount_pid"), minute)
        if row is None or number(row, "doktype") in (199, 254):
            return None
        way = self.way_up(row)
        return row if way is not None and self.way_is_open(way, minute) else None

    def sees(self, uid: int, language: int, now: int) -> tuple[int, int, int] | None:
        """The uid of the shown row, of the content's page, and the content's language, or None."""
        minute = now // 60 * 60
        row = self.row(uid)
        if row is not None and number(row, "sys_language_uid") > 0 and not number(row, "deleted"):
            row = self.row(number(row, "l10n_parent"))
        if row is None or language not in self.languages or not self.enters(row, minute):
            return None
        shown = self.shown_row(row, language, minute)
        content_language = self.content_language(row, language, minute)
        if content_language is None:
            return None
        settings = number(row, "l18n_cfg")
        if settings in (2, 3) and number(shown, "sys_language_uid") != language:
            return None
        if settings in (1, 3) and content_language == 0:
            return None
        if number(shown, "doktype") == 3:
            return None
        content: Row | None = row
        if number(shown, "content_from_pid"):
            content = self.content_page(number(shown, "content_from_pid"), language, minute)
        if content is None:
            return None
        return number(shown, "uid"), number(content, "uid"), content_language

    def enters(self, row: Row, minute: int) -> bool:
        """Whether a visitor gets to this very page, in whatever language."""
        way = self.way_up(row)
        if way is None or not any(number(each, "uid") == 1 for each in way):
            return False
        if not passes(row, minute) or number(row, "doktype") in (4, 199, 254):
            return False
        if number(row, "doktype") == 7 and number(row, "mount_pid_ol"):
            return False
        return self.way_is_open(way, minute)
