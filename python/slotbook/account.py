"""A user account over the channel `user`: orders with their places, positions, balances, margin, and fills."""

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .book import ResumePoint
from .errors import ProtocolViolation, SlotbookError
from .reader import BookReader
from .records import Trade, trade_of
from .rows import State

if TYPE_CHECKING:
    from .service_socket import ServiceSocket

#: Members that the service writes as texts of integers: amounts and prices, each at its unit in docs/accounts.md.
Row = dict[str, Any]

TEXTS = ("account", "authority", "name", "marketName", "epoch")


class ToldTrade(NamedTuple):
    """What became of a fill: it was logged, it stays, or a fork has removed it."""

    status: Literal["confirmed", "finalized", "reverted"]
    trade: Trade


class AccountView(NamedTuple):
    """An account at one moment. Rows have the members of `GET /accounts/{account}` by their names in snake case; amounts are integers."""

    account: str
    #: The wallet.
    authority: str
    sub_account_id: int
    name: str
    epoch: str
    #: The number of this state within the epoch, Unix milliseconds.
    seq: int
    slot: int
    ts: int
    #: How fresh the book is; trade on `live` alone.
    state: State
    #: False while the connection is lost: the rows are the last known ones.
    is_following: bool
    orders: tuple[Row, ...]
    positions: tuple[Row, ...]
    balances: tuple[Row, ...]
    #: None while the price of one of its markets is not known.
    margin: Row | None
    #: What its orders have filled since the view before, by the account.
    fills: tuple[Row, ...]
    #: What became of fills since then; each comes two times or more.
    trades: tuple[ToldTrade, ...]
    #: Why it has no parts any more; None while it has.
    reason: Literal["closed", "malformed"] | None


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def row_of(value: Any, name: str = "") -> Any:
    """Converts a member: names to snake case, texts of integers to integers."""
    if isinstance(value, dict):
        return {snake_case(key): row_of(member, key) for key, member in value.items()}
    if isinstance(value, list):
        return tuple(row_of(member) for member in value)
    return int(value) if isinstance(value, str) and name not in TEXTS and re.fullmatch(r"-?\d+", value) else value


class FollowedAccount:
    """The account of one topic."""

    def __init__(self) -> None:
        self._view: AccountView | None = None
        self._is_whole = False

    @property
    def resume_point(self) -> ResumePoint | None:
        """None while the account is broken."""
        return ResumePoint(self._view.epoch, self._view.seq) if self._view and self._is_whole else None

    def invalidate(self) -> None:
        self._is_whole = False

    def view(self, *, is_following: bool) -> AccountView | None:
        """Returns the account; each fill is in one view."""
        shown = self._view
        self._view = shown and shown._replace(fills=(), trades=())
        return shown and shown._replace(is_following=is_following)

    def apply_frame(self, message: dict[str, Any]) -> None:
        """Applies a message. Raises ProtocolViolation."""
        try:
            kind = message["type"]
            if kind == "snapshot":
                self._apply_snapshot(row_of(message))
            else:
                told = (ToldTrade(one["status"], trade_of(one["trade"])) for one in message.get("trades", ()))
                self._apply_change(kind, {**row_of({**message, "trades": []}), "trades": tuple(told)})
        except (KeyError, TypeError, ValueError, SlotbookError) as error:
            raise ProtocolViolation("malformed", f"{message.get('type')}: {error!r:.100}") from error

    def _apply_snapshot(self, members: Row) -> None:
        known: Row = {name: members.get(name) for name in AccountView._fields}
        self._view = AccountView(**{**known, "is_following": True, "fills": (), "trades": ()})
        self._is_whole = True

    def _apply_change(self, kind: str, members: Row) -> None:
        view = self._view
        if view is None or not self._is_whole:
            raise ProtocolViolation("noSnapshot", f"a {kind} came before a snapshot")
        if members["epoch"] != view.epoch:
            raise ProtocolViolation("epoch", f"a {kind} of {members['epoch']}, the account is of {view.epoch}")
        prev = members["prev"] if kind == "delta" else members["seq"]
        if prev > view.seq:
            raise ProtocolViolation("gap", f"a {kind} follows {prev}, the account is at {view.seq}")
        version = {name: members[name] for name in ("seq", "slot", "ts", "state")}
        if kind == "heartbeat":
            self._view = view._replace(**version)
        elif members["seq"] > view.seq:
            orders = members["orders"]
            changed = {*orders["remove"], *(order["order_id"] for order in orders["set"])}
            kept = (order for order in view.orders if order["order_id"] not in changed)
            parts = {name: members[name] for name in ("positions", "balances", "margin") if name in members}
            news = {name: members.get(name, ()) for name in ("fills", "trades")}
            self._view = view._replace(**version, **parts, **news, orders=(*kept, *orders["set"]), reason=members.get("reason"))


class AccountReader(BookReader[Any]):
    """An account, resumed and repaired as a book is."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any]) -> None:
        super().__init__(socket, members, FollowedAccount())

    def handle_message(self, message: dict[str, Any]) -> None:
        if message["type"] in ("snapshot", "delta", "heartbeat"):
            self.handle_frame(message)  # type: ignore[arg-type]
