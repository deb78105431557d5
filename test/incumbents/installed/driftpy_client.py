"""driftpy as it is: its readers of books, and its sender of indicative quotes.

    driftpy_client.py URL SEED

SEED is the byte of which the sender's key is made. Prints a line with the name of what works whenever it was seen
to. driftpy's iterators of books end with the first failed request, so its users begin them again, as this does.
"""

import asyncio
import sys

import aiohttp
from driftpy.dlob.dlob_subscriber import DLOBSubscriber, MarketId
from driftpy.indicative_quotes import IndicativeQuotesSender, Quote
from driftpy.types import MarketType
from solders.keypair import Keypair

# Every maker's quotes stand under this one name, so a size that nobody else quotes tells them apart.
QUOTES = "inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz"
SIZE = 3_000_000_001
LOOK_S = 0.1
MARKET = MarketId(0, MarketType.Perp())


def seen(name):
    # driftpy itself prints to standard output what went wrong: other names than those that are waited for.
    print(name, flush=True)


async def read_books(name, iterate):
    while True:
        async for book in iterate(MARKET, LOOK_S):
            bids, asks = [[int(level.price) for level in side] for side in (book.bids, book.asks)]
            if bids and asks and book.slot > 0:
                seen(name)
        await asyncio.sleep(LOOK_S)


async def quote(url, seed):
    sender = IndicativeQuotesSender(f"{url.replace('http', 'ws')}/quotes/ws", Keypair.from_seed(bytes([seed] * 32)))
    connecting = asyncio.create_task(sender.connect())
    while not connecting.done():
        if sender.connected:
            sender.set_quote(Quote(0, 0, SIZE, SIZE, 0, True))
        if await is_quoted(url):
            seen("quotes")
        await asyncio.sleep(LOOK_S)
    seen("the sender has ended, and will not connect again")


async def is_quoted(url):
    try:
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/l3?marketName=SOL-PERP&includeIndicative=true&maker={QUOTES}") as reply:
                book = await reply.json()
    except aiohttp.ClientError:
        return False
    return all(any(order["size"] == str(SIZE) for order in book.get(side, [])) for side in ("bids", "asks"))


async def main():
    url, seed = sys.argv[1], int(sys.argv[2])
    books = DLOBSubscriber(url)
    await asyncio.gather(
        read_books("l2", books.subscribe_l2_book),
        read_books("l3", books.subscribe_l3_book),
        quote(url, seed),
    )


asyncio.run(main())
