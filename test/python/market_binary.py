"""A decoder of candles and trades as bytes, written from docs/binary.md alone; frames of books as binary.py.

    market_binary.py FILE

FILE is of the form that binary.py reads, and so is the report.
"""

import decimal

import binary
from binary import demand

MESSAGES = {2: ("trades", "init"), 3: ("trades", "update")}
MESSAGES |= {4: ("candle", "init"), 5: ("candle", "create"), 6: ("candle", "update")}
QUOTE, BASE = 6, 9
PRICES = [f"{kind}{name}" for kind in ("fill", "oracle") for name in ("Open", "High", "Close", "Low")]
TRADES_MAX = 1_000
AMOUNT_END = 1 << 127
EXACT_END = 1 << 53
ID_END = 1 << 64
TAKER_BIT, MAKER_BIT, BITS = 10, 18, 26


def shown(amount, places):
    return None if amount is None else decimal.Decimal(f"{amount}e-{places}")


class Decoder(binary.Decoder):
    def decode(self, data):
        if data[:1] != b"\x9c":
            return super().decode(data)
        reader = binary.Reader(data)
        reader.byte()
        kind = reader.byte()
        demand(kind in MESSAGES, "a message of no kind")
        message = Message(reader).read(*MESSAGES[kind])
        demand(reader.at == len(data), "bytes follow the message")
        return message


class Message:
    def __init__(self, reader):
        self.reader, self.symbol = reader, reader.text()

    def read(self, channel, kind):
        message = {"type": kind}
        if channel == "trades" or kind == "init":
            message |= {"channelType": channel, "symbol": self.symbol}
        if channel == "candle":
            message["candle"] = candle = self.candle()
            if kind == "init":
                return message | {"data": candle, "resolution": candle["resolution"]}
        left_out, count = self.reader.varint(), self.reader.varint()
        demand(count <= TRADES_MAX, "too many trades")
        trades = Trades(self.reader, self.symbol) if count > 0 else None
        message["trades"] = [trades.read() for _ in range(count)]
        return message | ({"tradesLeftOut": left_out} if left_out > 0 else {})

    def candle(self):
        reader = self.reader
        candle = {"symbol": self.symbol, "resolution": reader.text()}
        flags, candle["ts"] = reader.byte(), reader.varint()
        demand(flags < 2, "flags of a candle that there are not")
        price = 0
        for name in PRICES:
            price = amount(reader, price)
            candle[name] = shown(price, QUOTE)
        candle["quoteVolume"] = shown(amount(reader), QUOTE)
        candle["baseVolume"] = shown(amount(reader), BASE)
        if flags:
            candle["lastTradeTs"] = moved(reader, candle["ts"])
            candle["lastFillRecordId"] = str(reader.number(64))
        return candle


class Trades:
    """The trades of a message, each written after the one before it."""

    def __init__(self, reader, symbol):
        kind, index = reader.byte(), reader.varint()
        demand(kind < 2 and index < 1 << 16, "a market that there is not")
        self.reader, self.keys = reader, []
        self.market = {"marketIndex": index, "marketType": ["perp", "spot"][kind], "symbol": symbol}
        self.transaction, self.explanation, self.id, self.price = None, "", 0, 0

    def read(self):
        reader = self.reader
        flags = reader.varint()
        demand(flags < 1 << BITS, "a flag that there is not")
        has = lambda bit: flags >> bit & 1 == 1
        trade = self.market | {"action": "fill"} | self.same_or_next(has(0))
        trade |= {"txSigIndex": reader.varint(), "bitFlags": reader.byte()}
        self.explanation = reader.text() or self.explanation
        demand(self.explanation != "", "the first trade explains nothing")
        trade["actionExplanation"] = self.explanation
        trade["fillRecordId"] = str(self.next_id()) if has(1) else None
        price = self.next_price() if has(2) else None
        trade["price"] = shown(price, QUOTE)
        trade["oraclePrice"] = shown(amount(reader, price or 0), QUOTE)
        base = amount(reader) if has(3) else None
        trade["baseAssetAmountFilled"] = shown(base, BASE)
        trade["filler"] = self.key() if has(4) else None
        quote = amount(reader) if has(5) else None
        trade["quoteAssetAmountFilled"] = shown(quote, QUOTE)
        rest = ["quoteAssetAmountSurplus", "fillerReward", "referrerReward", "spotFulfillmentMethodFee"]
        for bit, name in enumerate(rest, 6):
            trade[name] = shown(amount(reader), QUOTE) if has(bit) else None
        for side, bit in (("taker", TAKER_BIT), ("maker", MAKER_BIT)):
            trade |= self.side(side, flags >> bit & 0xFF, base or 0, quote or 0)
        return trade | {"makerRebate": trade["makerFee"]}

    def same_or_next(self, is_same):
        if not is_same:
            before = self.transaction or {"slot": 0, "ts": 0}
            signature = binary.base58(self.reader.take(64))
            slot, ts = moved(self.reader, before["slot"]), moved(self.reader, before["ts"])
            self.transaction = {"txSig": signature, "slot": slot, "ts": ts}
        demand(self.transaction is not None, "the first trade has no transaction")
        return self.transaction

    def next_id(self):
        self.id = amount(self.reader, self.id)
        demand(0 <= self.id < ID_END, "a fillRecordId is out of bounds")
        return self.id

    def next_price(self):
        self.price = amount(self.reader, self.price)
        return self.price

    def side(self, side, flags, base, quote):
        reader, order = self.reader, f"{side}Order"
        has = lambda bit: flags >> bit & 1 == 1
        demand(has(1) or not has(2), "a direction that is not there")
        direction = ("short" if has(2) else "long") if has(1) else None
        values = {side: self.key() if has(0) else None, f"{order}Direction": direction}
        values[f"{order}Id"] = binary.order_id(reader) if has(3) else None
        amounts = [(f"{side}Fee", 0, QUOTE), (f"{order}BaseAssetAmount", base, BASE)]
        amounts += [(f"{order}CumulativeBaseAssetAmountFilled", base, BASE)]
        amounts += [(f"{order}CumulativeQuoteAssetAmountFilled", quote, QUOTE)]
        for bit, (name, before, places) in enumerate(amounts, 4):
            values[name] = shown(amount(reader, before), places) if has(bit) else None
        return values

    def key(self):
        return binary.key(self.reader, self.keys)


def amount(reader, before=0):
    value = before + reader.signed(reader.number(128))
    demand(-AMOUNT_END <= value < AMOUNT_END, "an amount is out of bounds")
    return value


def moved(reader, before):
    value = before + reader.signed(reader.varint())
    demand(0 <= value < EXACT_END, "a number is out of bounds")
    return value


if __name__ == "__main__":
    binary.main(Decoder)
