"""Follows one book topic with the websockets module, checks every frame, and prints what it has as JSON
once its standard input ends: stream_client.py URL SUBSCRIBE"""

import asyncio
import json
import sys
import zlib

import websockets

# The rows of each side that the checksum covers.
CHECKSUM_ROWS = 10


class Follower:
    def __init__(self):
        self.epoch = None
        self.seq = -1
        self.bids = {}
        self.asks = {}
        self.deltas = 0
        self.faults = []

    def take(self, message):
        kind = message["type"]
        if kind == "snapshot":
            self.epoch = message["epoch"]
            self.bids = {}
            self.asks = {}
        elif kind == "delta":
            self.deltas += 1
            is_alone = not message["bids"] and not message["asks"]
            is_new = message["seq"] > self.seq or (message["seq"] == self.seq and is_alone)
            # Another process may link to an earlier frame than the book is of.
            links = message["prev"] <= self.seq and is_new
            self.check(message, self.seq if links else message["prev"])
        elif kind == "heartbeat":
            self.check(message, message["seq"])
            return
        elif kind == "error":
            self.faults.append(message["message"])
            return
        else:
            return
        self.seq = message["seq"]
        for side, rows in ((self.bids, message["bids"]), (self.asks, message["asks"])):
            for row in rows:
                self.change(side, row)
        if self.checksum() != message["crc"]:
            self.faults.append(f"crc {message['crc']} at {self.seq}")

    def check(self, message, seq):
        if message["epoch"] != self.epoch or seq != self.seq:
            self.faults.append(f"{message['type']} of {seq} after {self.seq}")

    def change(self, side, row):
        price, size, _ = row
        if size != "0":
            side[int(price)] = row
        elif side.pop(int(price), None) is None:
            self.faults.append(f"{price} was not there to be removed")

    def rows(self):
        bids = [self.bids[price] for price in sorted(self.bids, reverse=True)]
        return bids, [self.asks[price] for price in sorted(self.asks)]

    def checksum(self):
        parts = []
        for at in range(CHECKSUM_ROWS):
            for side in self.rows():
                if at < len(side):
                    parts += side[at][:2]
        return zlib.crc32(":".join(parts).encode())


async def main(url, subscribe):
    follower = Follower()
    loop = asyncio.get_running_loop()
    async with websockets.connect(url) as socket:
        await socket.send(subscribe)

        async def end():
            await loop.run_in_executor(None, sys.stdin.read)
            await socket.send(json.dumps({"type": "ping", "id": "end"}))

        ending = asyncio.create_task(end())
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "pong":
                break
            follower.take(message)
        await ending
    bids, asks = follower.rows()
    report = {
        "epoch": follower.epoch,
        "seq": follower.seq,
        "deltas": follower.deltas,
        "faults": follower.faults,
        "bids": bids,
        "asks": asks,
    }
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
