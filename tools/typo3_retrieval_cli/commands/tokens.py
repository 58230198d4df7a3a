"""token mint, token check, token new-key, token public-keys: tokens of backend users."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from typo3_retrieval_cli.options import Json, system_of
from typo3_retrieval_cli.output import FAILED, WRONG_USAGE, fail, show, tell, write_json

if TYPE_CHECKING:
    from typo3_retrieval.core.secrets import Algorithm

app = typer.Typer(no_args_is_help=True, help="Make and check the tokens of backend users.")

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_LIFETIME = re.compile(r"([0-9]{1,6})([smh]?)")
_KEY_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


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


@app.command("new-key")
def new_key(
    context: typer.Context,
    add_to: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Secret that gets the key; - reads it from stdin."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Key to remove from it.")
    ] = None,
    kid: Annotated[
        str | None, typer.Option("--id", metavar="ID", show_default="date and time")
    ] = None,
    algorithm: Annotated[str, typer.Option(help="HS256, ES256 or RS256.")] = "HS256",
    as_json: Json = False,
) -> None:
    """Make a key that signs tokens from now on; those that are there still verify.

    Prints the secret, unless it is in a file: then only the new key's id.
    """
    from typo3_retrieval_cli import token_keys

    wanted = _algorithm(algorithm)
    kid = kid or datetime.fromtimestamp(system_of(context).now(), UTC).strftime("%Y-%m-%d-%H%M%S")
    if not _KEY_ID.fullmatch(kid):
        raise typer.BadParameter("A key's id is 1 to 64 of A-Z a-z 0-9 _ . -")
    if add_to is None:
        write_json(token_keys.new_secret(wanted, kid))
        return
    path = None if add_to == "-" else Path(add_to)
    try:
        old = token_keys.read(path.read_text() if path else sys.stdin.read())
        secret = token_keys.with_new_key(old, wanted, kid, drop=drop or ())
        if path:
            token_keys.write(path, secret)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        fail(f"{add_to}: {reason}.", WRONG_USAGE, json_wanted=as_json)
    except token_keys.NoSecret as error:
        fail(f"{add_to}: {error}.", WRONG_USAGE, json_wanted=as_json)
    if not path:
        write_json(secret)
    elif as_json:
        write_json({"active": kid, "keys": token_keys.ids(secret)})
    else:
        typer.echo(kid)
        tell(f"{kid} signs; {add_to} holds {', '.join(token_keys.ids(secret))}.", style="dim")


@app.command("public-keys")
def public_keys(context: typer.Context) -> None:
    """Print the public part of the keys of ES256 or RS256: all that an authorizer needs."""
    keys = system_of(context).token_keys()
    if keys.algorithm == "HS256":
        fail("HS256 has no public keys: what verifies signs, too.", FAILED)
    from typo3_retrieval.edge.jwks import public_part

    write_json(
        {
            "keys": [
                {**public_part(key), "kid": kid, "use": "sig", "alg": keys.algorithm}
                for kid, key in keys.keys.items()
            ]
        }
    )


def _algorithm(name: str) -> "Algorithm":
    if name not in ("HS256", "ES256", "RS256"):
        raise typer.BadParameter("The algorithm is HS256, ES256 or RS256.")
    return cast("Algorithm", name)


def _time(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
