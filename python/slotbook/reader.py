"""What follows one subscription at the service, by the states of "A correct client" in docs/streaming-client.md."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from . import limits
from .book import FollowedBook
from .connection import ConnectionState, log
from .errors import ProtocolViolation, SlotbookError
from .frames import Frame, frame_of
from .rows import BookView, Row
from .subscription import Subscription

if TYPE_CHECKING:
    from .service_socket import ServiceSocket

#: `off` is without a connection, and until a retry.
Phase = Literal["off", "subscribing", "waiting", "following", "ended"]
Item = TypeVar("Item")

TRANSIENT = ("NOT_READY", "RATE_LIMITED", "INTERNAL", "LIMIT_EXCEEDED")


@dataclass
class Hooks:
    """What a client tells its owner."""

    on_connection: Callable[[ConnectionState], None]
    on_repair: Callable[[ProtocolViolation], None]
    on_retry: Callable[[SlotbookError], None]
    silence_s: float


class Reader(Generic[Item]):
    """One subscription at the service, shared by equal ones of the client."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any]) -> None:
        self.socket, self.members = socket, members
        self.phase: Phase = "off"
        self.id = 0
        self.name: str | None = None
        self.subscriptions: list[Subscription[Item]] = []
        self._deadline = math.inf
        self._time = asyncio.get_running_loop().time

    def add(self, subscription: Subscription[Item]) -> None:
        self.subscriptions.append(subscription)
        first = self.first_item()
        if first is not None:
            subscription.push(first)

    def leave(self, subscription: Subscription[Item]) -> None:
        """Takes a subscription out; without any it is unsubscribed from."""
        if subscription in self.subscriptions:
            self.subscriptions.remove(subscription)
        if not self.subscriptions and self.phase != "ended":
            if self.phase != "off":
                self.socket.connection.send({"type": "unsubscribe", **self.unsubscription()})
            self.phase = "ended"
            self.interrupt()
            self.socket.leave(self)

    def subscribe(self) -> None:
        if self.phase == "ended":
            return
        self.id = next(self.socket.ids)
        self.enter("subscribing", max(limits.ANSWER_S, self.socket.hooks.silence_s))
        self.socket.connection.send({"type": "subscribe", "id": self.id, **self.request()})

    def enter(self, phase: Phase, patience_s: float = math.inf) -> None:
        self.phase = phase
        self._deadline = self._time() + patience_s

    def emit(self, item: Item) -> None:
        for subscription in list(self.subscriptions):
            subscription.push(item)

    def handle_disconnect(self) -> None:
        self.enter("off")
        self.interrupt()

    def handle_error(self, error: SlotbookError) -> None:
        self.interrupt()
        if self.is_transient(error):
            self.enter("off", limits.AGAIN_S)
            self.socket.hooks.on_retry(error)
            return
        self.phase = "ended"
        self.socket.leave(self)
        for subscription in list(self.subscriptions):
            subscription.end(error)

    def handle_look(self, now: float) -> None:
        if now < self._deadline:
            return
        if self.phase == "off":
            self.subscribe()
        else:
            self.repair(ProtocolViolation("silence", f"{self.phase} {self.members}: no message for too long"))

    def repair(self, violation: ProtocolViolation) -> None:
        self.interrupt()
        self.socket.hooks.on_repair(violation)
        self.socket.connection.restart()

    def is_transient(self, error: SlotbookError) -> bool:
        """Whether it is asked for again. A limit passes when others leave, but not that of this socket."""
        is_own = error.code == "LIMIT_EXCEEDED" and len(self.socket.readers) > limits.SUBSCRIPTIONS_MAX
        return error.code in TRANSIENT and not is_own

    def request(self) -> dict[str, Any]:
        return self.members

    def unsubscription(self) -> dict[str, Any]:
        return self.members

    def first_item(self) -> Item | None:
        """What a new subscription begins with; None for nothing."""
        raise NotImplementedError

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def handle_message(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def handle_frame(self, frame: Frame[Any]) -> None:
        log.debug("a frame that was not asked for: %s", frame.topic)

    def interrupt(self) -> None:
        """What it shows is not followed any more."""

    def invalidate(self) -> None:
        """What it has cannot be gone on from."""


class BookReader(Reader[BookView[Row]]):
    """A topic of `book`, `bbo` or `l3`. A book is resumed where its connection broke; a broken one is healed."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any], book: Any = None) -> None:
        """`book` is followed in place of a book of rows."""
        super().__init__(socket, members)
        self.book = book or FollowedBook[Row](members["channel"], members.get("depth", 50))
        self.view: BookView[Row] | None = None
        self._silence_s = socket.hooks.silence_s
        self._repaired_at = -math.inf

    def request(self) -> dict[str, Any]:
        point = self.book.resume_point
        return {**self.members, "resume": point._asdict()} if point else self.members

    def unsubscription(self) -> dict[str, Any]:
        return {"topic": self.name} if self.name else self.members

    def first_item(self) -> BookView[Row] | None:
        return self.view

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        if self.phase == "subscribing":
            name = str(message["topic"])
            if self.socket.named.get(name, self) is not self:
                self.handle_error(SlotbookError("INVALID_OPTION", f"the market of {name} is followed by another name"))
                return
            self.name = name
            self.socket.named[name] = self
            self.enter("waiting", self._silence_s + self.members.get("intervalMs", 0) / 1000)

    def handle_message(self, message: dict[str, Any]) -> None:
        if message["type"] in ("snapshot", "delta", "heartbeat"):
            try:
                frame = frame_of(message)
            except ProtocolViolation as violation:
                self.repair(violation)
            else:
                self.handle_frame(frame)

    def handle_frame(self, frame: Frame[Row]) -> None:
        """Applies a frame; one before `subscribed` is of the subscription before."""
        if self.phase not in ("waiting", "following"):
            return
        try:
            self.book.apply_frame(frame)
        except ProtocolViolation as violation:
            self.repair(violation)
            return
        self.socket.connection.reset_pause()
        self.enter("following", self._silence_s)
        self.show(self.book.view(is_following=True))

    def show(self, view: BookView[Row] | None) -> None:
        self.view = view
        if view is not None:
            self.emit(view)

    def repair(self, violation: ProtocolViolation) -> None:
        """Resumes, or begins with a snapshot; connects again where a repair a moment ago had no effect."""
        now = self._time()
        is_again, self._repaired_at = now - self._repaired_at < limits.AGAIN_S, now
        if is_again or not violation.is_resumable:
            self.book.invalidate()
        if is_again or violation.rule == "silence":
            super().repair(violation)
            return
        self.interrupt()
        self.socket.hooks.on_repair(violation)
        self.subscribe()

    def interrupt(self) -> None:
        if self.view is not None and self.view.is_following:
            self.show(self.book.view(is_following=False))

    def invalidate(self) -> None:
        self.book.invalidate()
