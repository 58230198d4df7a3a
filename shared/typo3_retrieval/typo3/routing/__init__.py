"""From a page to its URL and back, by TYPO3's rules, without TYPO3.

`patterns` parses, builds and matches route paths, `aspects` map single values, `enhancers` turn
arguments into path segments, `slugs` finds the page's own path, `router` puts a URL together, and
`matching` reads one.
"""

from typo3_retrieval.typo3.routing.model import BuiltUrl as BuiltUrl
from typo3_retrieval.typo3.routing.model import RoutingError as RoutingError
from typo3_retrieval.typo3.routing.model import RoutingSettings as RoutingSettings
from typo3_retrieval.typo3.routing.model import UrlRequest as UrlRequest
from typo3_retrieval.typo3.routing.router import Router as Router
