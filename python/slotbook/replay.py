"""Books of the past, of a service that keeps a journal."""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from . import limits
from .errors import ProtocolViolation, SlotbookError
from .frames import Frame
from .http import Moment
from .reader import BookReader
from .rows import BookView, Row
from .service_socket import ServiceSocket
from .subscription import Subscription


class Hole(NamedTuple):
    """Two moments between which the journal has nothing, and why: `restart`, `stopped` or `damaged`."""

    start: Moment
    end: Moment
    reason: str


class ReplayReader(BookReader[Row]):
    """A topic as it was. After a lost connection it goes on where it was."""

    def __init__(self, socket: ServiceSocket, members: dict[str, Any], start: Moment, until: Moment | None, speed: int) -> None:
        super().__init__(socket, members)
        self._silence_s = max(self._silence_s, limits.REPLAY_SILENCE_S)
        self.start, self.until, self.speed = start, until, speed
        self.is_live = False
        self.holes: list[Hole] = []

    def request(self) -> dict[str, Any]:
        if self.is_live:
            return super().request()
        until = {"until": self.until.members} if self.until else {}
        return {**self.members, "from": self.start.members, "speed": self.speed, **until}

    def handle_message(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "live":
            self.is_live, self._silence_s = True, self.socket.hooks.silence_s
        elif kind == "hole":
            self.holes.append(Hole(Moment(**message["from"]), Moment(**message["to"]), str(message["reason"])))
        elif kind == "ended":
            for subscription in list(self.subscriptions):
                subscription.end(None)
        else:
            super().handle_message(message)

    def handle_frame(self, frame: Frame[Row]) -> None:
        if frame.type != "heartbeat" or self.is_live:
            super().handle_frame(frame)
        else:
            self.enter("following", self._silence_s)

    def show(self, view: BookView[Row] | None) -> None:
        if view is not None:
            self.start = Moment(epoch=view.epoch, seq=view.seq)
        super().show(view)

    def interrupt(self) -> None:
        """A past book is no older without a connection."""
        if self.is_live:
            super().interrupt()

    def repair(self, violation: ProtocolViolation) -> None:
        """Another connection begins with a whole book."""
        if not self.is_live:
            self.book.invalidate()
        super().repair(violation)

    def is_transient(self, error: SlotbookError) -> bool:
        """After a loss the service may still count the replay before."""
        return self.view is not None and super().is_transient(error)


class Replay(Subscription[BookView[Row]]):
    """The books of a topic from a moment on, every one: a slow loop slows the replay.

    A loop ends with `until`, or where the journal ends; without `until` the replay becomes live, and goes on.
    The service closes the connection of a loop that reads nothing for ten seconds; the replay then goes on where it was.
    """

    def __init__(self, reader: ReplayReader[Row], on_close: Callable[[Subscription[BookView[Row]]], None]) -> None:
        super().__init__(deque.append, on_close)
        self._reader = reader
        self._has_loop = False

    @property
    def socket(self) -> ServiceSocket:
        """The socket of this replay alone."""
        return self._reader.socket

    @property
    def is_live(self) -> bool:
        """Whether the past is over: a slow loop gets the newest book only."""
        return self._reader.is_live

    @property
    def holes(self) -> list[Hole]:
        """The holes of the journal that were passed."""
        return self._reader.holes

    def on_update(self, callback: Callable[[BookView[Row]], None]) -> None:
        super().on_update(callback)
        # Without a loop nothing else would take the books for which the replay is held.
        if not self._has_loop:
            self._reader.socket.connection.has_room.set()

    def push(self, item: BookView[Row]) -> None:
        # Books wait for a loop alone; callbacks have had them.
        if self.is_live or (self._callbacks and not self._has_loop):
            self._waiting.clear()
        super().push(item)
        if len(self._waiting) >= limits.REPLAY_WAITING_MAX:
            self._reader.socket.connection.has_room.clear()

    async def __anext__(self) -> BookView[Row]:
        self._has_loop = True
        view = await super().__anext__()
        if len(self._waiting) < limits.REPLAY_WAITING_MAX // 2:
            self._reader.socket.connection.has_room.set()
        return view
