"""The pages of one site, as a common table expression: for statements that search one site."""

from typo3_retrieval.typo3.database import Parameter
from typo3_retrieval.typo3.sites import Site, Sites


def site_tree(site: Site, sites: Sites) -> tuple[str, dict[str, Parameter]]:
    """``tree (uid)``, to follow ``WITH RECURSIVE``, and its parameters.

    Hidden pages are kept, their subpages may be visible. Sites within the site are left out:
    a page belongs to the nearest root above it.
    """
    roots = [each.root_page_uid for each in sites if each is not site]
    return _TREE, {"tree_root": site.root_page_uid, "tree_other_roots": roots}


# UNION, which drops what it has seen, ends cycles.
_TREE = """tree (uid) AS (
    SELECT uid FROM pages WHERE uid = %(tree_root)s
    UNION
    SELECT p.uid FROM pages p JOIN tree ON p.pid = tree.uid
    WHERE p.sys_language_uid = 0
      AND (p.uid IN %(tree_other_roots)s) IS NOT TRUE
)"""
