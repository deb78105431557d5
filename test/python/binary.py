"""A decoder of frames as bytes, written from docs/binary.md alone.

    binary.py FILE

FILE has lines {"hex":BYTES,"frame":FRAME}. Each frame is decoded and compared; then each is cut at every byte and spoilt in
every byte, and must be refused or be a frame of the form that there is. Of lines {"hex":BYTES,"taken":FLAG} each is taken or
refused as it says. Prints a report as JSON.
"""

import decimal
import json
import sys
import zlib

STATES = ["rebuilding", "live", "lagging", "stale"]
KINDS = ["snapshot", "delta", "heartbeat"]
CHANNELS = ["book", "bbo", "l3"]
SOURCES = ["dlob", "vamm", "indicative"]
FLAGS = [("reduceOnly", 1), ("postOnly", 2), ("signedMsg", 4)]
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
TEXT_BYTES_MAX = 512
ROWS_MAX = 1_000
KEYS_NAMED_MAX = 64
UNIT_MAX = (1 << 32) - 1


class NoFrame(Exception):
    pass


def demand(is_right, what):
    if not is_right:
        raise NoFrame(what)


def parsed(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoFrame("an id is not JSON") from error


def base58(key):
    number, text = int.from_bytes(key, "big"), ""
    while number > 0:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(key) - len(key.lstrip(b"\0"))) + text


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        demand(self.at + count <= len(self.data), "the frame ends too early")
        taken = self.data[self.at : self.at + count]
        self.at += count
        return taken

    def byte(self):
        return self.take(1)[0]

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def number(self, bits):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                demand(value >> bits == 0 and (byte > 0 or shift == 0), "a number has another form")
                return value
            shift += 7
            demand(shift < bits, "a number is too long")

    def varint(self):
        return self.number(53)

    def wide(self):
        return self.number(128)

    def signed(self, value):
        return -(value + 1 >> 1) if value & 1 else value >> 1

    def text(self):
        length = self.varint()
        demand(length <= TEXT_BYTES_MAX, "a text is too long")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as error:
            raise NoFrame("a text is not UTF-8") from error


class Decoder:
    def __init__(self):
        self.streams = {}

    def decode(self, data):
        reader = Reader(data)
        first = reader.byte()
        kind = first >> 2 & 3
        demand(first >> 4 == 9 and kind < len(KINDS), "not a frame of version 1")
        number = reader.u32()
        if kind == 0:
            self.streams[number] = self.identity(reader, number)
        demand(number in self.streams, "a frame came before its snapshot")
        stream = self.streams[number]
        frame = {"type": KINDS[kind], "topic": stream["topic"], "epoch": stream["epoch"], "state": STATES[first & 3]}
        frame["seq"] = reader.varint()
        if kind == 1:
            frame["prev"] = frame["seq"] - reader.varint()
            demand(frame["prev"] >= 0, "prev is below 0")
        frame["slot"], frame["ts"] = reader.varint(), reader.varint()
        if kind < 2:
            self.rest(reader, stream, frame)
        demand(reader.at == len(data), "bytes follow the frame")
        return frame

    def identity(self, reader, number):
        start = reader.at
        stream = {name: reader.text() for name in ["topic", "channel", "market", "epoch"]}
        stream["timing"] = reader.byte()
        stream["units"] = units = [reader.varint(), reader.varint()]
        demand(stream["timing"] < 2 and stream["channel"] in CHANNELS, "a stream of no kind")
        demand(all(1 <= unit <= UNIT_MAX for unit in units), "a unit is out of bounds")
        demand(zlib.crc32(reader.data[start : reader.at]) == number, "the number is not that of the names")
        return stream

    def rest(self, reader, stream, frame):
        frame["channel"], frame["market"] = stream["channel"], stream["market"]
        if stream["timing"]:
            frame["recvNs"], frame["sendNs"] = str(reader.wide()), str(reader.wide())
        if frame["type"] == "snapshot":
            reset, request = reader.byte(), reader.text()
            demand(reset < 2, "reset is neither 0 nor 1")
            frame["reset"] = reset == 1
            if request:
                frame["id"] = parsed(request)
        if stream["channel"] == "l3":
            orders = Orders(reader, stream["units"], frame["slot"])
            side = orders.list if frame["type"] == "snapshot" else orders.changes
            frame["bids"], frame["asks"] = side(), side()
        else:
            bids = levels(reader, stream["units"], -1, 0)
            asks = levels(reader, stream["units"], 1, int(bids[0][0]) if bids else 0)
            if stream["channel"] == "bbo":
                demand(len(bids) < 2 and len(asks) < 2, "more than one best level")
                frame["bid"], frame["ask"] = [side[0][:2] if side else None for side in (bids, asks)]
            else:
                frame["bids"], frame["asks"] = bids, asks
        frame["crc"] = reader.u32()


def levels(reader, units, sign, price):
    rows = []
    while (head := reader.varint()) != 0:
        demand(len(rows) < ROWS_MAX, "too many levels")
        kind, distance = head & 3, head >> 2
        if kind == 3:
            demand(distance == 0, "an exact price has a distance")
            price = reader.number(64)
        else:
            price += sign * reader.signed(distance) * units[0]
        demand(0 <= price < 1 << 64, "a price is out of bounds")
        sources = {}
        if kind == 1:
            sources["dlob"] = reader.varint() * units[1]
            demand(sources["dlob"] > 0, "a level without a size")
        elif kind > 1:
            named = reader.byte()
            demand(named < 8 and (named > 0 or kind == 3), "sources that there are not")
            sources = {name: reader.wide() for bit, name in enumerate(SOURCES) if named >> bit & 1}
            demand(all(sources.values()), "a source without a size")
        texts = {name: str(size) for name, size in sources.items()}
        rows.append([str(price), str(sum(sources.values())), texts])
    return rows


class Orders:
    def __init__(self, reader, units, slot):
        self.reader, self.units, self.slot = reader, units, slot
        self.price, self.makers = 0, []

    def changes(self):
        add, change = self.list(), self.list()
        return {"add": add, "change": change, "remove": self.each(lambda: [self.maker(), self.order_id()])}

    def list(self):
        return self.each(self.order)

    def each(self, read):
        count = self.reader.varint()
        demand(count <= ROWS_MAX, "too many orders")
        return [read() for _ in range(count)]

    def order(self):
        reader = self.reader
        flags = reader.byte()
        demand(flags < 128, "a flag that there is not")
        if flags & 8:
            self.price = reader.number(64)
        else:
            self.price += reader.signed(reader.varint()) * self.units[0]
        demand(0 <= self.price < 1 << 64, "a price is out of bounds")
        sizes = [reader.wide() if flags & 16 else reader.varint() * self.units[1] for _ in range(2)]
        order = {"price": str(self.price), "size": str(sizes[0]), "queue": str(sizes[1])}
        order["maker"], order["orderId"] = self.maker(), self.order_id()
        order["slot"] = self.slot - reader.signed(reader.varint())
        order["oraclePriceOffset"] = str(reader.signed(reader.number(64)) if flags & 32 else 0)
        order["maxTs"] = reader.signed(reader.number(64)) if flags & 64 else 0
        return order | {name: flags & bit != 0 for name, bit in FLAGS}

    def order_id(self):
        return order_id(self.reader)

    def maker(self):
        return key(self.reader, self.makers)


def order_id(reader):
    number = reader.varint()
    demand(number < 1 << 32, "an orderId is too large")
    return number


def key(reader, keys):
    """A key in full, which is put to the keys that came, or one of those."""
    ago = reader.varint()
    demand(ago <= min(KEYS_NAMED_MAX, len(keys)), "a key that was not named")
    if ago == 0:
        keys.append(base58(reader.take(32)))
    return keys[-max(ago, 1)]


def is_refused(known, data):
    decoder = type(known)()
    decoder.streams = dict(known.streams)
    try:
        decoder.decode(data)
    except NoFrame:
        return True
    return False


def main(of):
    report = {"frames": 0, "different": [], "cutTaken": 0, "spoilt": 0, "spoiltRefused": 0}
    decoder = of()
    for line in open(sys.argv[1], encoding="utf-8"):
        vector = json.loads(line, parse_float=decimal.Decimal)
        data = bytes.fromhex(vector["hex"])
        report["frames"] += 1
        if "frame" not in vector:
            if is_refused(decoder, data) == vector["taken"]:
                report["different"].append(vector["name"])
            elif vector["taken"]:
                decoder.decode(data)
            continue
        if decoder.decode(data) != vector["frame"]:
            report["different"].append(vector["hex"])
        for length in range(len(data)):
            report["cutTaken"] += not is_refused(decoder, data[:length])
        for at in range(len(data)):
            spoilt = bytearray(data)
            spoilt[at] ^= 1 << at % 8
            report["spoilt"] += 1
            report["spoiltRefused"] += is_refused(decoder, bytes(spoilt))
    print(json.dumps(report))


if __name__ == "__main__":
    main(Decoder)
