"""sites check, sites push: the sites' configuration for the deployed functions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typo3_retrieval_cli.options import system_of
from typo3_retrieval_cli.output import show, tell

if TYPE_CHECKING:
    from typo3_retrieval.adapters.s3_sites import Parse
    from typo3_retrieval_cli.system import System

app = typer.Typer(no_args_is_help=True, help="The sites' configuration of the deployed functions.")

Folder = Annotated[
    Path,
    typer.Argument(
        help="Holds <identifier>/config.yaml, as TYPO3's config/sites does.",
        exists=True,
        file_okay=False,
    ),
]


@app.command()
def check(context: typer.Context, folder: Folder) -> None:
    """Read every site in FOLDER and say what is wrong with it."""
    from typo3_retrieval.core.errors import ConfigurationError

    sites = _parse(system_of(context))(folder)
    for site in sites:
        languages = ", ".join(each.code or str(each.language_id) for each in site.languages)
        show(f"{site.identifier}: {site.base} ({languages})")
    if sites.notes:
        raise ConfigurationError(" ".join(sites.notes))


@app.command()
def push(
    context: typer.Context,
    folder: Folder,
    to: Annotated[
        str | None,
        typer.Option(metavar="S3URL", help="s3://bucket/prefix", show_default="RETRIEVAL_SITES"),
    ] = None,
) -> None:
    """Upload the sites in FOLDER to S3, once all of them can be read; remove what is not in it.

    The deployed functions see the change within a minute.
    """
    from typo3_retrieval.adapters.s3_sites import S3Folder, boto3_client
    from typo3_retrieval.adapters.s3_sites import push as upload
    from typo3_retrieval.edge.settings import SITES, missing, s3_folder

    system = system_of(context)
    address = to or system.environment.get(SITES, "")
    if not address.startswith("s3://"):
        raise missing(SITES, "s3://bucket/prefix, or --to must say it")
    url = s3_folder("--to" if to else SITES, address)
    target = S3Folder(bucket=url.bucket, prefix=url.prefix)
    changes = list(upload(folder, target, boto3_client(), _parse(system)))
    for change in changes:
        show(change)
    if not changes:
        tell(f"{target} is up to date.")


def _parse(system: "System") -> "Parse":
    from typo3_retrieval.adapters.s3_sites import parser
    from typo3_retrieval.edge.settings import CONTEXT, Settings

    settings = Settings.from_environment(
        {CONTEXT: system.environment.get(CONTEXT, "")}  # the others may be wrong on this machine
    )
    return parser(context=settings.context, environment=system.environment)
