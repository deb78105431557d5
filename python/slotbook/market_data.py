"""Trades and candles over the socket: what a lost connection left out is read from the pages."""

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import limits
from .errors import SlotbookError
from .http import HttpClient
from .reader import Item, Reader
from .records import Candle, Kind, Trade, TradeBatch, candle_of, trade_of

if TYPE_CHECKING:
    from .service_socket import ServiceSocket

RESOLUTION_S = {"1": 60, "5": 300, "15": 900, "60": 3600, "240": 14400, "D": 86400, "W": 604800, "M": 2678400, "1440": 86400}
#: Trades that are kept during a repair: as many as its pages have.
HELD_MAX = limits.REPAIR_PAGES_MAX * limits.PAGE_MAX


class RepairingReader(Reader[Item]):
    """A reader that reads what was missed, as long as it is followed, until it is read."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any], http: HttpClient) -> None:
        super().__init__(socket, members)
        self.http = http
        self._repairing: asyncio.Task[None] | None = None
        socket.named[":".join(members[name].lower() for name in ("symbol", "resolution") if name in members)] = self

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        if self.phase == "subscribing":
            self.enter("following")
            self.socket.connection.reset_pause()

    def start_repair(self, newest: list[Any]) -> None:
        """Reads what was missed; `newest` is the last that the socket has sent."""
        self.interrupt()
        self._repairing = asyncio.create_task(self._repair(newest))

    def interrupt(self) -> None:
        if self._repairing is not None:
            self._repairing.cancel()

    async def _repair(self, newest: list[Any]) -> None:
        while True:
            try:
                if await self.read_missed(newest):
                    return
            except SlotbookError as error:
                self.socket.hooks.on_retry(error)
            await asyncio.sleep(limits.AGAIN_S)

    async def read_missed(self, newest: list[Any]) -> bool:
        """Emits what was missed; False where the answer is older than `newest`."""
        raise NotImplementedError


class TradesReader(RepairingReader[TradeBatch]):
    """The trades of a market, each once, and none before one that was missed."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any], http: HttpClient) -> None:
        super().__init__(socket, members, http)
        self._known: dict[tuple[str, int], Trade] = {}
        #: The number of the first trade that came; None before the first message.
        self._first: int | None = None
        #: What has come since a repair began; None without one.
        self._held: list[Trade] | None = None
        self._has_init = False

    def first_item(self) -> TradeBatch | None:
        return None if self._first is None else TradeBatch("init", tuple(in_order(self._known.values())[-20:]))

    def subscribe(self) -> None:
        self._has_init = False
        super().subscribe()

    def interrupt(self) -> None:
        super().interrupt()
        self._held = None

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        # Of a market without a trade nothing came before.
        if not self._has_init:
            self._take_init([])

    def handle_message(self, message: dict[str, Any]) -> None:
        if message["type"] not in ("init", "update") or self.phase not in ("subscribing", "following"):
            return
        trades = [trade_of(record) for record in message["trades"]]
        if message["type"] == "init":
            self._take_init(trades)
        elif message.get("tradesLeftOut"):
            held = [*(self._held or []), *trades]
            self.start_repair([])
            self._held = held
        elif self._held is not None:
            self._held = [*self._held, *trades][-HELD_MAX:]
        else:
            self._emit_new("update", trades)

    def _take_init(self, newest: list[Trade]) -> None:
        self._has_init = True
        super().handle_subscribed({})
        if self._first is None:
            self._first = newest[0].number if newest else -1
            self._emit_new("init", newest)
        else:
            self.start_repair(newest)
            self._held = []

    def _emit_new(self, kind: Kind, trades: list[Trade], taken_back: tuple[Trade, ...] = (), left_out: int = 0) -> None:
        fresh = {trade.key: trade for trade in trades if trade.key not in self._known}
        self._known.update(fresh)
        for trade in taken_back:
            del self._known[trade.key]
        if len(self._known) > limits.TRADES_KNOWN + limits.REREAD:
            self._known = {trade.key: trade for trade in in_order(self._known.values())[-limits.TRADES_KNOWN :]}
        if fresh or taken_back or left_out or kind == "init":
            self.emit(TradeBatch(kind, tuple(fresh.values()), taken_back, left_out))

    async def read_missed(self, newest: list[Trade]) -> bool:
        first = -1 if self._first is None else self._first
        last = max((trade.number for trade in self._known.values()), default=-1)
        pages: dict[tuple[str, int], Trade] = {}
        is_whole, oldest = True, last
        async for trade in self.http.trades(self.members["symbol"]):
            pages[trade.key], oldest = trade, trade.number
            if oldest <= max(last - limits.REREAD, first):
                break
            if len(pages) == HELD_MAX:
                is_whole = False
                break
        newest_read = max((trade.number for trade in pages.values()), default=-1)
        if newest and newest_read <= newest[-1].number and not any(trade.key in pages for trade in newest):
            return False
        found = {trade.key: trade for trade in [*pages.values(), *newest, *(self._held or [])]}
        covered = range(oldest, max((trade.number for trade in found.values()), default=-1) + 1)
        taken_back = tuple(trade for key, trade in self._known.items() if key not in found and trade.number in covered)
        self._held = None
        missed = in_order(trade for trade in found.values() if trade.number >= max(last - limits.REREAD, first))
        self._emit_new("repair", missed, taken_back, 0 if is_whole else max(0, oldest - last - 1))
        return True


class CandlesReader(RepairingReader[Candle]):
    """The candles of a market and a resolution, as each begins and changes."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any], http: HttpClient) -> None:
        super().__init__(socket, members, http)
        self._known: dict[int, Candle] = {}
        #: The candles that have come since a repair began: what it reads of them may be older.
        self._since: set[int] = set()

    def first_item(self) -> Candle | None:
        return self._known[max(self._known)] if self._known else None

    def handle_message(self, message: dict[str, Any]) -> None:
        if message["type"] not in ("init", "update", "create") or self.phase not in ("subscribing", "following"):
            return
        candle = candle_of(message["candle"])
        is_far = candle.ts - max(self._known, default=candle.ts) > RESOLUTION_S[self.members["resolution"]]
        # An `init` comes when a subscription begins, and where updates were left out.
        if is_far or (message["type"] == "init" and self._known):
            self._since.clear()
            self.start_repair([candle])
        self._since.add(candle.ts)
        self._emit_changed([candle])

    def _emit_changed(self, candles: list[Candle]) -> None:
        for candle in candles:
            if self._known.get(candle.ts) != candle:
                self._known[candle.ts] = candle
                self.emit(candle)
        for ts in sorted(self._known)[: -limits.CANDLES_KNOWN]:
            del self._known[ts]

    async def read_missed(self, newest: list[Candle]) -> bool:
        symbol, resolution = self.members["symbol"], self.members["resolution"]
        candles = await self.http.candles(symbol, resolution, from_s=min(self._known))
        self._emit_changed([candle for candle in candles if candle.ts not in self._since])
        return any(candle.ts == newest[0].ts for candle in candles)


def in_order(trades: Iterable[Trade]) -> list[Trade]:
    return sorted(trades, key=lambda trade: trade.number)


def keep_trades(waiting: deque[TradeBatch], batch: TradeBatch) -> None:
    """All wait, up to a maximum: then the oldest go, and the number of their trades and what they took back is told."""
    waiting.append(batch)
    if len(waiting) > limits.BATCHES_WAITING_MAX:
        dropped, after = waiting.popleft(), waiting.popleft()
        left_out = after.left_out + dropped.left_out + len(dropped.trades)
        waiting.appendleft(after._replace(left_out=left_out, taken_back=dropped.taken_back + after.taken_back))


def keep_candles(waiting: deque[Candle], candle: Candle) -> None:
    """Of each candle the newest state waits."""
    for other in [other for other in waiting if other.ts == candle.ts]:
        waiting.remove(other)
    waiting.append(candle)
