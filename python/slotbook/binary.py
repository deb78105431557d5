"""Frames as bytes, by docs/binary.md."""

import json
import zlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn, TypeVar

from . import limits
from .frames import STATES, Frame, OrderChanges, malformed
from .rows import Best, Level, Order, Timing

Item = TypeVar("Item")

KINDS = ("snapshot", "delta", "heartbeat")
CHANNELS = ("book", "bbo", "l3")
SOURCES = ("dlob", "vamm", "indicative")
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
FRAME_V1 = 9
UNIT_MAX = (1 << 32) - 1


class Stream(NamedTuple):
    """What the frames of one snapshot have in common."""

    topic: str
    channel: str
    market: str
    epoch: str
    has_timing: bool
    price_unit: int
    size_unit: int


def refuse(message: str) -> NoReturn:
    raise malformed(message)


def base58(key: bytes) -> str:
    number, text = int.from_bytes(key, "big"), ""
    while number > 0:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(key) - len(key.lstrip(b"\0"))) + text


class ByteReader:
    """Numbers and texts of a frame, one behind the other. A byte behind its end is an IndexError."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self.data):
            raise IndexError
        return self.data[self.at - count : self.at]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def number(self, bits: int = 53) -> int:
        """Returns a varint; one of 128 bits is a wide."""
        data, at = self.data, self.at
        value = data[at]
        if value > 127:
            value &= 127
            shift = 7
            while (byte := data[at := at + 1]) > 127:
                value |= (byte & 127) << shift
                shift += 7
                if shift >= bits:
                    refuse("a number is too long")
            value |= byte << shift
            if byte == 0 or value >> bits:
                refuse("a number has another form")
        self.at = at + 1
        return value

    def text(self) -> str:
        length = self.number()
        if length > limits.TEXT_BYTES_MAX:
            refuse("a text is too long")
        return self.take(length).decode()


def unfolded(value: int) -> int:
    """0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2."""
    return -(value + 1 >> 1) if value & 1 else value >> 1


class FrameDecoder:
    """Reads the frames of all connections of a client: a topic that is resumed on another one has no snapshot there."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}

    def decode_frame(self, data: bytes) -> Frame[Any]:
        """Returns a frame. Raises `malformed` for bytes that are none; nothing of them may be applied then."""
        reader = ByteReader(data)
        try:
            frame = self._read_frame(reader)
        except IndexError:
            refuse("the frame ends too early")
        except (ValueError, RecursionError) as error:
            refuse(f"a text cannot be read: {error!r:.100}")
        if reader.at != len(data):
            refuse("bytes follow the frame")
        return frame

    def _read_frame(self, reader: ByteReader) -> Frame[Any]:
        first = reader.byte()
        kind = first >> 2 & 3
        if first >> 4 != FRAME_V1 or kind >= len(KINDS):
            refuse("not a frame of version 1")
        number = reader.u32()
        if kind == 0:
            stream = read_stream(reader, number)
            self.streams.pop(number, None)
            self.streams[number] = stream
            if len(self.streams) > limits.STREAMS_MAX:
                del self.streams[next(iter(self.streams))]
        stream = self.streams.get(number) or refuse("a frame came before its snapshot")
        seq = reader.number()
        prev = seq - reader.number() if kind == 1 else 0
        if prev < 0:
            refuse("prev is below 0")
        state = STATES[first & 3]
        slot, ts = reader.number(), reader.number()
        frame: Frame[Any] = Frame(KINDS[kind], stream.topic, stream.epoch, seq, slot, ts, state)
        if kind < 2:
            frame.channel, frame.market, frame.prev = stream.channel, stream.market, prev
            read_rest(reader, stream, frame)
        return frame


def read_stream(reader: ByteReader, number: int) -> Stream:
    start = reader.at
    topic, channel, market, epoch = (reader.text() for _ in range(4))
    flags, *units = reader.byte(), reader.number(), reader.number()
    if flags > 1 or channel not in CHANNELS or not all(1 <= unit <= UNIT_MAX for unit in units):
        refuse("a stream of no kind")
    if zlib.crc32(reader.data[start : reader.at]) != number:
        refuse("the number of a stream is not that of its names")
    return Stream(topic, channel, market, epoch, flags == 1, *units)


def read_rest(reader: ByteReader, stream: Stream, frame: Frame[Any]) -> None:
    if stream.has_timing:
        frame.timing = Timing(reader.number(128), reader.number(128))
    is_snapshot = frame.type == "snapshot"
    if is_snapshot:
        reset, request = reader.byte(), reader.text()
        if reset > 1:
            refuse("reset is neither 0 nor 1")
        frame.reset = reset == 1
        frame.id = json.loads(request, parse_float=Decimal) if request else None
    if stream.channel == "l3":
        orders = OrderReader(reader, stream, frame.slot)
        frame.bids, frame.asks = (orders.rows() if is_snapshot else orders.changes() for _ in range(2))
    else:
        bids = read_levels(reader, stream, -1, 0)
        asks = read_levels(reader, stream, 1, bids[0].price if bids else 0)
        if stream.channel == "book":
            frame.bids, frame.asks = bids, asks
        elif len(bids) < 2 and len(asks) < 2:
            frame.bids, frame.asks = ([Best(price, size) for price, size, _ in side] for side in (bids, asks))
        else:
            refuse("more than one best level")
    frame.crc = reader.u32()


def read_levels(reader: ByteReader, stream: Stream, sign: int, price: int) -> list[Level]:
    rows: list[Level] = []
    number, step, size_unit = reader.number, sign * stream.price_unit, stream.size_unit
    while head := number():
        kind, distance = head & 3, head >> 2
        if kind < 3:
            price += (-(distance + 1 >> 1) if distance & 1 else distance >> 1) * step
        elif distance:
            refuse("an exact price has a distance")
        else:
            price = number(64)
        if price < 0 or price >> 64 or len(rows) == limits.ROWS_MAX:
            refuse("a level is out of bounds")
        if kind == 1:
            size = number() * size_unit or refuse("a level without a size")
            rows.append(Level(price, size, {"dlob": size}))
        else:
            sources = read_sources(reader, kind) if kind else {}
            rows.append(Level(price, sum(sources.values()), sources))
    return rows


def read_sources(reader: ByteReader, kind: int) -> dict[str, int]:
    named = reader.byte()
    if named > 7 or (named == 0 and kind != 3):
        refuse("sources that there are not")
    return {
        name: reader.number(128) or refuse("a source without a size")
        for bit, name in enumerate(SOURCES)
        if named >> bit & 1
    }


class OrderReader:
    """The orders of one frame: a price follows the price before, and a maker may be one that came before."""

    def __init__(self, reader: ByteReader, stream: Stream, slot: int) -> None:
        self._reader, self._stream, self._slot = reader, stream, slot
        self._price, self._makers = 0, list[str]()

    def changes(self) -> OrderChanges:
        return OrderChanges(self.rows(), self.rows(), self._list(lambda: (self._maker(), self._order_id())))

    def rows(self) -> list[Order]:
        return self._list(self._order)

    def _list(self, read: Callable[[], Item]) -> list[Item]:
        count = self._reader.number()
        if count > limits.ROWS_MAX:
            refuse("too many orders")
        return [read() for _ in range(count)]

    def _order(self) -> Order:
        reader, stream = self._reader, self._stream
        flags = reader.byte()
        if flags > 127:
            refuse("a flag that there is not")
        if flags & 8:
            self._price = reader.number(64)
        else:
            self._price += unfolded(reader.number()) * stream.price_unit
        if self._price < 0 or self._price >> 64:
            refuse("a price is out of bounds")
        size, queue = (reader.number(128) if flags & 16 else reader.number() * stream.size_unit for _ in range(2))
        maker, order_id = self._maker(), self._order_id()
        slot = self._slot - unfolded(reader.number())
        offset = unfolded(reader.number(64)) if flags & 32 else 0
        max_ts = unfolded(reader.number(64)) if flags & 64 else 0
        is_kind = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0)
        return Order(self._price, size, queue, offset, maker, order_id, slot, max_ts, *is_kind)

    def _order_id(self) -> int:
        number = self._reader.number()
        return number if number <= UNIT_MAX else refuse("an orderId is too large")

    def _maker(self) -> str:
        ago = self._reader.number()
        if ago > min(limits.KEYS_NAMED_MAX, len(self._makers)):
            refuse("a key that was not named")
        if ago == 0:
            self._makers.append(base58(self._reader.take(32)))
        return self._makers[-max(ago, 1)]
