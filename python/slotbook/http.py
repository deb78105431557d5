"""The paths of a service: docs/api.md and docs/market-data.md."""

import asyncio
import gzip
import json
import random
import re
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from decimal import Decimal
from http.client import HTTPException
from typing import Any, NamedTuple

from . import limits
from .errors import ProtocolViolation, SlotbookError, error_of
from .frames import frame_of, level_of, order_of
from .records import Candle, Trade, candle_of, trade_of
from .rows import BookView, Level, Order, Row

RETRIED = (408, 429, 500, 502, 503, 504)


class Moment(NamedTuple):
    """A past moment: `ts` in Unix milliseconds, a `slot`, or the `seq` of a market in an `epoch`."""

    ts: int | None = None
    slot: int | None = None
    epoch: str | None = None
    seq: int | None = None

    @property
    def members(self) -> dict[str, int | str]:
        return {name: value for name, value in self._asdict().items() if value is not None}


def moment_of(moment: Moment | datetime) -> Moment:
    """Returns a moment. Raises INVALID_OPTION for a time without a zone."""
    if isinstance(moment, Moment):
        return moment
    if moment.tzinfo is None:
        raise SlotbookError("INVALID_OPTION", f"{moment} has no time zone: use datetime.now(timezone.utc)")
    return Moment(ts=int(moment.timestamp() * 1000))


class HttpClient:
    """Requests to one service. An attempt that may succeed later is made again, four times.

    Every call raises SlotbookError with the code of the service, or UNREACHABLE, TIMEOUT, HTTP_STATUS, MALFORMED_ANSWER.
    Floating point is read as Decimal. Requests run on threads: one that is cancelled ends at its time limit.
    """

    def __init__(self, url: str, *, timeout_s: float = limits.REQUEST_S, retries_max: int = limits.RETRIES_MAX) -> None:
        """`url` is `http` or `https`. Raises INVALID_OPTION."""
        if not re.match("https?://[^/]", url):
            raise SlotbookError("INVALID_OPTION", f"url was {url}, must begin with http:// or https://")
        self._url, self._timeout_s, self._retries_max = url.rstrip("/"), timeout_s, retries_max

    async def get(self, path: str, **query: Any) -> Any:
        """Returns the body of any path; parameters have their names of docs/api.md, None is left out."""
        given = ((name, value) for name, value in query.items() if value is not None)
        pairs = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given}
        url = f"{self._url}{path}?{urllib.parse.urlencode(pairs, doseq=True)}".rstrip("?")
        for attempt in range(self._retries_max + 1):
            try:
                return await self._fetch(url)
            except SlotbookError as error:
                asked = error.retry_after_s or 0.0
                may_pass = error.status in RETRIED or error.code in ("UNREACHABLE", "TIMEOUT")
                if attempt == self._retries_max or not may_pass or asked > limits.PAUSE_ASKED_MAX_S:
                    raise
                bound = min(limits.PAUSE_CAP_S, limits.PAUSE_FIRST_S * 2**attempt)
                await asyncio.sleep(max(asked, random.uniform(0, bound)))

    async def _fetch(self, url: str) -> Any:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.to_thread(fetch_body, url, self._timeout_s)
        except TimeoutError as error:
            raise SlotbookError("TIMEOUT", f"{url} had no answer within {self._timeout_s} s") from error

    async def l2(self, market: str, *, moment: Moment | datetime | None = None, **query: Any) -> BookView[Level]:
        """Returns the book by price level, now or at a past moment of a service that keeps a journal.

        Parameters are those of GET /l2, such as `depth=20, grouping=10, include_vamm=True`.
        """
        body = await self.get("/l2", marketName=market, **past(moment), **camel_cased(query))
        return view_of(body, lambda row: level_of([row["price"], row["size"], row["sources"]]))

    async def l3(self, market: str, *, moment: Moment | datetime | None = None, **query: Any) -> BookView[Order]:
        """Returns the book by order, now or at a past moment. Parameters are those of GET /l3, such as `maker=KEY`."""
        return view_of(await self.get("/l3", marketName=market, **past(moment), **camel_cased(query)), order_of)

    async def markets(self) -> list[dict[str, Any]]:
        """Returns the markets that are served, as GET /markets."""
        markets: list[dict[str, Any]] = await self.get("/markets")
        return markets

    async def records(self, path: str, **query: Any) -> AsyncIterator[dict[str, Any]]:
        """Loops over the records of all pages of a path with `meta.nextPage`, such as `/market/SOL-PERP/fundingRates`."""
        page: str | None = query.pop("page", None)
        while True:
            body = await self.get(path, page=page, **query)
            try:
                records, page = body["records"], body["meta"]["nextPage"]
            except (KeyError, TypeError) as error:
                raise SlotbookError("MALFORMED_ANSWER", f"{path} has no pages") from error
            for record in records:
                yield record
            if page is None:
                return

    async def trades(self, symbol: str, *, page_size: int = limits.PAGE_MAX) -> AsyncIterator[Trade]:
        """Loops over all trades of a market, newest first. New trades shift no page."""
        async for record in self.records(f"/market/{urllib.parse.quote(symbol)}/trades", limit=page_size):
            yield trade_of(record)

    async def candles(self, symbol: str, resolution: str, *, from_s: int, to_s: int | None = None) -> list[Candle]:
        """Returns the candles that begin from `from_s` to `to_s`, Unix seconds, now by default; oldest first."""
        candles: list[Candle] = []
        while to_s is None or to_s >= from_s:
            query = {"symbol": symbol, "resolution": resolution, "limit": limits.PAGE_MAX}
            body = await self.get("/candles", **query, **{"from": from_s}, to=to_s)
            candles[:0] = (candle_of(record) for record in body)
            if len(body) < limits.PAGE_MAX:
                break
            to_s = candles[0].ts - 1
        return candles


def past(moment: Moment | datetime | None) -> dict[str, int | str]:
    return {} if moment is None else moment_of(moment).members


def camel_cased(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options by their names of the service: `include_vamm` is `includeVamm`."""
    return {re.sub("_(.)", lambda found: found[1].upper(), name): value for name, value in options.items()}


def view_of(body: Any, read: Callable[[Any], Row]) -> BookView[Row]:
    try:
        head = frame_of({**body, "type": "heartbeat", "topic": ""})
        bids, asks = (tuple(read(row) for row in body[name]) for name in ("bids", "asks"))
        at = (str(body["marketName"]), head.epoch, head.seq, head.slot, head.ts, head.state)
        return BookView(*at, False, bids, asks, None)
    except (ProtocolViolation, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SlotbookError("MALFORMED_ANSWER", f"a book cannot be read: {error!r:.150}") from error


def fetch_body(url: str, timeout_s: float) -> Any:
    request = urllib.request.Request(url, headers={"Accept": "application/json", "Accept-Encoding": "gzip"})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            data, is_packed = response.read(), response.headers.get("Content-Encoding") == "gzip"
        return json.loads(gzip.decompress(data) if is_packed else data, parse_float=Decimal)
    except urllib.error.HTTPError as error:
        raise refusal_of(error) from error
    except TimeoutError:
        raise
    except (OSError, HTTPException, EOFError) as error:
        raise SlotbookError("UNREACHABLE", f"{url}: {error}") from error
    except (ValueError, RecursionError, zlib.error) as error:
        raise SlotbookError("MALFORMED_ANSWER", f"{url}: {error!r:.150}") from error


def refusal_of(response: urllib.error.HTTPError) -> SlotbookError:
    asked = response.headers.get("Retry-After", "")
    details: dict[str, Any] = {"status": response.code, "retry_after_s": float(asked) if asked.isdigit() else None}
    try:
        body = response.read()
        sent = json.loads(gzip.decompress(body) if response.headers.get("Content-Encoding") == "gzip" else body)
        return error_of(sent["error"], **details)
    except (OSError, ValueError, KeyError, TypeError, HTTPException, EOFError, AttributeError, zlib.error):
        return SlotbookError("HTTP_STATUS", f"the answer was {response.code}", **details)
