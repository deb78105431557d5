"""The rows of books, and a book at one moment. All of them can be kept: none ever changes."""

from collections.abc import Mapping
from typing import Generic, Literal, NamedTuple, TypeVar

State = Literal["rebuilding", "live", "lagging", "stale"]
Row = TypeVar("Row", bound="Level | Best | Order")


class Level(NamedTuple):
    """A price level."""

    #: At 1e-6 of the quote currency.
    price: int
    #: At 1e-9 of the base currency.
    size: int
    #: The size by source: `dlob`, `vamm`, `indicative`.
    sources: Mapping[str, int]


class Best(NamedTuple):
    """A best price."""

    price: int
    size: int


class Order(NamedTuple):
    """A resting order."""

    price: int
    #: The size that is left, at 1e-9 of the base currency.
    size: int
    #: The size ahead of it at its price.
    queue: int
    #: The distance from the oracle, at 1e-6; 0 for a fixed price.
    oracle_price_offset: int
    #: The user account. Together with the number it names the order.
    maker: str
    order_id: int
    #: The slot in which it was placed.
    slot: int
    #: When it expires, Unix seconds; 0 for never.
    max_ts: int
    reduce_only: bool
    post_only: bool
    signed_msg: bool


class Timing(NamedTuple):
    """When the service received and sent a frame, Unix nanoseconds."""

    recv_ns: int
    send_ns: int


class BookView(NamedTuple, Generic[Row]):
    """A book at one moment."""

    market: str
    #: One run of the service on one chain.
    epoch: str
    #: The number of this state of the market within the epoch, as in /l2.
    seq: int
    slot: int
    #: Unix milliseconds of the service.
    ts: int
    #: How fresh the book is; trade on `live` alone.
    state: State
    #: False while the connection is lost or the book is repaired: the rows are the last known ones.
    is_following: bool
    #: Best first.
    bids: tuple[Row, ...]
    asks: tuple[Row, ...]
    #: None unless it was asked for.
    timing: Timing | None

    @property
    def best_bid(self) -> Row | None:
        """None where the side is empty."""
        return self.bids[0] if self.bids else None

    @property
    def best_ask(self) -> Row | None:
        """None where the side is empty."""
        return self.asks[0] if self.asks else None
