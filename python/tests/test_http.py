"""Requests against a real HTTP server: pages, errors, attempts that are made again; and amounts."""

import asyncio
import gzip
import json
import threading
import time
import unittest
import urllib.parse
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from slotbook import HttpClient, Level, Moment, SlotbookError, as_base, as_price, raw_base, raw_price, to_pandas, to_polars
from slotbook.http import moment_of
from slotbook.records import candle_of, trade_of

TRADE = {
    "symbol": "SOL-PERP", "ts": "1750000000", "slot": "350000000", "fillRecordId": "7", "txSig": "sig", "txSigIndex": 0,
    "baseAssetAmountFilled": "0.000000003", "quoteAssetAmountFilled": "9007199254740993.000001", "takerOrderDirection": "long",
    "taker": "taker", "takerOrderId": "5", "maker": "", "makerOrderId": "", "takerFee": "0.000001", "makerFee": "-0.000002",
    "oraclePrice": "85.016800", "actionExplanation": "orderFilledWithAmm",
}  # fmt: skip
CANDLE = {
    "ts": 60, **dict.fromkeys(("fillOpen", "fillHigh", "fillLow", "fillClose"), Decimal("85.1")),
    **dict.fromkeys(("oracleOpen", "oracleHigh", "oracleLow", "oracleClose"), 85), "baseVolume": 0, "quoteVolume": 0,
}  # fmt: skip
Answer = tuple[int, Any, dict[str, str]]


class Http(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.answer: Callable[[str, dict[str, str]], Answer] = lambda path, query: (200, {}, {})
        test = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                test.asked.append((url.path, query))
                status, body, headers = test.answer(url.path, query)
                data = body if isinstance(body, bytes) else json.dumps(body, default=float).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.http = HttpClient(f"http://127.0.0.1:{server.server_port}/v1/")

    async def code_of(self, path: str) -> str:
        with self.assertRaises(SlotbookError) as raised:
            await self.http.get(path)
        return raised.exception.code

    async def test_an_error_has_the_code_of_the_service(self) -> None:
        error = {"error": {"code": "OUT_OF_RANGE", "message": "depth was 5000, must be 1 to 1000", "param": "depth"}}
        self.answer = lambda path, query: (400, error, {})
        with self.assertRaises(SlotbookError) as raised:
            await self.http.l2("SOL-PERP", depth=5000, include_vamm=True)
        self.assertEqual((raised.exception.code, raised.exception.status, raised.exception.param), ("OUT_OF_RANGE", 400, "depth"))
        self.assertEqual(self.asked, [("/v1/l2", {"marketName": "SOL-PERP", "depth": "5000", "includeVamm": "true"})])

    async def test_what_may_pass_is_asked_again_after_the_time_that_the_service_names(self) -> None:
        later = (503, {"error": {"code": "NOT_READY", "message": "later"}}, {"Retry-After": "1"})
        self.answer = lambda path, query: later if len(self.asked) < 2 else (200, [], {})
        self.assertEqual(await self.http.markets(), [])
        self.assertEqual(len(self.asked), 2)
        self.answer = lambda path, query: (503, b"<html>", {"Retry-After": "31"})
        self.assertEqual(await self.code_of("/markets"), "HTTP_STATUS")
        self.assertEqual(len(self.asked), 3)

    async def test_answers_that_are_none_are_errors(self) -> None:
        for body in (b"", b"{", b"[" * 100_000, b"\xff"):
            self.answer = lambda path, query, body=body: (200, body, {})  # type: ignore[misc]
            self.assertEqual(await self.code_of("/status"), "MALFORMED_ANSWER")
        self.answer = lambda path, query: (200, b"no gzip", {"Content-Encoding": "gzip"})
        self.http._retries_max = 0
        self.assertEqual(await self.code_of("/status"), "UNREACHABLE")
        damaged = bytearray(gzip.compress(b"[]" * 999))
        damaged[12:20] = b"\xff" * 8
        for status in (200, 400):
            self.answer = lambda path, query, status=status: (status, bytes(damaged), {"Content-Encoding": "gzip"})  # type: ignore[misc]
            self.assertEqual(await self.code_of("/status"), "MALFORMED_ANSWER" if status == 200 else "HTTP_STATUS")
        books: list[Any] = [{}, [], {"bids": [], "asks": [{}]}]
        for book in books:
            self.answer = lambda path, query, book=book: (200, book, {})  # type: ignore[misc]
            with self.assertRaises(SlotbookError) as raised:
                await self.http.l3("SOL-PERP")
            self.assertEqual(raised.exception.code, "MALFORMED_ANSWER")

    async def test_pages_are_read_to_the_last(self) -> None:
        def answer(path: str, query: dict[str, str]) -> Answer:
            page = int(query.get("page", 0))
            body = {"records": [{**TRADE, "fillRecordId": str(9 - page)}], "meta": {"nextPage": str(page + 1) if page < 2 else None}}
            return 200, gzip.compress(json.dumps(body).encode()), {"Content-Encoding": "gzip"}

        self.answer = answer
        self.assertEqual([trade.fill_record_id async for trade in self.http.trades("SOL-PERP")], [9, 8, 7])
        self.assertEqual(self.asked[2], ("/v1/market/SOL-PERP/trades", {"page": "2", "limit": "1000"}))

    async def test_candles_of_a_long_range_are_read_in_pages(self) -> None:
        def answer(path: str, query: dict[str, str]) -> Answer:
            end = int(query.get("to", 60 * 2_499))
            newest = range(0, end + 1, 60)[-1_000:]
            return 200, [{**CANDLE, "ts": ts} for ts in newest], {}

        self.answer = answer
        candles = await self.http.candles("SOL-PERP", "1", from_s=0)
        self.assertEqual([candle.ts for candle in candles], list(range(0, 60 * 2_500, 60)))
        self.assertEqual(candles[0].close, Decimal("85.1"))

    async def test_an_answer_that_comes_byte_by_byte_ends_at_the_time_limit(self) -> None:
        async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            for _ in range(9):
                writer.write(b" ")
                await asyncio.sleep(0.4)
            writer.close()

        async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
            http = HttpClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", timeout_s=1, retries_max=0)
            began = time.monotonic()
            with self.assertRaises(SlotbookError) as raised:
                await http.get("/status")
            self.assertEqual(raised.exception.code, "TIMEOUT")
            self.assertLess(time.monotonic() - began, 3)

    async def test_nobody_listens(self) -> None:
        http = HttpClient("http://127.0.0.1:1", retries_max=0)
        with self.assertRaises(SlotbookError) as raised:
            await http.markets()
        self.assertEqual(raised.exception.code, "UNREACHABLE")


class Amounts(unittest.TestCase):
    def test_amounts_keep_every_digit(self) -> None:
        self.assertEqual(str(as_price(85016800)), "85.016800")
        self.assertEqual(str(as_base(-(2**127))), "-170141183460469231731687303715.884105728")
        for raw in (0, 1, -1, 2**64 - 1, 2**127 - 1, -(2**127), 10**28 + 1):
            self.assertEqual(raw_base(as_base(raw)), raw)
            self.assertEqual(raw_price(str(as_price(raw))), raw)

    def test_what_is_finer_than_the_unit_or_no_number_is_an_error(self) -> None:
        for value in ("0.0000001", "NaN", "Infinity", "", "1,5", None):
            with self.assertRaises(SlotbookError) as raised:
                raw_price(value)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "INVALID_AMOUNT")

    def test_a_trade_is_the_same_of_texts_and_of_numbers(self) -> None:
        trade = trade_of(TRADE)
        self.assertEqual((trade.base, trade.quote, trade.maker, trade.maker_fee), (3, 9007199254740993000001, None, -2))
        numbers = {**TRADE, "ts": 1750000000, "quoteAssetAmountFilled": Decimal("9007199254740993.000001"), "maker": None}
        self.assertEqual(trade_of(numbers), trade)
        self.assertEqual(trade_of({**TRADE, "baseAssetAmountFilled": "0.3", "quoteAssetAmountFilled": "25.5"}).price, 85000000)
        changes: list[dict[str, Any]] = [{"ts": "x"}, {"ts": None}, {"takerFee": "1.0000001"}, {"baseAssetAmountFilled": {}}]
        for change in changes:
            with self.assertRaises(SlotbookError):
                trade_of({**TRADE, **change})

    def test_moments_are_of_a_zone(self) -> None:
        local = datetime(2025, 6, 15, 17, tzinfo=timezone(timedelta(hours=2)))
        self.assertEqual(moment_of(local), Moment(ts=1750000000000 - 400_000))
        with self.assertRaises(SlotbookError):
            moment_of(datetime(2025, 6, 15))

    def test_data_frames_have_units_or_exact_integers(self) -> None:
        rows = [Level(85016800, 150000000, {"dlob": 150000000}), Level(85016700, 250000000, {"vamm": 250000000})]
        for make in (to_pandas, to_polars):
            try:
                frame = make(rows)
            except ModuleNotFoundError as error:
                self.skipTest(f"needs {error.name}")
            self.assertEqual((list(frame["price"]), list(frame["size"])), ([85.0168, 85.0167], [0.15, 0.25]))
            self.assertEqual(list(frame["sources"]), [{"dlob": 0.15, "vamm": 0}, {"dlob": 0, "vamm": 0.25}])
            self.assertEqual(list(make(rows, exact=True)["price"]), [85016800, 85016700])
            self.assertEqual(make(rows, exact=True)["sources"][1], {"dlob": 0, "vamm": 250000000})
            candles = make([candle_of(CANDLE)])
            self.assertEqual((list(candles["close"]), candles["ts"][0].timestamp()), ([85.1], 60))
            self.assertEqual(list(make([])), [])


if __name__ == "__main__":
    unittest.main()
