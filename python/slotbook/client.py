"""A client of one service."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Generic, Literal, TypedDict, Unpack

from . import limits
from .account import AccountReader, AccountView
from .connection import ConnectionState, log
from .errors import ProtocolViolation, SlotbookError
from .http import HttpClient, Moment, camel_cased, moment_of
from .market_data import RESOLUTION_S, CandlesReader, TradesReader, keep_candles, keep_trades
from .reader import BookReader, Hooks, Reader
from .records import Candle, TradeBatch
from .replay import Replay, ReplayReader
from .rows import Best, BookView, Level, Order, Row
from .service_socket import ServiceSocket
from .subscription import Channel, Subscription, call_back, keep_newest


DEFAULTS = {"depth": 50, "grouping": 1}


class BestOptions(TypedDict, total=False):
    """What is shown beside orders, and when: `interval_ms` is the least time between two frames."""

    include_vamm: bool
    include_indicative: bool
    timing: bool
    interval_ms: int


class OrderOptions(BestOptions, total=False):
    depth: Literal[10, 20, 50, 100, 500]
    maker: str


class BookOptions(BestOptions, total=False):
    depth: Literal[10, 20, 50, 100, 500]
    grouping: int


class BookChannel(Channel[BookView[Row]], Generic[Row]):
    """The book of one topic, now and in the past."""

    def __init__(self, client: "Client", members: dict[str, Any]) -> None:
        key = str(sorted({**members, "market": members["market"].lower()}.items()))
        super().__init__(lambda: client._subscribe(key, lambda: BookReader(client._socket, members), keep_newest))
        self._client, self._members = client, members

    def replay(self, start: Moment | datetime, *, until: Moment | datetime | None = None, speed: int = 1) -> Replay[Row]:
        """Plays every book from a moment on, `speed` (1 to 1000) times as fast, over a socket of its own."""
        end = None if until is None else moment_of(until)
        return self._client._replay(self._members, moment_of(start), end, speed)

    async def at(self, moment: Moment | datetime) -> BookView[Row]:
        """Returns the book of a moment as its stream showed it, or at its next publication.

        Raises MOMENT_NOT_KEPT, whose text names what is kept, NO_JOURNAL, UNKNOWN_MARKET and LIMIT_EXCEEDED; without a
        connection it waits for one.
        """
        start = moment_of(moment)
        end = start if start.seq is not None else start._replace(epoch=None)
        async with self.replay(start, until=end) as books:
            async for book in books:
                return book
        raise SlotbookError("MOMENT_NOT_KEPT", f"the journal has no book at {start.members}")


class Client:
    """Books, trades and candles of one service over one socket, which is open while something is followed; and its paths.

    `url` is `http`, `https`, with a prefix where there is one. `encoding` is `binary`, a tenth of the bytes, or `json`.
    `silence_s` is the longest time without a frame of a topic. The callbacks tell the state of the connection, frames
    that broke a rule and were repaired, and errors after which it is tried again; by default they are logged.
    """

    def __init__(
        self,
        url: str,
        *,
        encoding: Literal["binary", "json"] = "binary",
        silence_s: float = limits.SILENCE_S,
        on_connection: Callable[[ConnectionState], None] = lambda state: log.debug("%s", state),
        on_repair: Callable[[ProtocolViolation], None] = lambda violation: log.warning("%s", violation),
        on_retry: Callable[[SlotbookError], None] = lambda error: log.warning("%s", error),
    ) -> None:
        """Raises INVALID_OPTION for a malformed URL."""
        #: The paths of the service.
        self.http = HttpClient(url)
        self._url, self._encoding, self._is_closed = url, encoding, False
        told = partial(call_back, on_connection), partial(call_back, on_repair), partial(call_back, on_retry)
        self._hooks = Hooks(*told, silence_s)
        self._socket = ServiceSocket(url, self._hooks)
        self._open: list[Subscription[Any]] = []

    def book(self, market: str, **options: Unpack[BookOptions]) -> BookChannel[Level]:
        """Price levels: `depth` a side, 50 by default, in groups of `grouping` ticks."""
        return BookChannel(self, self._members("book", market, options, BookOptions))

    def bbo(self, market: str, **options: Unpack[BestOptions]) -> BookChannel[Best]:
        """The best bid and the best ask."""
        return BookChannel(self, self._members("bbo", market, options, BestOptions))

    def l3(self, market: str, **options: Unpack[OrderOptions]) -> BookChannel[Order]:
        """Single orders: `depth` a side, 50 by default, of one user account where `maker` is given."""
        return BookChannel(self, self._members("l3", market, options, OrderOptions))

    def trades(self, symbol: str) -> Channel[TradeBatch]:
        """The trades of a market: the newest 20, then each one once, also through lost connections."""
        check_symbol(symbol)
        key = f"trades:{symbol.lower()}"
        members = {"channelType": "trades", "symbol": symbol}
        return Channel(lambda: self._subscribe(key, lambda: TradesReader(self._socket, members, self.http), keep_trades))

    def candles(self, symbol: str, resolution: str) -> Channel[Candle]:
        """The newest candle, then each that begins or changes. `resolution`: minutes, as `1` or `240`, or `D`, `W`, `M`."""
        if resolution not in RESOLUTION_S:
            raise SlotbookError("INVALID_OPTION", f"resolution was {resolution}, must be one of {', '.join(RESOLUTION_S)}")
        check_symbol(symbol)
        key = f"candles:{symbol.lower()}:{resolution}"
        members = {"symbol": symbol, "resolution": resolution}
        return Channel(lambda: self._subscribe(key, lambda: CandlesReader(self._socket, members, self.http), keep_candles))

    def account(self, account: str) -> Channel[AccountView]:
        """A user account: orders with their places in the queue, positions, balances, margin, fills.

        A loop gets the newest view; `on_update` of a subscription gets every one, with all fills.
        """
        members = {"channel": "user", "account": account}
        return Channel(lambda: self._subscribe(f"user:{account}", lambda: AccountReader(self._socket, members), keep_newest))

    async def close(self) -> None:
        """Ends all subscriptions, replays and the connection."""
        self._is_closed = True
        replayed = [one.socket for one in self._open if isinstance(one, Replay)]
        for subscription in list(self._open):
            subscription.close()
        for socket in (self._socket, *replayed):
            await socket.connection.wait_closed()

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _members(self, channel: str, market: str, options: Mapping[str, object], known: type) -> dict[str, Any]:
        if unknown := options.keys() - known.__annotations__.keys():
            raise SlotbookError("INVALID_OPTION", f"{channel} has no {', '.join(sorted(unknown))}")
        encoding = {"encoding": "binary"} if self._encoding == "binary" else {}
        # The service has one topic for what is left out and what is said to be the default.
        chosen = {name: value for name, value in options.items() if value != DEFAULTS.get(name, False)}
        return {"channel": channel, "market": market, **camel_cased(chosen), **encoding}

    def _check_open(self) -> None:
        if self._is_closed:
            raise SlotbookError("CLOSED", "the client was closed")

    def _subscribe(self, key: str, make: Callable[[], Reader[Any]], keep: Callable[[Any, Any], None]) -> Subscription[Any]:
        self._check_open()
        reader = self._socket.join(key, make)
        return self._add(reader, Subscription(keep, lambda ended: self._leave(reader, ended)))

    def _replay(self, members: dict[str, Any], start: Moment, until: Moment | None, speed: int) -> Replay[Any]:
        self._check_open()
        socket = ServiceSocket(self._url, self._hooks)
        reader: ReplayReader[Any] = ReplayReader(socket, members, start, until, speed)
        replay: Replay[Any] = Replay(reader, lambda ended: self._leave(reader, ended))
        self._add(reader, replay)
        socket.join("replay", lambda: reader)
        return replay

    def _add(self, reader: Reader[Any], subscription: Subscription[Any]) -> Subscription[Any]:
        self._open.append(subscription)
        reader.add(subscription)
        return subscription

    def _leave(self, reader: Reader[Any], subscription: Subscription[Any]) -> None:
        self._open.remove(subscription)
        reader.leave(subscription)


def check_symbol(symbol: str) -> None:
    """Raises INVALID_OPTION for the key of a market, such as `perp_0`: messages of trades and candles have its symbol."""
    if re.fullmatch(r"(perp|spot)_\d+", symbol, re.IGNORECASE):
        raise SlotbookError("INVALID_OPTION", f"symbol was {symbol}, must be a name such as SOL-PERP")
