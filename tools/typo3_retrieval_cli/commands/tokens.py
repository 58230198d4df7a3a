"""token mint, token check: the tokens of backend users."""

import re
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from typo3_retrieval_cli.options import Json, system_of
from typo3_retrieval_cli.output import FAILED, fail, show, tell, write_json

app = typer.Typer(no_args_is_help=True, help="Make and check the tokens of backend users.")

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_LIFETIME = re.compile(r"([0-9]{1,6})([smh]?)")


def seconds(text: str) -> int:
    """Read a lifetime such as ``90``, ``90s``, ``15m`` or ``1h``.

    Raises:
        typer.BadParameter: it is none.
    """
    found = _LIFETIME.fullmatch(text)
    if not found:
        raise typer.BadParameter(f"{text!r} is no lifetime: write 90s, 15m or 1h.")
    return int(found[1]) * _UNITS[found[2]]


@app.command()
def mint(
    context: typer.Context,
    user: Annotated[int, typer.Option(metavar="UID", help="The be_users row.", min=1)],
    ttl: Annotated[str, typer.Option(metavar="TIME", help="Lifetime: 90s, 15m, 1h.")] = "1h",
    as_json: Json = False,
) -> None:
    """Make a token and print it. Whoever holds it may ask as this backend user."""
    from typo3_retrieval.edge import tokens

    system = system_of(context)
    now, lifetime = system.now(), seconds(ttl)
    token = tokens.mint(user, system.token_keys(), now=now, ttl=lifetime)
    if as_json:
        write_json({"token": token, "user": str(user), "expires": _time(now + lifetime)})
    else:
        typer.echo(token)  # alone on stdout, for $(…)
        tell(f"For backend user {user}, valid until {_time(now + lifetime)}.", style="dim")


@app.command()
def check(
    context: typer.Context,
    token: Annotated[str, typer.Argument(help="The token, or - to read it from stdin.")],
    as_json: Json = False,
) -> None:
    """Check a token's signature and times. The authorizer asks for its user, too."""
    from rich.text import Text

    from typo3_retrieval.edge import tokens

    system = system_of(context)
    text = sys.stdin.readline() if token == "-" else token  # noqa: S105  # not a password
    try:
        claims = tokens.verify(
            text.strip().removeprefix("Bearer "), system.token_keys(), now=system.now()
        )
    except tokens.InvalidToken as error:
        fail(f"The token is not valid: {error}.", FAILED, json_wanted=as_json)
    answer = {
        "valid": True,
        "user": claims.subject,
        "issued": _time(claims.issued_at),
        "expires": _time(claims.expires_at),
        "key": claims.key_id,
    }
    if as_json:
        write_json(answer)
    else:
        show(Text("valid", style="green"))
        show(Text(f"backend user {answer['user']}, until {answer['expires']}, key {answer['key']}"))


def _time(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
