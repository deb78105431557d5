"""Follows topics of a service by the package of `python`, and compares each with GET /l2 or /l3 now and then.

    follow.py URL SECONDS SUBSCRIPTION...

Each SUBSCRIPTION is JSON of a channel and the arguments of its method, such as {"channel":"book","market":"SOL-PERP","depth":20};
`encoding` is of all. `trades` and `candles` are compared with their pages. It follows for SECONDS, and on until every topic had more
than a frame in one of them and a comparison in ten, at most ENOUGH_S longer. It prints a report as JSON, and exits with 1 when a rule
was broken, a book differed, or a topic was never compared. FOLLOW_SOCKET_URL is a way to the socket that may be cut.
"""

import asyncio
import collections
import json
import os
import sys
import time

from slotbook import Client, HttpClient

SILENCE_S = 3 * float(os.environ.get("FOLLOW_PATIENCE", "1"))
# Longest wait for what a slow machine has not followed within its time.
ENOUGH_S = 120
LOOK_S = 0.025
# States of a book that are kept to be compared.
HISTORY_MAX = 256


class Followed:
    """A book, and what it was at its last numbers."""

    def __init__(self, client, wish):
        arguments = {name: value for name, value in wish.items() if name not in ("channel", "encoding")}
        self.channel, self.market = wish["channel"], arguments.pop("market")
        self.arguments = arguments
        self.name = json.dumps(wish, separators=(",", ":"))
        self.counts = collections.Counter()
        self.history = collections.OrderedDict()
        self.book = getattr(client, self.channel)(self.market, **arguments).subscribe()
        self.book.on_update(self.remember)

    @property
    def is_empty(self):
        """Whether there are no orders: then nothing changes, and no frame ever has the number of an answer."""
        newest = self.book.newest
        return newest is not None and not newest.bids and not newest.asks

    def remember(self, view):
        self.counts["frames" if view.is_following else "breaks"] += 1
        self.history[view.epoch, view.seq] = (view.bids, view.asks)
        if len(self.history) > HISTORY_MAX:
            self.history.popitem(last=False)

    async def compare(self, http):
        """False when the answer is of a number that the topic has left out."""
        query = {name: value for name, value in self.arguments.items() if name not in ("timing", "interval_ms")}
        query["depth"] = 1 if self.channel == "bbo" else query.get("depth", 50)
        answer = await (http.l3 if self.channel == "l3" else http.l2)(self.market, **query)
        at = (answer.epoch, answer.seq)
        deadline = time.monotonic() + SILENCE_S
        while time.monotonic() < deadline and (view := self.book.newest).epoch == at[0] and view.seq < at[1]:
            await asyncio.sleep(LOOK_S)
        if at not in self.history:
            return False
        self.counts["compared"] += 1
        sides = [[row[:2] for row in side] if self.channel == "bbo" else list(side) for side in (answer.bids, answer.asks)]
        if [list(side) for side in self.history[at]] != sides:
            raise AssertionError(f"{self.name} differs at {at}")
        if self.channel == "book":
            self.counts.update(source for side in sides for level in side for source in level.sources)
        return True

    async def keep_comparing(self, http):
        while True:
            await asyncio.sleep(LOOK_S)
            if self.book.newest is not None and not self.is_empty and self.book.newest.is_following:
                await self.compare(http)

    def is_enough(self, seconds):
        has_quotes = not self.arguments.get("include_indicative") or self.channel != "book" or self.counts["indicative"]
        return has_quotes and self.counts["frames"] > seconds and self.counts["compared"] > seconds / 10


async def follow_trades(client, http, market, counts):
    """Each trade once, those that were missed included: the numbers of the fills have no hole, as in the pages."""
    numbers = []
    async with client.trades(market).subscribe() as trades:
        try:
            async for batch in trades:
                counts[batch.kind] += 1
                assert not batch.taken_back and not batch.left_out, batch
                numbers += [trade.fill_record_id for trade in batch.trades]
        finally:
            counts["trades"] = len(numbers)
            counts["inOrder"] = int(numbers == sorted(set(numbers)))
            pages = []
            async for trade in http.trades(market):
                pages.append(trade.fill_record_id)
                if numbers and trade.fill_record_id <= numbers[0]:
                    break
            missing = {number for number in pages if numbers and numbers[0] <= number <= numbers[-1]} - set(numbers)
            counts["missing"] = len(missing)


async def follow_candles(client, http, market, counts):
    """The newest state of each candle is that of the path, once nothing changes it any more."""
    candles = {}
    async with client.candles(market, "1").subscribe() as subscription:
        try:
            async for candle in subscription:
                counts["candles"] += 1
                candles[candle.ts] = candle
        finally:
            # The candles before the newest two do not change.
            closed = sorted(candles)[:-2]
            if closed:
                served = {candle.ts: candle for candle in await http.candles(market, "1", from_s=closed[0])}
                counts["different"] = sum(served.get(ts) != candles[ts] for ts in closed)
                counts["closed"] = len(closed)


async def main():
    url, seconds, *wishes = sys.argv[1:]
    seconds = float(seconds)
    wishes = [json.loads(wish) for wish in wishes]
    encoding = next((wish["encoding"] for wish in wishes if "encoding" in wish), "json")
    repairs, retries, states = [], [], collections.Counter()
    told = {
        "on_repair": lambda violation: repairs.append(str(violation)),
        "on_retry": lambda error: retries.append(str(error)),
        "on_connection": lambda state: states.update([state]),
    }
    http = HttpClient(url)
    client = Client(os.environ.get("FOLLOW_SOCKET_URL", url), encoding=encoding, silence_s=SILENCE_S, **told)
    books = [Followed(client, wish) for wish in wishes if wish["channel"] in ("book", "bbo", "l3")]
    streams = {wish["channel"]: collections.Counter() for wish in wishes if wish["channel"] in ("trades", "candles")}
    followers = {"trades": follow_trades, "candles": follow_candles}
    tasks = [asyncio.create_task(book.keep_comparing(http)) for book in books]
    for wish in wishes:
        if wish["channel"] in followers:
            work = followers[wish["channel"]](client, http, wish["market"], streams[wish["channel"]])
            tasks.append(asyncio.create_task(work))
    deadline = time.monotonic() + seconds + ENOUGH_S
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    while not done and time.monotonic() < deadline and not all(book.is_empty or book.is_enough(seconds) for book in books):
        done, _ = await asyncio.wait(tasks, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    await client.close()
    differences = [str(error) for error in ended if isinstance(error, Exception)]
    report = {
        "topics": {book.name: dict(book.counts) for book in books},
        **{name: dict(counts) for name, counts in streams.items()},
        "connects": states["open"],
        "repairs": repairs,
        "retries": retries,
        "differences": differences,
    }
    print(json.dumps(report, indent=2))
    compared = all(book.is_empty or book.counts["compared"] > 0 for book in books)
    sys.exit(0 if compared and not repairs and not differences else 1)


asyncio.run(main())
