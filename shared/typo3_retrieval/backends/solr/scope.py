"""Which documents of a core belong to the sites that are asked."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from typo3_retrieval.typo3.sites import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The sites whose documents are wanted, among all that are configured."""

    sites: Collection[Site]
    others: Collection[Site]

    @classmethod
    def of(cls, wanted: Collection[Site], all_sites: Iterable[Site]) -> Self:
        """*wanted*, and the others of *all_sites*."""
        names = {site.identifier for site in wanted}
        others = [site for site in all_sites if site.identifier not in names]
        return cls(sites=wanted, others=others)

    def filter(self) -> str:
        """A filter query for a core that may hold other sites' documents as well.

        The root page in a page's rootline separates sites; `site` and `siteHash` are equal for
        all sites of one host. Records have no rootline, and that of a page below an inner site
        root begins there: for them the filter is by `site`, a host or an identifier, and the
        document's URL or the live tables decide later.
        """
        names = sorted(frozenset[str]().union(*map(site_names, self.sites)))
        quoted = " OR ".join(f'"{_escaped(name)}"' for name in names)
        elsewhere = f" -rootline:({_roots(self.others)})" if self.others else ""
        return f"rootline:({_roots(self.sites)}) OR (+site:({quoted}){elsewhere})"


def _roots(sites: Iterable[Site]) -> str:
    return " OR ".join(f'"0-{site.root_page_uid}/"' for site in sites)


def site_names(site: Site) -> frozenset[str]:
    """What a document's `site` can be for *site*: its identifier, or one of its hosts."""
    bases = (site.base, *(language.base for language in site.languages))
    hosts = (urlsplit(base).hostname for base in bases)
    return frozenset({site.identifier, *filter(None, hosts)})


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
