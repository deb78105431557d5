"""The book of one topic: frames come in, in their order, and each is checked by the rules of docs/streaming-rules.md."""

import zlib
from bisect import bisect_left
from itertools import chain
from typing import Any, Generic, NamedTuple

from .errors import ProtocolViolation
from .frames import Frame, OrderChanges
from .limits import CHECKSUM_ROWS
from .rows import BookView, Order, Row, Timing

#: The place of a row: its price, negative for bids, and the queue of an order; the best place is the smallest.
Place = tuple[int, int]


class ResumePoint(NamedTuple):
    """The frame from which a topic is resumed."""

    epoch: str
    seq: int


class Side(Generic[Row]):
    """One side: its rows, best first."""

    def __init__(self, sign: int) -> None:
        self.sign = sign
        self.rows: list[Row] = []
        self.places: list[Place] = []
        #: Price and size of each row, as they stand in the checksum.
        self.texts: list[str] = []
        #: Where each order is, by its name.
        self.names: dict[tuple[str, int], Place] = {}

    def replace_rows(self, rows: list[Row]) -> None:
        """Takes the rows of a snapshot."""
        self.places = [self.place_of(row) for row in rows]
        if any(one >= other for one, other in zip(self.places, self.places[1:])):
            raise ProtocolViolation("order", "the rows of a snapshot are not best first")
        if any(row.size == 0 for row in rows):
            raise ProtocolViolation("empty", "a row of a snapshot has no size")
        self.rows = list(rows)
        self.texts = [f"{row.price}:{row.size}" for row in rows]
        orders = [row for row in rows if isinstance(row, Order)]
        self.names = {(order.maker, order.order_id): place for order, place in zip(orders, self.places)}
        if len(self.names) != len(orders):
            raise ProtocolViolation("order", "an order of a snapshot comes twice")

    def place_of(self, row: Row) -> Place:
        return (self.sign * row.price, row.queue if isinstance(row, Order) else 0)

    def change_levels(self, levels: list[Row]) -> None:
        for level in levels:
            place = (self.sign * level.price, 0)
            if level.size == 0:
                self.remove_place(place)
            else:
                self.put_row(place, level, is_replacement=True)

    def change_orders(self, changes: OrderChanges) -> None:
        """Takes orders out before any is put in: places are those after the whole change."""
        for order in changes.add:
            if (order.maker, order.order_id) in self.names:
                raise ProtocolViolation("absent", f"{order.maker} {order.order_id} is added and was there")
        for name in chain(changes.remove, ((order.maker, order.order_id) for order in changes.change)):
            place = self.names.pop(name, None)
            if place is None:
                raise ProtocolViolation("absent", f"{name[0]} {name[1]} changes or goes and was not there")
            self.remove_place(place)
        for order in chain(changes.change, changes.add):
            place = self.names[order.maker, order.order_id] = (self.sign * order.price, order.queue)
            self.put_row(place, order, is_replacement=False)

    def put_row(self, place: Place, row: Any, *, is_replacement: bool) -> None:
        if row.size == 0:
            raise ProtocolViolation("empty", f"an order at {place} has no size")
        at = bisect_left(self.places, place)
        if at < len(self.places) and self.places[at] == place:
            if not is_replacement:
                raise ProtocolViolation("order", f"two orders have the place {place}")
            self.rows[at], self.texts[at] = row, f"{row.price}:{row.size}"
            return
        self.places.insert(at, place)
        self.rows.insert(at, row)
        self.texts.insert(at, f"{row.price}:{row.size}")

    def remove_place(self, place: Place) -> None:
        at = bisect_left(self.places, place)
        if at == len(self.places) or self.places[at] != place:
            raise ProtocolViolation("absent", f"a row goes at {place} and was not there")
        del self.places[at], self.rows[at], self.texts[at]


class FollowedBook(Generic[Row]):
    """The book of one topic."""

    def __init__(self, channel: str, depth: int) -> None:
        self.channel = channel
        self.depth = 1 if channel == "bbo" else depth
        self.bids, self.asks = Side[Row](-1), Side[Row](1)
        #: The last frame that was applied; None before the first.
        self.head: Frame[Row] | None = None
        self.market = ""
        self.timing: Timing | None = None
        self._is_whole = False
        self._shown: tuple[tuple[Row, ...], tuple[Row, ...]] = ((), ())

    @property
    def resume_point(self) -> ResumePoint | None:
        """None while the book is broken."""
        return ResumePoint(self.head.epoch, self.head.seq) if self.head and self._is_whole else None

    def invalidate(self) -> None:
        """Marks the rows as broken until the next snapshot."""
        self._is_whole = False

    def apply_frame(self, frame: Frame[Row]) -> None:
        """Applies a frame. Raises ProtocolViolation; but after `gap` and `repeated` the book is broken then."""
        if frame.type != "snapshot":
            self._check_position(frame)
        if frame.type != "heartbeat":
            self._is_whole = False
            self._apply_rows(frame)
            self._is_whole = True
        self.head = frame

    def view(self, *, is_following: bool) -> BookView[Row] | None:
        """Returns the book; None before the first snapshot."""
        head = self.head
        if head is None:
            return None
        at = (self.market, head.epoch, head.seq, head.slot, head.ts, head.state)
        return BookView(*at, is_following, *self._shown, self.timing)

    def _check_position(self, frame: Frame[Row]) -> None:
        head = self.head
        if head is None or not self._is_whole:
            raise ProtocolViolation("noSnapshot", f"a {frame.type} came before a snapshot")
        if frame.epoch != head.epoch:
            raise ProtocolViolation("epoch", f"a {frame.type} of {frame.epoch}, the book is of {head.epoch}")
        is_delta = frame.type == "delta"
        prev = frame.prev if is_delta else frame.seq
        if prev > head.seq:
            raise ProtocolViolation("gap", f"a {frame.type} follows {prev}, the book is at {head.seq}")
        # Another process may link to an earlier frame than that of the book.
        is_later = frame.seq > head.seq or (is_delta and frame.seq == head.seq and self._is_state_alone(frame))
        if prev < head.seq and not is_later:
            raise ProtocolViolation("repeated", f"a {frame.type} follows {prev}, the book is at {head.seq}")
        if is_delta and not is_later:
            raise ProtocolViolation("seq", f"{frame.seq} after {prev}")

    def _is_state_alone(self, frame: Frame[Row]) -> bool:
        """Whether no row changes."""
        if self.channel == "bbo":
            return [frame.bids, frame.asks] == [self.bids.rows, self.asks.rows]
        if self.channel == "l3":
            return not any(chain(frame.bids, frame.asks))
        return not frame.bids and not frame.asks

    def _apply_rows(self, frame: Frame[Row]) -> None:
        if frame.channel != self.channel:
            raise ProtocolViolation("malformed", f"a frame of {frame.channel} in a topic of {self.channel}")
        is_snapshot = frame.type == "snapshot" or self.channel == "bbo"
        for side, sent in ((self.bids, frame.bids), (self.asks, frame.asks)):
            if isinstance(sent, OrderChanges):
                side.change_orders(sent)
            elif is_snapshot:
                side.replace_rows(sent)
            else:
                side.change_levels(sent)
            if len(side.rows) > self.depth:
                raise ProtocolViolation("depth", f"a side has {len(side.rows)} rows, the topic shows {self.depth}")
        self._check_sum(frame.crc)
        self.market, self.timing = frame.market, frame.timing
        self._shown = (tuple(self.bids.rows), tuple(self.asks.rows))

    def _check_sum(self, crc: int) -> None:
        bids, asks = self.bids.texts[:CHECKSUM_ROWS], self.asks.texts[:CHECKSUM_ROWS]
        both = min(len(bids), len(asks))
        parts = [""] * (2 * both)
        parts[::2], parts[1::2] = bids[:both], asks[:both]
        own = zlib.crc32(":".join(parts + bids[both:] + asks[both:]).encode())
        if own != crc:
            raise ProtocolViolation("crc", f"the checksum is {own}, the frame says {crc}")
