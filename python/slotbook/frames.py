"""Frames of the streaming channels, and their reading from JSON. What cannot be read breaks the rule `malformed`."""

from typing import Any, Generic, NamedTuple, get_args

from .errors import ProtocolViolation
from .rows import Best, Level, Order, Row, State, Timing

WHOLE_MAX = 2**53
STATES = get_args(State)


class OrderChanges(NamedTuple):
    """The changes of a side of orders."""

    add: list[Order]
    change: list[Order]
    remove: list[tuple[str, int]]


class Frame(Generic[Row]):
    """A snapshot, a delta or a heartbeat.

    Levels of a delta with the size 0 go. Best prices are a list of one or none. A side of orders in a delta is `OrderChanges`.
    """

    channel = market = ""
    prev = crc = 0
    reset = False
    id: Any = None
    timing: Timing | None = None
    bids: list[Row] | OrderChanges = []
    asks: list[Row] | OrderChanges = []

    def __init__(self, type: str, topic: str, epoch: str, seq: int, slot: int, ts: int, state: State) -> None:
        self.type, self.topic, self.epoch, self.state = type, topic, epoch, state
        self.seq, self.slot, self.ts = seq, slot, ts


def malformed(message: str) -> ProtocolViolation:
    return ProtocolViolation("malformed", message)


def text(value: object) -> str:
    if type(value) is str:
        return value
    raise malformed(f"{value!r:.50} is not a text")


def whole(value: object, end: int = WHOLE_MAX) -> int:
    if type(value) is int and 0 <= value < end:
        return value
    raise malformed(f"{value!r:.50} is not a whole number")


def flag(value: object) -> bool:
    if type(value) is bool:
        return value
    raise malformed(f"{value!r:.50} is neither true nor false")


def amount(value: object) -> int:
    """Decimal digits without a sign, leading zeros or a point: equal amounts are equal texts."""
    if type(value) is str and value.isdigit() and value.isascii() and (value[0] != "0" or value == "0"):
        return int(value)
    raise malformed(f"{value!r:.50} is not an amount")


def signed(value: object) -> int:
    is_negative = type(value) is str and value.startswith("-")
    return -amount(text(value)[1:]) if is_negative else amount(value)


def level_of(row: Any) -> Level:
    price, size, sources = row
    sizes = {text(name): amount(one) for name, one in sources.items()}
    if sum(sizes.values()) != (total := amount(size)):
        raise malformed(f"the sources of the level {price} do not add up to {size}")
    return Level(amount(price), total, sizes)


def best_of(row: Any) -> list[Best]:
    if row is None:
        return []
    price, size = row
    return [Best(amount(price), amount(size))]


def order_of(row: Any) -> Order:
    return Order(
        amount(row["price"]),
        amount(row["size"]),
        amount(row["queue"]),
        signed(row["oraclePriceOffset"]),
        text(row["maker"]),
        whole(row["orderId"]),
        whole(row["slot"]),
        whole(row["maxTs"], 2**63),
        *(flag(row[name]) for name in ("reduceOnly", "postOnly", "signedMsg")),
    )


def changes_of(side: Any) -> OrderChanges:
    names = [(text(maker), whole(number)) for maker, number in side["remove"]]
    return OrderChanges([order_of(row) for row in side["add"]], [order_of(row) for row in side["change"]], names)


def frame_of(message: dict[str, Any]) -> Frame[Any]:
    """Returns the frame in a message of the type `snapshot`, `delta` or `heartbeat`. Raises `malformed`."""
    try:
        state = message["state"]
        if state not in STATES:
            raise malformed(f"{state!r:.50} is not a state")
        kind, topic, epoch = message["type"], text(message["topic"]), text(message["epoch"])
        seq, slot, ts = (whole(message[name]) for name in ("seq", "slot", "ts"))
        frame: Frame[Any] = Frame(kind, topic, epoch, seq, slot, ts, state)
        if kind != "heartbeat":
            read_rows(frame, message)
        return frame
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise malformed(f"a frame cannot be read: {error!r:.150}") from error


def read_rows(frame: Frame[Any], message: dict[str, Any]) -> None:
    frame.channel, frame.market, frame.crc = text(message["channel"]), text(message["market"]), whole(message["crc"])
    frame.id = message.get("id")
    is_delta = frame.type == "delta"
    if is_delta:
        frame.prev = whole(message["prev"])
    else:
        frame.reset = flag(message["reset"])
    if "recvNs" in message:
        frame.timing = Timing(amount(message["recvNs"]), amount(message["sendNs"]))
    if frame.channel == "bbo":
        frame.bids, frame.asks = best_of(message["bid"]), best_of(message["ask"])
    elif frame.channel == "book":
        frame.bids, frame.asks = ([level_of(row) for row in message[side]] for side in ("bids", "asks"))
    elif is_delta:
        frame.bids, frame.asks = changes_of(message["bids"]), changes_of(message["asks"])
    else:
        frame.bids, frame.asks = ([order_of(row) for row in message[side]] for side in ("bids", "asks"))
