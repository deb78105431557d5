"""Trades and candles over the socket: what a lost connection left out is read from the pages before anything newer comes."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import limits
from .errors import ProtocolViolation, SlotbookError
from .http import HttpClient
from .reader import Reader
from .records import Candle, Trade, TradeBatch, candle_of, trade_of

if TYPE_CHECKING:
    from .service_socket import ServiceSocket

Item = TypeVar("Item")
Record = TypeVar("Record", Trade, Candle)

RESOLUTION_S = {"1": 60, "5": 300, "15": 900, "60": 3600, "240": 14400, "D": 86400, "1440": 86400, "W": 604800, "M": 2678400}


class RepairingReader(Reader[Item], Generic[Item, Record]):
    """A reader which holds what comes while it reads what was missed."""

    def __init__(self, socket: "ServiceSocket", members: dict[str, Any], http: HttpClient) -> None:
        super().__init__(socket, members)
        self.http = http
        self.symbol: str = members["symbol"]
        #: None unless something that was missed is being read.
        self.held: list[Record] | None = None
        self._repairing: asyncio.Task[None] | None = None
        socket.name_reader(":".join(members[name].lower() for name in ("symbol", "resolution") if name in members), self)

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        self.begin()

    def begin(self) -> None:
        if self.phase == "subscribing":
            self.enter("following")
            self.socket.connection.reset_pause()

    def start_repair(self, newest: list[Record]) -> None:
        """Reads what was missed; `newest` is the last that the socket has sent."""
        self._cancel_repair()
        self.held = []
        self._repairing = asyncio.create_task(self._repair(newest))

    async def _repair(self, newest: list[Record]) -> None:
        while True:
            try:
                if await self.read_missed(newest):
                    self.held = None
                    return
            except SlotbookError as error:
                self.socket.hooks.on_retry(error)
            await asyncio.sleep(limits.AGAIN_S)

    async def read_missed(self, newest: list[Record]) -> bool:
        """Emits what was missed and what is held; False where the answer is older than `newest`."""
        raise NotImplementedError

    def interrupt(self) -> None:
        self._cancel_repair()

    def leave(self, subscription: Any) -> None:
        super().leave(subscription)
        if self.phase == "ended":
            self._cancel_repair()

    def _cancel_repair(self) -> None:
        self.held = None
        if self._repairing is not None:
            self._repairing.cancel()
            self._repairing = None


class TradesReader(RepairingReader[TradeBatch, Trade]):
    """The trades of a market, each once."""

    def __init__(self, socket: "ServiceSocket", symbol: str, http: HttpClient) -> None:
        super().__init__(socket, {"channelType": "trades", "symbol": symbol}, http)
        self._known: dict[tuple[str, int], Trade] = {}
        #: The number of the first trade that came; None before the first message.
        self._first: int | None = None
        self._has_init = False

    def first_item(self) -> TradeBatch | None:
        newest = sorted(self._known.values(), key=lambda trade: trade.number)[-20:]
        return TradeBatch("init", tuple(newest)) if self._first is not None else None

    def subscribe(self) -> None:
        self._has_init = False
        super().subscribe()

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        super().handle_subscribed(message)
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
            held = self.held or []
            self.start_repair([])
            self.held = held + trades
        elif self.held is not None:
            self.held += trades
        else:
            self._emit_new("update", trades)

    def _take_init(self, newest: list[Trade]) -> None:
        self._has_init = True
        self.begin()
        if self._first is not None:
            self.start_repair(newest)
            return
        self._first = newest[0].number if newest else -1
        self._emit_new("init", newest)

    def _emit_new(self, kind: Any, trades: list[Trade], taken_back: tuple[Trade, ...] = (), left_out: int = 0) -> None:
        fresh = {trade.key: trade for trade in trades if trade.key not in self._known}
        for trade in taken_back:
            del self._known[trade.key]
        self._known.update(fresh)
        if len(self._known) > limits.TRADES_KNOWN + limits.REREAD:
            newest = sorted(self._known.values(), key=lambda trade: trade.number)[-limits.TRADES_KNOWN :]
            self._known = {trade.key: trade for trade in newest}
        if fresh or taken_back or left_out or kind == "init":
            self.emit(TradeBatch(kind, tuple(fresh.values()), taken_back, left_out))

    async def read_missed(self, newest: list[Trade]) -> bool:
        last = max((trade.number for trade in self._known.values()), default=-1)
        floor = max(last - limits.REREAD, -1 if self._first is None else self._first)
        pages: dict[tuple[str, int], Trade] = {}
        is_whole = True
        async for trade in self.http.trades(self.symbol):
            pages[trade.key] = trade
            if trade.number <= floor:
                break
            if len(pages) == limits.REPAIR_PAGES_MAX * limits.PAGE_MAX:
                is_whole = False
                break
        if newest and not any(trade.key in pages for trade in newest):
            return False
        found = {trade.key: trade for trade in [*pages.values(), *newest, *(self.held or [])]}
        numbers = [trade.number for trade in pages.values()] or [0]
        covered = range(min(numbers), max([*numbers, *(trade.number for trade in newest)]) + 1)
        taken_back = [trade for key, trade in self._known.items() if key not in found and trade.number in covered]
        missed = [trade for trade in found.values() if trade.number >= floor]
        left_out = 0 if is_whole else max(0, min(numbers) - last - 1)
        self._emit_new("repair", sorted(missed, key=lambda trade: trade.number), tuple(taken_back), left_out)
        return True


class CandlesReader(RepairingReader[Candle, Candle]):
    """The candles of a market and a resolution, as each begins and changes."""

    def __init__(self, socket: "ServiceSocket", symbol: str, resolution: str, http: HttpClient) -> None:
        super().__init__(socket, {"symbol": symbol, "resolution": resolution}, http)
        self._resolution = resolution
        self._known: dict[int, Candle] = {}

    def first_item(self) -> Candle | None:
        return self._known[max(self._known)] if self._known else None

    def handle_subscribed(self, message: dict[str, Any]) -> None:
        super().handle_subscribed(message)
        # Also what was missed before an `init` is known now.
        if self._known:
            self.start_repair([])

    def handle_message(self, message: dict[str, Any]) -> None:
        if message["type"] not in ("init", "update", "create") or self.phase not in ("subscribing", "following"):
            return
        candle = candle_of(message["candle"])
        if self.held is not None:
            self.held.append(candle)
            return
        is_again = message["type"] == "init" and self.phase == "following"
        last = max(self._known, default=candle.ts)
        is_far = candle.ts - last > RESOLUTION_S[self._resolution]
        if is_again or is_far or (self.phase == "subscribing" and self._known):
            self.start_repair([candle])
        else:
            self._emit_new([candle])

    def _emit_new(self, candles: list[Candle]) -> None:
        for candle in candles:
            if self._known.get(candle.ts) != candle:
                self._known[candle.ts] = candle
                self.emit(candle)
        for ts in sorted(self._known)[: -limits.CANDLES_KNOWN]:
            del self._known[ts]

    async def read_missed(self, newest: list[Candle]) -> bool:
        missed = await self.http.candles(self.symbol, self._resolution, from_s=min(self._known))
        found = {candle.ts: candle for candle in missed}
        if any(candle.ts not in found for candle in newest):
            return False
        # What has come since may be older than the answer or newer: of a candle the one with more volume is newer.
        for candle in [*newest, *(self.held or [])]:
            if candle.base_volume >= found.get(candle.ts, candle).base_volume:
                found[candle.ts] = candle
        self._emit_new([found[ts] for ts in sorted(found)])
        return True


def keep_trades(waiting: deque[TradeBatch], batch: TradeBatch) -> None:
    """All wait, up to a maximum: then the oldest go, and their number is told."""
    waiting.append(batch)
    while len(waiting) > 1 and sum(len(one.trades) for one in waiting) > limits.TRADES_WAITING_MAX:
        dropped, after = waiting.popleft(), waiting.popleft()
        waiting.appendleft(after._replace(left_out=after.left_out + dropped.left_out + len(dropped.trades)))


def keep_candles(waiting: deque[Candle], candle: Candle) -> None:
    """Of each candle the newest state waits."""
    for index, other in enumerate(waiting):
        if other.ts == candle.ts:
            waiting[index] = candle
            return
    waiting.append(candle)
