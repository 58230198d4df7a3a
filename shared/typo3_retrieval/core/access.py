"""Who asks, and what may be shown to him: today always what an anonymous visitor sees."""

from dataclasses import dataclass, field
from typing import Self

# TYPO3's groups of a visitor without login: 0 "everyone" and -1 "hide at login".
ANONYMOUS_GROUPS = (0, -1)


@dataclass(frozen=True, slots=True)
class BackendUser:
    """The backend user on whose behalf a request is made; an entrance has verified it."""

    subject: str  # uid of the be_users row, or "_cli_" for the operator's own command line

    def __post_init__(self) -> None:
        if not self.subject:
            raise ValueError("A backend user needs a subject.")


@dataclass(frozen=True, slots=True)
class AccessContext:
    """The right to read, which travels through cascade and backends.

    It cannot be made without an acting backend user, and nothing in the system widens
    `frontend_groups`: evidence is public or it is not served.
    """

    acting_user: BackendUser
    frontend_groups: tuple[int, ...] = field(default=ANONYMOUS_GROUPS, init=False)

    def __post_init__(self) -> None:
        # Types are checked before it runs; an entrance of somebody else's may not have been.
        if not isinstance(self.acting_user, BackendUser):
            raise TypeError("An AccessContext needs an acting backend user.")

    @classmethod
    def public_only(cls, acting_user: BackendUser) -> Self:
        """Let *acting_user* read what an anonymous visitor of the site reads."""
        return cls(acting_user)


def demand(access: object) -> None:
    """Stop whoever comes to the cascade without the right to read.

    Raises:
        TypeError: *access* is no `AccessContext`. A fault of the entrance, not of the caller.
    """
    if not isinstance(access, AccessContext):
        raise TypeError("Nothing is searched or read without an AccessContext.")
