"""What the commands work with, built from the environment at the first need.

Nothing here is imported before it is needed: ``--help`` must answer at once.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typo3_retrieval.core.errors import ConfigurationError
    from typo3_retrieval.core.secrets import TokenKeys
    from typo3_retrieval.edge.services import Services
    from typo3_retrieval.edge.settings import Settings
    from typo3_retrieval.typo3.public_pages import PublicPages
    from typo3_retrieval.typo3.routing import Router


def no_database() -> "ConfigurationError":
    """Say that a command needs the database."""
    from typo3_retrieval.edge import settings

    return settings.missing(
        settings.DATABASE_URL, "mysql://host:port/name or sqlite:///absolute/path"
    )


def _epoch() -> int:
    return int(time.time())


@dataclass(slots=True)
class System:
    """The system behind the commands. Tests hand in their own as the context's object.

    Args:
        environment: the variables of docs/settings.md.
        build: makes the services of given settings; default: the composition root.
        now: UNIX epoch, seconds.
        as_json: whether the running command was asked for JSON.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    build: "Callable[[Settings], Services] | None" = None
    now: Callable[[], int] = _epoch
    as_json: bool = False
    _built: "dict[str | None, Services]" = field(default_factory=dict)

    def services(self, backend: str | None = None) -> "Services":
        """The services, limited to one backend if it is named. Built once each.

        Raises:
            ConfigurationError: a setting is missing or wrong.
            BackendError: something that is needed to build them does not answer.
        """
        if backend not in self._built:
            settings = self.settings()
            if backend is not None:
                settings = replace(settings, backends=(backend,))
            self._built[backend] = self._build(settings)
        return self._built[backend]

    def close(self) -> None:
        """Close what was opened; what is asked for later is built anew."""
        for services in self._built.values():
            close = getattr(services.database, "close", None)  # not part of the port
            if close is not None:
                close()
        self._built.clear()

    def settings(self) -> "Settings":
        """The settings that the environment gives.

        Raises:
            ConfigurationError: one of them is wrong.
        """
        from typo3_retrieval.edge.settings import Settings

        return Settings.from_environment(self.environment)

    def public_pages(self) -> "PublicPages":
        """The live check of pages.

        Raises:
            ConfigurationError: there is no database.
        """
        pages = self.services().public_pages
        if pages is None:
            raise no_database()
        return pages

    def router(self) -> "Router":
        """What builds URLs.

        Raises:
            ConfigurationError: there is no database.
        """
        router = self.services().router
        if router is None:
            raise no_database()
        return router

    def token_keys(self) -> "TokenKeys":
        """The keys that sign and verify tokens.

        Raises:
            ConfigurationError: they are missing or wrong.
            BackendUnavailable: the secret store does not answer.
        """
        from typo3_retrieval.adapters.secrets import Secrets
        from typo3_retrieval.bootstrap import token_keys

        return token_keys(self.settings(), Secrets(now=self.now))

    def _build(self, settings: "Settings") -> "Services":
        if self.build is not None:
            return self.build(settings)
        from typo3_retrieval.bootstrap import build_services

        return build_services(settings, now=self.now)
