"""The tables of the made sites, in the DDL of SQLite and of MariaDB.

Types and keys are those of TYPO3 13 and of the extensions, reduced to the columns that are read.
Keys are made after loading, which is faster.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from typo3_retrieval.typo3.database import Dialect

Engine = Literal["innodb", "myisam"]

_LENGTH = re.compile(r"\(\d+\)")  # of a key over the beginning of a text
_NUMBER = "int unsigned NOT NULL DEFAULT 0"
_SIGNED = "int NOT NULL DEFAULT 0"
_SMALL = "smallint unsigned NOT NULL DEFAULT 0"
_STRING = "varchar(255) NOT NULL DEFAULT ''"
_HASH = "varchar(32) NOT NULL"
_TEXT = "mediumtext DEFAULT NULL"
_UID = "int NOT NULL PRIMARY KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    columns: Mapping[str, str]  # type by name, fit for both dialects
    primary: str = ""  # when it is more than one column
    keys: Mapping[str, str] = field(default_factory=dict)
    fulltext: Mapping[str, str] = field(default_factory=dict)  # MariaDB only


def _all(names: str, kind: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), kind)


_ENABLED = {
    **_all("pid tstamp deleted hidden starttime endtime", _NUMBER),
    "fe_group": "varchar(255) NOT NULL DEFAULT '0'",
    **_all("sorting sys_language_uid t3ver_state", _SIGNED),
    **_all("l10n_source t3ver_oid t3ver_wsid", _NUMBER),
}

TABLES: Mapping[str, Table] = {
    "pages": Table(
        columns={
            "uid": _UID,
            **_ENABLED,
            **_all("l10n_parent shortcut shortcut_mode content_from_pid mount_pid", _NUMBER),
            **_all("mount_pid_ol doktype extendToSubpages no_search is_siteroot", _NUMBER),
            **_all("l18n_cfg SYS_LASTCHANGED", _NUMBER),
            **_all("title nav_title subtitle url author author_email", _STRING),
            **_all("slug keywords description abstract", _TEXT),
        },
        keys={
            "pages_parent": "pid, deleted, hidden",
            "pages_translation": "l10n_parent, sys_language_uid",
            "pages_slug": "slug(127)",
        },
    ),
    "tt_content": Table(
        columns={
            "uid": _UID,
            **_ENABLED,
            **_all("l18n_parent colPos header_layout", _NUMBER),
            **_all("CType list_type header subheader", _STRING),
            **_all("bodytext header_link pi_flexform records", _TEXT),
        },
        keys={
            "content_parent": "pid, sorting",
            "content_translation": "l18n_parent, sys_language_uid",
        },
    ),
    "tx_kesearch_index": Table(
        columns={
            "uid": _UID,
            **_all("tstamp starttime endtime sortdate language", _SIGNED),
            "fe_group": "varchar(100) NOT NULL DEFAULT ''",
            "orig_uid": "varchar(255) NOT NULL DEFAULT '0'",
            **_all("targetpid title params type", "text DEFAULT NULL"),
            **_all("content hidden_content abstract", _TEXT),
        },
        fulltext={"titlecontent": "title, content"},
    ),
    "index_phash": Table(
        columns={
            "phash": f"{_HASH} PRIMARY KEY",
            "static_page_arguments": "blob DEFAULT NULL",
            "data_filename": "varchar(1024) NOT NULL DEFAULT ''",
            **_all("data_page_id data_page_type tstamp", _NUMBER),
            **_all("data_page_mp gr_list item_title", _STRING),
            "item_type": "varchar(5) NOT NULL DEFAULT '0'",
            **_all("item_mtime sys_language_uid externalUrl recordUid", _SIGNED),
        },
    ),
    "index_fulltext": Table(columns={"phash": f"{_HASH} PRIMARY KEY", "fulltextdata": _TEXT}),
    "index_rel": Table(
        columns={**_all("phash wid", _HASH), **_all("count freq flags", _SMALL)},
        primary="phash, wid",
        keys={"index_rel_wid": "wid, phash"},
    ),
    "index_words": Table(
        columns={
            "wid": f"{_HASH} PRIMARY KEY",
            "baseword": "varchar(60) NOT NULL DEFAULT ''",
            "is_stopword": _SMALL,
        },
        keys={"index_words_baseword": "baseword"},
    ),
    "index_grlist": Table(columns={"phash": _HASH, "gr_list": _STRING}),
    "index_section": Table(
        columns={"phash": _HASH, "page_id": _NUMBER}, keys={"index_section_page": "page_id"}
    ),
    "sys_file": Table(
        columns={
            "uid": _UID,
            **_all("storage missing", _NUMBER),
            "identifier": _TEXT,
            "identifier_hash": "varchar(40) NOT NULL DEFAULT ''",
        }
    ),
    "sys_file_storage": Table(
        columns={
            "uid": _UID,
            "driver": _STRING,
            **_all("is_public is_online deleted", _NUMBER),
            "configuration": _TEXT,
        }
    ),
}

# What a backend reads beside the pages and their content.
TABLES_OF: Mapping[str, Sequence[str]] = {
    "database": (),
    "ke_search": ("tx_kesearch_index", "sys_file", "sys_file_storage"),
    "indexed_search": (
        "index_phash",
        "index_fulltext",
        "index_rel",
        "index_words",
        "index_grlist",
        "index_section",
        "sys_file",
        "sys_file_storage",
    ),
}


def create_statement(name: str) -> str:
    """The table without its keys."""
    table = TABLES[name]
    columns = [f"{column} {kind}" for column, kind in table.columns.items()]
    if table.primary:
        columns.append(f"PRIMARY KEY ({table.primary})")
    return f"CREATE TABLE {name} ({', '.join(columns)})"


def key_statements(name: str, dialect: Dialect) -> list[str]:
    """What makes the keys of a loaded table."""
    table = TABLES[name]
    plain = dialect == "sqlite"  # it knows neither keys of beginnings nor FULLTEXT
    statements = [
        f"CREATE INDEX {key} ON {name} ({_LENGTH.sub('', columns) if plain else columns})"
        for key, columns in table.keys.items()
    ]
    if not plain:
        statements += [
            f"CREATE FULLTEXT INDEX {key} ON {name} ({columns})"
            for key, columns in table.fulltext.items()
        ]
    return statements
