"""Backend users: who is one, now."""

from collections.abc import Callable

from typo3_retrieval.typo3.database import Database

REMEMBERED = 60  # seconds that a positive answer stands; as long as API Gateway's own cache

# TYPO3's rule for a login: be_users with its enable columns disabled, starttime and endtime.
_ACTIVE = """
    SELECT uid FROM be_users
    WHERE uid = %(uid)s AND deleted = 0 AND disable = 0
        AND starttime <= %(now)s AND (endtime = 0 OR endtime > %(now)s)
"""


class BackendUsers:
    """Looks backend users up, and remembers for a minute whom it found.

    Args:
        database: TYPO3's tables.
        now: UNIX epoch, seconds.
    """

    def __init__(self, database: Database, *, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now
        self._active_until: dict[int, int] = {}  # by uid; UNIX epoch, seconds

    def is_active(self, uid: int) -> bool:
        """Whether the user exists and is neither deleted, disabled nor outside his time.

        Raises:
            BackendError: that could not be found out.
        """
        now = self._now()
        if self._active_until.get(uid, 0) > now:
            return True
        active = bool(self._database.rows(_ACTIVE, {"uid": uid, "now": now}))
        if active:
            self._active_until[uid] = now + REMEMBERED
        else:
            self._active_until.pop(uid, None)
        return active
