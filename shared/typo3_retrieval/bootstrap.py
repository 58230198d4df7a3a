"""The composition root: from settings to the built system. The only module that knows all others.

What is heavy is imported where it is used: the authorizer comes through here too, and must not
load a search backend, nor anyone a driver that is not configured.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.core.errors import (
    BackendUnavailable,
    ConfigurationError,
    RetrievalError,
)
from typo3_retrieval.core.secrets import (
    MAX_AGE,
    REFUSED,
    Credentials,
    DatabaseAddress,
    SecretReference,
    SecretSource,
    TokenKeys,
    encryption_key,
)
from typo3_retrieval.edge import settings as variables
from typo3_retrieval.edge.settings import MysqlUrl, S3Url, Settings, SqliteUrl, missing

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from typo3_retrieval.adapters.s3_sites import S3Sites
    from typo3_retrieval.edge.authorizer import Authorizer, Users
    from typo3_retrieval.edge.services import Services
    from typo3_retrieval.plugin import Registration
    from typo3_retrieval.typo3.database import Database
    from typo3_retrieval.typo3.routing import Router
    from typo3_retrieval.typo3.sites import Sites

log = logging.getLogger(__name__)

Now = Callable[[], int]  # UNIX epoch, seconds

MYSQL_PORT = 3306
SITES_SECONDS = 2.0  # that a request may wait for changed sites
SITES_PAUSE = 60.0  # seconds after S3 kept a request waiting for nothing


def epoch() -> int:
    """The time as TYPO3 counts it: UNIX epoch, whole seconds."""
    return int(time.time())


@cache
def services() -> "Services":
    """The search services of this execution environment, built at the first call.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    settings = Settings.from_environment(os.environ)
    if isinstance(settings.sites, S3Url):
        return renewed_services(settings, settings.sites)
    return build_services(settings)


@cache
def authorizer() -> "Authorizer":
    """The authorizer of this execution environment, built at the first call.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    return build_authorizer(Settings.from_environment(os.environ))


@cache
def users() -> "Users":
    """Who is an active backend user, for an entrance whose callers carry no token.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    return _users(Settings.from_environment(os.environ), Secrets(now=epoch), None, epoch)


def build_services(
    settings: Settings,
    *,
    secrets: SecretSource | None = None,
    sites: "Sites | None" = None,
    database: "Database | None" = None,
    backends: "Iterable[Registration] | None" = None,
    now: Now = epoch,
) -> "Services":
    """Build the search services. Tests come in here.

    Args:
        settings: what the operator says.
        secrets: default by the settings' references.
        sites: default those in the settings' folder.
        database: default the settings' one.
        backends: default our own and those of installed packages.
        now: UNIX epoch, seconds.

    Raises:
        ConfigurationError: a setting is missing or wrong.
        BackendUnavailable: a secret is needed at once, and its store does not answer.
    """
    from typo3_retrieval.core.cascade import Cascade
    from typo3_retrieval.core.keyword_search import KeywordSearch
    from typo3_retrieval.core.turns import Turns
    from typo3_retrieval.edge.services import Services
    from typo3_retrieval.plugin import Resources
    from typo3_retrieval.typo3.page_text import PrintedContent
    from typo3_retrieval.typo3.public_pages import PublicPages

    secrets = secrets or Secrets(now=now)
    sites = _sites(settings) if sites is None else sites
    database = _database(settings, secrets) if database is None else database
    router = public_pages = None
    if database is not None:
        router = _router(settings, secrets, sites, database, now)
        public_pages = PublicPages(
            database=database,
            sites=sites,
            router=router,
            now=now,
            printed=PrintedContent(
                columns=settings.content_columns,
                more_types=settings.content_types,
                more_fields=settings.content_fields,
            ),
            typo3_version=settings.typo3_version,
        )
    registrations, notes = _chosen(settings, backends)
    built = [
        (
            registration.priority,
            registration.build(
                Resources(
                    sites=sites,
                    database=database,
                    public_pages=public_pages,
                    now=now,
                    options=settings.options_of(registration.name),
                    secret=_secret(settings, secrets, registration.name),
                )
            ),
        )
        for registration in registrations
    ]
    notes = (*sites.notes, *notes)
    seconds = settings.deadline_seconds
    turns = Turns(cool_down=settings.cool_down_seconds)
    kind: Callable[..., Cascade] = Cascade
    if settings.answer_cache_seconds:
        from typo3_retrieval.core.answer_cache import RememberingCascade

        kind = partial(RememberingCascade, seconds_remembered=settings.answer_cache_seconds)
    cascade = kind((backend for _, backend in built), notes=notes, seconds=seconds, turns=turns)
    index_backed = kind(
        (backend for priority, backend in built if priority > 0),
        notes=notes,
        seconds=seconds,
        turns=turns,  # what failed in one cascade rests in the other
    )
    return Services(
        settings=settings,
        now=now,
        sites=sites,
        cascade=cascade,
        keyword_search=KeywordSearch(cascade),
        index_backed_keyword_search=KeywordSearch(index_backed),
        database=database,
        public_pages=public_pages,
        router=router,
    )


def build_authorizer(
    settings: Settings,
    *,
    secrets: SecretSource | None = None,
    database: "Database | None" = None,
    now: Now = epoch,
) -> "Authorizer":
    """Build the authorizer. Tests come in here.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    from typo3_retrieval.edge.authorizer import Authorizer

    source = secrets or Secrets(now=now)
    try:
        token_keys(settings, source)  # now, so that a wrong secret stops the start
    except BackendUnavailable as error:
        log.warning("%s", error)  # it may pass; until then nobody gets in
    return Authorizer(
        keys=lambda max_age: token_keys(settings, source, max_age=max_age),
        users=_users(settings, source, database, now),
        now=now,
    )


def token_keys(settings: Settings, secrets: SecretSource, *, max_age: int = MAX_AGE) -> TokenKeys:
    """Read the keys that sign and verify tokens.

    Raises:
        ConfigurationError: the setting is missing, the secret is no such keys, or what their
            algorithm needs is not installed.
        BackendUnavailable: the secret store does not answer.
    """
    reference = settings.token_secret
    if reference is None:
        raise missing(variables.TOKEN_SECRET, "the secret with the keys that sign tokens")
    document = secrets.read(reference, max_age=max_age)
    keys = TokenKeys.of(document, reference.setting, settings.token_algorithm)
    if keys.algorithm != "HS256":
        from typo3_retrieval.edge.jwks import check  # needs cryptography

        check(keys)
    return keys


def _users(
    settings: Settings, secrets: SecretSource, database: "Database | None", now: Now
) -> "Users":
    from typo3_retrieval.edge.authorizer import EveryTokenHolder

    if settings.backend_users == "token":
        return EveryTokenHolder()
    from typo3_retrieval.typo3.backend_users import BackendUsers

    database = _database(settings, secrets) if database is None else database
    if database is None:
        raise missing(
            variables.DATABASE_URL,
            f"TYPO3's database, where backend users are looked up, "
            f"or {variables.BACKEND_USERS} must be token",
        )
    return BackendUsers(database, now=now)


def renewed_services(settings: Settings, url: S3Url, *, now: Now = epoch) -> "Services":
    """Services that are built again when their sites on S3 change; the connections stay.

    Raises:
        ConfigurationError: a setting is missing or wrong, or the sites cannot be had.
    """
    from dataclasses import replace

    from typo3_retrieval.core.turns import Turns

    secrets = Secrets(now=now)
    source = _s3_sites(settings, url, now)
    turns = Turns(cool_down=SITES_PAUSE)  # a request does not wait for a hanging S3

    latest = build_services(settings, secrets=secrets, sites=source.read(), now=now)

    def renew() -> "Services":
        nonlocal latest
        if source.is_due():
            try:
                sites = turns.take("sites", source.changed, seconds=SITES_SECONDS)
                if sites is not None:
                    services = build_services(
                        settings,
                        secrets=secrets,
                        sites=sites,
                        database=latest.database,
                        now=now,
                    )
                    latest = replace(services, renew=renew)
            except RetrievalError as error:
                log.error("the sites are not refreshed, the last good ones stay: %s", error)
        return latest

    latest = replace(latest, renew=renew)
    return latest


def _s3_sites(settings: Settings, url: S3Url, now: Now) -> "S3Sites":
    from typo3_retrieval.adapters.s3_sites import S3Folder, S3Sites, parser

    return S3Sites(
        S3Folder(bucket=url.bucket, prefix=url.prefix),
        parse=parser(context=settings.context, environment=settings.environment),
        now=now,
    )


def _sites(settings: Settings) -> "Sites":
    from typo3_retrieval.adapters.site_files import read_sites

    if settings.sites is None:
        raise missing(variables.SITES, "a folder that holds <identifier>/config.yaml")
    if isinstance(settings.sites, S3Url):
        return _s3_sites(settings, settings.sites, epoch).read()
    return read_sites(settings.sites, context=settings.context, environment=settings.environment)


def _database(settings: Settings, secrets: SecretSource) -> "Database | None":
    """The configured database; only its own driver is imported."""
    if isinstance(settings.database, SqliteUrl):
        from typo3_retrieval.adapters.sqlite import SqliteDatabase

        return SqliteDatabase(settings.database.path)
    if isinstance(settings.database, MysqlUrl) and settings.database_secret is not None:
        from typo3_retrieval.adapters.mysql import MysqlDatabase

        reference = settings.database_secret
        host, port, name = _address(settings.database, secrets, reference)
        return MysqlDatabase(
            host=host, port=port, name=name, credentials=_credentials(secrets, reference)
        )
    return None


def _address(
    url: MysqlUrl, secrets: SecretSource, reference: SecretReference
) -> tuple[str, int, str]:
    """Host, port and name: the URL's, and what it leaves out the secret's.

    Reading the secret now also makes a wrong one stop the start.
    """
    try:
        document = secrets.read(reference)
    except BackendUnavailable as error:
        if url.host is None or url.name is None:
            raise
        log.warning("%s", error)  # it may pass until the first statement
        return url.host, url.port or MYSQL_PORT, url.name
    Credentials.of(document, reference.setting)
    address = DatabaseAddress.of(document, reference.setting)
    host, name = url.host or address.host, url.name or address.name
    if host is None or name is None:
        raise ConfigurationError(
            f"{variables.DATABASE_URL} names no host or no database, and neither does the secret "
            f"of {reference.setting}: it must be mysql://host:port/name."
        )
    return host, url.port or address.port or MYSQL_PORT, name


def _credentials(
    secrets: SecretSource, reference: SecretReference
) -> Callable[[bool], Credentials]:
    def credentials(refresh: bool) -> Credentials:
        try:
            document = secrets.read(reference, max_age=REFUSED if refresh else MAX_AGE)
            return Credentials.of(document, reference.setting)
        except ConfigurationError as error:  # it was right at the start: a backend's failure now
            raise BackendUnavailable(str(error), reason="secret not readable") from error

    return credentials


def _secret(
    settings: Settings, secrets: SecretSource, backend: str
) -> "Callable[[bool], Mapping[str, object]] | None":
    """Reads the secret that RETRIEVAL_<BACKEND>_SECRET names; None when nothing does."""
    reference = settings.secret_of(backend)
    if reference is None:
        return None
    return lambda refresh: secrets.read(reference, max_age=REFUSED if refresh else MAX_AGE)


def _router(
    settings: Settings, secrets: SecretSource, sites: "Sites", database: "Database", now: Now
) -> "Router":
    from typo3_retrieval.typo3.routing import Router, RoutingSettings

    reference = settings.typo3_secret
    key = "" if reference is None else encryption_key(secrets.read(reference), reference.setting)
    routing = RoutingSettings(
        encryption_key=key,
        typo3_version=settings.typo3_version,
        chash_excluded=settings.chash_excluded,
    )
    return Router(sites, database, routing, now=now)


def _chosen(
    settings: Settings, backends: "Iterable[Registration] | None"
) -> "tuple[tuple[Registration, ...], tuple[str, ...]]":
    """The backends that take part, first asked first, and notes on those that cannot.

    Raises:
        ConfigurationError: RETRIEVAL_BACKENDS names one that is not installed.
    """
    from importlib.metadata import entry_points

    from typo3_retrieval.plugin import ENTRY_POINT_GROUP, in_order

    wanted = settings.backends
    registrations = list(_built_in() if backends is None else backends)
    strangers = entry_points(group=ENTRY_POINT_GROUP) if backends is None else ()
    known = {each.name for each in registrations} | {each.name for each in strangers}
    unknown = sorted(set(wanted or ()) - known)
    if unknown:
        raise ConfigurationError(
            f"{variables.BACKENDS} names {', '.join(unknown)}, which is not installed. "
            f"It must be a comma list of: {', '.join(sorted(known))}."
        )
    notes = []
    for entry_point in strangers:
        if wanted is None or entry_point.name in wanted:
            registration = _loaded(entry_point)
            if registration is None:
                notes.append(f'Backend "{entry_point.name}" could not be loaded.')
            else:
                registrations.append(registration)
    taking_part = (each for each in registrations if wanted is None or each.name in wanted)
    return in_order(taking_part), tuple(notes)


def _built_in() -> "tuple[Registration, ...]":
    """Our own. The layer has no metadata of this package, so entry points would not find them."""
    from typo3_retrieval.backends import database, indexed_search, ke_search, solr

    return (solr.BACKEND, ke_search.BACKEND, indexed_search.BACKEND, database.BACKEND)


def _loaded(entry_point: "EntryPoint") -> "Registration | None":
    """A stranger's registration; None when it cannot be had: the others still answer."""
    from typo3_retrieval.plugin import Registration

    try:
        registration = entry_point.load()
    except Exception:
        log.exception("backend %s could not be loaded", entry_point.name)
        return None
    if not isinstance(registration, Registration) or registration.name != entry_point.name:
        log.error(
            "backend %s: %s must be a Registration of that name",
            entry_point.name,
            entry_point.value,
        )
        return None
    return registration
