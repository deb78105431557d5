"""Trades and candles through lost connections, forks and messages that were left out."""

import asyncio
import unittest
from collections import deque
from typing import Any

from scripted_service import ScriptedService
from slotbook import Client, HttpClient, SlotbookError, TradeBatch
from slotbook.market_data import keep_trades
from slotbook.records import trade_of
from test_http import CANDLE, TRADE


def trade(number: int, sig: str = "") -> dict[str, Any]:
    return {**TRADE, "fillRecordId": str(number), "txSig": sig or f"tx {number}"}


def candle(ts: int, volume: int) -> dict[str, Any]:
    return {**CANDLE, "ts": ts, "symbol": "SOL-PERP", "resolution": "1", "baseVolume": volume, "fillOpen": 85, "fillClose": 85,
            "fillHigh": 85, "fillLow": 85}  # fmt: skip


class Pages(HttpClient):
    """The stored trades and candles of a market, oldest first, in pages as the service has them."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1")
        self.trades_stored: list[dict[str, Any]] = []
        self.candles_stored: list[dict[str, Any]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def get(self, path: str, **query: Any) -> Any:
        await self.may_answer.wait()
        if path == "/candles":
            return [one for one in self.candles_stored if one["ts"] >= query["from"]]
        begin, limit = int(query["page"] or 0), query["limit"]
        newest = self.trades_stored[::-1]
        end = begin + limit
        return {"records": newest[begin:end], "meta": {"nextPage": str(end) if end < len(newest) else None}}


class MarketData(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.service = await self.enterAsyncContext(ScriptedService())
        self.client = await self.enterAsyncContext(Client(self.service.url))
        self.pages = Pages()
        self.client.http = self.pages

    async def send_trades(self, kind: str, numbers: list[int], **members: Any) -> None:
        trades = [trade(number) for number in numbers]
        await self.service.send({"type": kind, "channelType": "trades", "symbol": "SOL-PERP", "trades": trades, **members})

    async def accept(self, *first: dict[str, Any]) -> None:
        """Sends the first messages and the acknowledgement of the next subscription, in this order."""
        message = await self.service.next_message("subscribe")
        await self.service.send(*first, {**message, "type": "subscription", "message": "Subscribed"})

    async def next_batch(self, trades: Any) -> TradeBatch:
        return await asyncio.wait_for(trades.__anext__(), 30)

    async def follow_trades(self) -> Any:
        trades = self.client.trades("SOL-PERP").subscribe()
        message = await self.service.next_message("subscribe")
        await self.send_trades("init", [1, 2, 3])
        await self.service.send({**message, "type": "subscription", "message": "Subscribed"})
        batch = await self.next_batch(trades)
        self.assertEqual((batch.kind, numbers_of(batch)), ("init", [1, 2, 3]))
        return trades

    async def reconnect(self, newest: list[int]) -> None:
        self.service.cut()
        message = await self.service.next_message("subscribe")
        await self.send_trades("init", newest)
        await self.service.send({**message, "type": "subscription", "message": "Subscribed"})

    async def test_missed_trades_come_before_newer_ones_and_none_twice(self) -> None:
        trades = await self.follow_trades()
        await self.send_trades("update", [3, 4])
        self.assertEqual(numbers_of(await self.next_batch(trades)), [4])
        self.pages.trades_stored = [trade(number) for number in range(1, 9)]
        self.pages.may_answer.clear()
        await self.reconnect([7, 8])
        await self.send_trades("update", [9])
        await asyncio.sleep(0.05)
        self.pages.may_answer.set()
        batch = await self.next_batch(trades)
        self.assertEqual((batch.kind, numbers_of(batch), batch.left_out), ("repair", [5, 6, 7, 8, 9], 0))
        await self.send_trades("update", [10])
        self.assertEqual(numbers_of(await self.next_batch(trades)), [10])

    async def test_trades_that_a_fork_reverts_are_taken_back(self) -> None:
        trades = await self.follow_trades()
        self.pages.trades_stored = [trade(1), trade(2), trade(3, "other"), trade(4)]
        await self.reconnect([4])
        batch = await self.next_batch(trades)
        self.assertEqual([one.tx_sig for one in batch.trades], ["other", "tx 4"])
        self.assertEqual([one.tx_sig for one in batch.taken_back], ["tx 3"])

    async def test_trades_that_the_service_leaves_out_are_read(self) -> None:
        trades = await self.follow_trades()
        self.pages.trades_stored = [trade(number) for number in range(1, 500)]
        await self.send_trades("update", [499], tradesLeftOut=495)
        batch = await self.next_batch(trades)
        self.assertEqual((batch.kind, numbers_of(batch)), ("repair", list(range(4, 500))))

    async def test_an_answer_that_is_older_than_the_socket_is_asked_for_again(self) -> None:
        trades = await self.follow_trades()
        self.pages.trades_stored = [trade(1), trade(2), trade(3)]
        await self.reconnect([5])
        await asyncio.sleep(0.2)
        self.pages.trades_stored += [trade(4), trade(5)]
        self.assertEqual(numbers_of(await self.next_batch(trades)), [4, 5])

    async def test_a_repair_that_takes_long_counts_each_trade_once(self) -> None:
        trades = await self.follow_trades()
        self.pages.may_answer.clear()
        await self.reconnect([1, 2, 3])
        for first in range(4, 12_004, 500):
            await self.send_trades("update", list(range(first, first + 500)))
        await self.service.send({"type": "update", "channelType": "trades", "symbol": "SOL-PERP", "trades": [trade(12_004)]})
        reader = next(iter(self.client._socket.readers.values()))
        async with asyncio.timeout(30):
            while 12_004 not in {one.number for one in reader._held or []}:  # type: ignore[attr-defined]
                await asyncio.sleep(0.05)
        self.pages.trades_stored = [trade(number) for number in range(1, 12_005)]
        self.pages.may_answer.set()
        batch = await self.next_batch(trades)
        self.assertEqual((len(batch.trades), batch.left_out), (10_000, 2_001))

    async def test_a_slow_loop_is_told_what_it_has_lost(self) -> None:
        trades = await self.follow_trades()
        second = self.client.trades("sol-perp").subscribe()
        self.assertEqual((second.newest or TradeBatch("update", ())).kind, "init")
        for number in range(4, 1_204):
            await self.send_trades("update", [number])
        while numbers_of(trades.newest) != [1_203]:
            await asyncio.sleep(0.01)
        batch = await self.next_batch(trades)
        self.assertEqual((numbers_of(batch), batch.left_out), ([204], 200))

    async def test_a_slow_loop_is_told_each_trade_that_was_taken_back(self) -> None:
        batches = deque([TradeBatch("repair", (), (trade_of(trade(3)),)), TradeBatch("update", (trade_of(trade(4)),))])
        for number in range(5, 2_000):
            keep_trades(batches, TradeBatch("update", (trade_of(trade(number)),)))
        self.assertEqual([one.fill_record_id for one in batches[0].taken_back], [3])

    async def test_the_key_of_a_market_is_no_symbol(self) -> None:
        for make in (lambda: self.client.trades("perp_0"), lambda: self.client.candles("SPOT_1", "1")):
            with self.assertRaises(SlotbookError) as raised:
                make()
            self.assertEqual(raised.exception.code, "INVALID_OPTION")

    async def test_the_end_of_what_the_service_had_refused_ends_no_later_subscription(self) -> None:
        trades = self.client.trades("SOL-PERP").subscribe()
        named = {"channelType": "trades", "symbol": "SOL-PERP"}
        first = await self.service.next_message("subscribe")
        self.client.candles("SOL-PERP", "1").subscribe()
        trades.close()
        trades = self.client.trades("SOL-PERP").subscribe()
        for _ in range(3):
            message = await self.service.received.get()
        error = {"type": "error", "message": "a text", **named}
        await self.service.send({**error, "code": "NOT_READY", "id": first["id"]}, {**error, "code": "NOT_SUBSCRIBED"})
        await self.send_trades("init", [1])
        await self.service.send({**message, "type": "subscription", "message": "Subscribed"})
        self.assertEqual(numbers_of(await self.next_batch(trades)), [1])

    async def test_candles_that_were_missed_are_read_and_newer_ones_stay(self) -> None:
        candles = self.client.candles("SOL-PERP", "1").subscribe()
        init = {"type": "init", "channelType": "candle", "symbol": "SOL-PERP", "resolution": "1"}
        await self.accept({**init, "candle": candle(60, 1)})
        seen = [(await candles.__anext__())[0:7:6]]
        self.pages.candles_stored = [candle(60, 2), candle(120, 3), candle(180, 4)]
        self.pages.may_answer.clear()
        self.service.cut()
        await self.accept({**init, "candle": candle(180, 4)})
        await self.service.send({"type": "update", "candle": candle(180, 5), "trades": []})
        await asyncio.sleep(0.05)
        self.pages.may_answer.set()
        while len(seen) < 4:
            one = await asyncio.wait_for(candles.__anext__(), 30)
            seen.append((one.ts, one.base_volume))
        self.assertEqual(sorted(seen[1:]), [(60, 2), (120, 3), (180, 5)])


def numbers_of(batch: TradeBatch) -> list[int]:
    return [one.number for one in batch.trades]


if __name__ == "__main__":
    unittest.main()
