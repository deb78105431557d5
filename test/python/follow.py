"""A small client of the streaming channels, written from docs/streaming.md alone.

    follow.py URL SECONDS SUBSCRIPTION...

URL is that of the service (http://HOST:PORT), each SUBSCRIPTION the JSON members that name a topic, such
as {"channel":"book","market":"SOL-PERP","depth":20}, with "encoding":"binary" as bytes; with the market "*" it is one topic of every market, those
that appear later included. All topics share one socket. Each is followed, each
frame is checked, and now and then the book is compared with GET /l2 or /l3. It follows for SECONDS, and on
until every topic had more than a delta in one of them and a comparison in ten, at most ENOUGH_S longer. At
the end it prints a report as JSON; it exits with 1 when a rule was broken, a book differed, or a topic was
never compared.
"""

import asyncio
import collections
import json
import os
import random
import sys
import time
import urllib.parse
import urllib.request
import zlib

import websockets

import binary

CHECKSUM_ROWS = 10
# On a machine that is too busy for the times of the description, they are so many times longer.
PATIENCE = float(os.environ.get("FOLLOW_PATIENCE", "1"))
CONNECT_S = 10 * PATIENCE
ANSWER_S = 5 * PATIENCE
SILENCE_S = 3 * PATIENCE
READ_S = 10 * PATIENCE
# Longest wait for what a slow machine has not followed within its time.
ENOUGH_S = 120
PAUSE_FIRST_S = 0.25
PAUSE_CAP_S = 5
ASK_AGAIN_S = 1
LOOK_S = 0.1
CANCEL_AGAIN_S = 0.1
COMPARE_EVERY_S = 0.1
# Answers are read until one is of a number that the topic has.
COMPARE_TRIES_MAX = 20
# States of a book that are kept to be compared.
HISTORY_MAX = 256
MESSAGE_BYTES_MAX = 1 << 20
REFUSALS = {"MALFORMED_MESSAGE", "MISSING_PARAM", "INVALID_PARAM", "OUT_OF_RANGE", "UNKNOWN_CHANNEL", "UNKNOWN_MARKET"}


class Breach(Exception):
    def __init__(self, rule, message):
        super().__init__(f"{rule}: {message}")
        self.rule = rule


class Side:
    """One side: rows by key, and in order."""

    def __init__(self, name, channel):
        self.sign = -1 if name == "bids" else 1
        self.is_orders = channel == "l3"
        self.rows = {}

    def key(self, row):
        return (row["maker"], row["orderId"]) if self.is_orders else row[0]

    def price_size(self, row):
        return (row["price"], row["size"]) if self.is_orders else (row[0], row[1])

    def place(self, row):
        price = self.sign * int(self.price_size(row)[0])
        return (price, int(row["queue"]) if self.is_orders else 0)

    def sorted(self):
        return sorted(self.rows.values(), key=self.place)

    def replace(self, rows):
        self.rows = {self.key(row): row for row in rows}
        if self.sorted() != list(rows):
            raise Breach("order", "a snapshot is not in order")

    def remove(self, key):
        if self.rows.pop(key, None) is None:
            raise Breach("absent", f"{key} goes and was not there")

    def change_levels(self, levels):
        for level in levels:
            if level[1] == "0":
                self.remove(level[0])
            else:
                self.rows[level[0]] = level

    def change_orders(self, changes):
        for maker, order_id in changes["remove"]:
            self.remove((maker, order_id))
        for name in ("change", "add"):
            for order in changes[name]:
                if (self.key(order) in self.rows) != (name == "change"):
                    raise Breach("absent", f"{name} of {self.key(order)}")
                self.rows[self.key(order)] = order


class Book:
    """The book of one topic."""

    def __init__(self, channel, depth):
        self.channel = channel
        self.depth = 1 if channel == "bbo" else depth
        self.sides = {name: Side(name, channel) for name in ("bids", "asks")}
        self.epoch = None
        self.seq = None
        self.state = None
        self.is_whole = False
        self.shown = None

    def apply(self, frame):
        if frame["type"] == "snapshot":
            self.is_whole = False
            for name in self.sides:
                self.sides[name].replace(self.rows_of(frame, name))
        else:
            self.check_place(frame)
            if frame["type"] == "delta":
                self.is_whole = False
                self.change(frame)
        if frame["type"] != "heartbeat":
            self.check(frame["crc"])
            self.epoch, self.seq = frame["epoch"], frame["seq"]
            self.is_whole = True
        self.state = frame["state"]

    def rows_of(self, frame, name):
        if self.channel != "bbo":
            return frame[name]
        best = frame[name[:-1]]
        return [] if best is None else [best]

    def check_place(self, frame):
        kind = frame["type"]
        if not self.is_whole:
            raise Breach("noSnapshot", f"a {kind} came")
        if frame["epoch"] != self.epoch:
            raise Breach("epoch", f"a {kind} of {frame['epoch']}, the book is of {self.epoch}")
        follows = frame["prev"] if kind == "delta" else frame["seq"]
        if follows > self.seq:
            raise Breach("gap", f"a {kind} follows {follows}, the book is at {self.seq}")
        # Another process may link to an earlier frame than the book is of.
        is_later = frame["seq"] > self.seq or (kind == "delta" and self.is_state_alone(frame))
        if follows < self.seq and not is_later:
            raise Breach("repeated", f"a {kind} follows {follows}, the book is at {self.seq}")

    def is_state_alone(self, frame):
        if frame["seq"] != self.seq:
            return False
        sides = [frame[name] for name in ("bids", "asks")] if self.channel != "bbo" else []
        lists = [rows for side in sides for rows in (side.values() if self.channel == "l3" else [side])]
        return not any(lists)

    def change(self, frame):
        before = self.shown
        for name, side in self.sides.items():
            if self.channel == "bbo":
                side.replace(self.rows_of(frame, name))
            elif self.channel == "l3":
                side.change_orders(frame[name])
            else:
                side.change_levels(frame[name])
        changed = [side.sorted() for side in self.sides.values()] != before
        if frame["seq"] < frame["prev"] or (frame["seq"] == frame["prev"] and changed):
            raise Breach("seq", f"{frame['seq']} after {frame['prev']}")

    def check(self, crc):
        self.shown = [side.sorted() for side in self.sides.values()]
        parts = []
        for at in range(CHECKSUM_ROWS):
            for side, rows in zip(self.sides.values(), self.shown):
                if at < len(rows):
                    parts.extend(side.price_size(rows[at]))
        for side, rows in zip(self.sides.values(), self.shown):
            if len(rows) > self.depth:
                raise Breach("depth", f"{len(rows)} rows")
            if any(int(side.price_size(row)[1]) == 0 for row in rows):
                raise Breach("empty", "a row has no size")
            places = [side.place(row) for row in rows]
            if any(one >= next_one for one, next_one in zip(places, places[1:])):
                raise Breach("order", "two rows have one place")
        own = zlib.crc32(":".join(parts).encode()) & 0xFFFFFFFF
        if own != crc:
            raise Breach("crc", f"{own}, the frame says {crc}")


class Topic:
    """A subscription and where it stands: subscribing, waiting, following or pausing."""

    def __init__(self, wish):
        self.wish = wish
        self.book = Book(wish["channel"], wish.get("depth", 50))
        self.phase = "pausing"
        self.id = None
        self.name = None
        self.late_at = float("inf")
        self.healed_at = -float("inf")
        # What was shown at the last numbers, to be compared.
        self.history = collections.OrderedDict()
        self.counts = collections.Counter()

    @property
    def is_empty(self):
        """Whether there are no orders: then nothing changes, and no frame ever has the number of an answer."""
        return self.book.shown == [[], []]

    def enter(self, phase, patience=float("inf")):
        self.phase = phase
        self.late_at = time.monotonic() + patience

    def remember(self):
        at = (self.book.epoch, self.book.seq)
        self.history[at] = self.book.shown
        self.history.move_to_end(at)
        if len(self.history) > HISTORY_MAX:
            self.history.popitem(last=False)


class Wildcard:
    """A subscription to all markets. Its topics are followed like any other, and healed one by one."""

    def __init__(self, wish):
        self.wish = wish
        self.id = None
        self.name = None


class Client:
    """All topics over one socket that comes again when it breaks."""

    def __init__(self, url, wishes):
        self.url = url
        self.topics = [Topic(wish) for wish in wishes if wish["market"] != "*"]
        self.wildcards = [Wildcard(wish) for wish in wishes if wish["market"] == "*"]
        self.socket = None
        self.next_id = 0
        self.failures = 0
        self.asked_pause = None
        self.connects = 0
        self.bytes = 0
        self.breaches = []
        # Of all connections: a topic that is resumed on another one has no snapshot there.
        self.decoder = binary.Decoder()

    async def run(self):
        """Until it is cancelled, or the service refuses a subscription."""
        address = "ws" + os.environ.get("FOLLOW_SOCKET_URL", self.url)[len("http") :] + "/ws"
        while True:
            try:
                options = {"open_timeout": CONNECT_S, "max_size": MESSAGE_BYTES_MAX, "close_timeout": 1}
                async with websockets.connect(address, **options) as self.socket:
                    self.connects += 1
                    await self.follow()
            except (OSError, asyncio.TimeoutError, websockets.WebSocketException):
                pass
            for topic in self.topics:
                topic.enter("pausing")
            await asyncio.sleep(self.pause())

    def pause(self):
        asked, self.asked_pause = self.asked_pause, None
        if asked is not None:
            return asked / 1000
        bound = min(PAUSE_CAP_S, PAUSE_FIRST_S * 2 ** min(self.failures, 10))
        self.failures += 1
        return random.uniform(0, bound)

    async def follow(self):
        """One connection, until it is to be closed."""
        for wildcard in self.wildcards:
            self.next_id += 1
            wildcard.id, wildcard.name = self.next_id, None
            await self.socket.send(json.dumps({"type": "subscribe", "id": wildcard.id, **wildcard.wish}))
        # Those of wildcards begin again with them, where they are known: each from the book that it has.
        for topic in self.topics:
            await self.subscribe(topic)
        while True:
            try:
                text = await asyncio.wait_for(self.socket.recv(), LOOK_S)
            except asyncio.TimeoutError:
                text = None
            if text is not None:
                self.bytes += len(text)
                if not await self.take(self.read(text)):
                    return
            now = time.monotonic()
            for topic in self.topics:
                if now > topic.late_at:
                    self.breaches.append(f"silence: {topic.phase} {topic.name}")
                    return

    def read(self, data):
        """A message; bytes that are none close the connection, as it is not certain which topic they were for."""
        if isinstance(data, str):
            return json.loads(data)
        try:
            return self.decoder.decode(data)
        except binary.NoFrame as error:
            self.breaches.append(f"malformed: {error}")
            return {"type": "unreadable"}

    async def subscribe(self, topic):
        self.next_id += 1
        topic.id = self.next_id
        message = {"type": "subscribe", "id": topic.id, **topic.wish}
        if topic.book.is_whole:
            message["resume"] = {"epoch": topic.book.epoch, "seq": topic.book.seq}
            topic.counts["resumes"] += 1
        topic.enter("subscribing", ANSWER_S)
        await self.socket.send(json.dumps(message))

    async def take(self, message):
        """False when the connection is to be given up."""
        kind = message["type"]
        if kind == "unreadable":
            return False
        if kind == "subscribed" and "topics" in message:
            self.spread(message)
        elif kind == "subscribed":
            for topic in self.topics:
                if topic.id == message.get("id"):
                    topic.name = message["topic"]
                    topic.enter("waiting", SILENCE_S)
        elif kind == "closing":
            self.asked_pause = message["reconnectAfterMs"]
        elif kind == "error":
            await self.refused(message)
        elif kind in ("snapshot", "delta", "heartbeat"):
            for topic in self.topics:
                if topic.name == message["topic"] and topic.phase in ("waiting", "following"):
                    return await self.frame(topic, message)
        return True

    def spread(self, message):
        """The topics of a wildcard, or of markets that have appeared, wait for their snapshots."""
        for wildcard in self.wildcards:
            if wildcard.id == message.get("id"):
                wildcard.name = message["topic"]
            if wildcard.name != message["topic"]:
                continue
            known = {topic.name: topic for topic in self.topics}
            for name in message["topics"]:
                topic = known.get(name)
                if topic is None:
                    market = name.split(":")[1]
                    topic = Topic({**wildcard.wish, "market": market})
                    topic.name = name
                    self.topics.append(topic)
                if topic.phase != "subscribing":
                    topic.enter("waiting", SILENCE_S)

    async def refused(self, error):
        if error["code"] in REFUSALS:
            raise SystemExit(f"{error['code']}: {error['message']}")
        await asyncio.sleep(ASK_AGAIN_S)
        for topic in self.topics:
            if topic.phase == "subscribing":
                await self.subscribe(topic)

    async def frame(self, topic, message):
        topic.counts[message["type"]] += 1
        if message.get("reset"):
            topic.counts["resets"] += 1
        try:
            topic.book.apply(message)
        except Breach as breach:
            return await self.heal(topic, breach)
        if message["type"] != "heartbeat":
            topic.remember()
        self.failures = 0
        topic.enter("following", SILENCE_S)
        return True

    async def heal(self, topic, breach):
        self.breaches.append(f"{topic.name} {breach}")
        now = time.monotonic()
        is_again = now - topic.healed_at < ASK_AGAIN_S
        topic.healed_at = now
        if is_again or breach.rule not in ("gap", "repeated"):
            topic.book.is_whole = False
        if is_again:
            return False
        await self.subscribe(topic)
        return True


class Comparer:
    """Asks the service for what a topic should show."""

    def __init__(self, client):
        self.client = client
        self.differences = []

    async def run(self):
        while True:
            for topic in self.client.topics:
                for _ in range(COMPARE_TRIES_MAX):
                    if topic.is_empty:
                        break
                    if topic.phase == "following" and await self.compare(topic):
                        break
                    await asyncio.sleep(LOOK_S / 4)
                await asyncio.sleep(COMPARE_EVERY_S)

    async def compare(self, topic):
        """False when the answer is of a number that the topic has left out."""
        answer = await asyncio.to_thread(self.read, topic.wish)
        at = (answer["epoch"], answer["seq"])
        deadline = time.monotonic() + SILENCE_S
        while topic.book.is_whole and topic.book.epoch == at[0] and topic.book.seq < at[1]:
            if time.monotonic() > deadline or topic.phase != "following":
                break
            await asyncio.sleep(0.01)
        if at not in topic.history:
            topic.counts["passed"] += 1
            return False
        topic.counts["compared"] += 1
        if topic.history[at] != [self.rows_of(topic.wish, answer[name]) for name in ("bids", "asks")]:
            self.differences.append(f"{topic.name} at {at}")
        if topic.wish["channel"] == "book":
            levels = [level for name in ("bids", "asks") for level in answer[name]]
            topic.counts.update(source for level in levels for source in level["sources"])
        return True

    def read(self, wish):
        channel = wish["channel"]
        query = {"marketName": wish["market"], "depth": 1 if channel == "bbo" else wish.get("depth", 50)}
        query.update({name: wish[name] for name in ("grouping", "maker") if name in wish})
        query.update({name: "true" for name in ("includeVamm", "includeIndicative") if wish.get(name)})
        path = "l3" if channel == "l3" else "l2"
        with urllib.request.urlopen(f"{self.client.url}/{path}?{urllib.parse.urlencode(query)}", timeout=READ_S) as body:
            return json.load(body)

    @staticmethod
    def rows_of(wish, rows):
        if wish["channel"] == "l3":
            return rows
        tuples = [[row["price"], row["size"], row["sources"]] for row in rows]
        return [row[:2] for row in tuples] if wish["channel"] == "bbo" else tuples


def is_enough(topic, seconds):
    counts = topic.counts
    wants_quotes = topic.wish["channel"] == "book" and topic.wish.get("includeIndicative")
    has_quotes = not wants_quotes or counts["indicative"] > 0
    return has_quotes and counts["delta"] > seconds and counts["compared"] > seconds / 10


async def has_enough(client, seconds):
    await asyncio.sleep(seconds)
    deadline = time.monotonic() + ENOUGH_S
    while time.monotonic() < deadline:
        moving = [topic for topic in client.topics if not topic.is_empty]
        if moving and all(is_enough(topic, seconds) for topic in moving):
            return
        await asyncio.sleep(LOOK_S)


async def main():
    url, seconds, *wishes = sys.argv[1:]
    client = Client(url.rstrip("/"), [json.loads(wish) for wish in wishes])
    comparer = Comparer(client)
    work = [client.run(), comparer.run(), has_enough(client, float(seconds))]
    tasks = [asyncio.create_task(each) for each in work]
    done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    # Before Python 3.12 wait_for loses a cancellation that comes with a message, so it is said until heard.
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=CANCEL_AGAIN_S)
    for task in done:
        task.result()
    report = {
        "topics": {topic.name: dict(topic.counts) for topic in client.topics},
        "bytes": client.bytes,
        "connects": client.connects,
        "breaches": client.breaches,
        "differences": comparer.differences,
    }
    print(json.dumps(report, indent=2))
    compared = all(topic.is_empty or topic.counts["compared"] > 0 for topic in client.topics)
    sys.exit(0 if compared and not client.breaches and not comparer.differences else 1)


if __name__ == "__main__":
    asyncio.run(main())
