/** Expected compiler results for the main entry. It is compiled and never run. */
import {
  type Base,
  type BookView,
  type Candle,
  CandleClient,
  ClientError,
  HttpClient,
  MarkPriceCache,
  OrderBookCache,
  type Price,
  PriceFeed,
  type RestingOrder,
  rawBase,
  rawPrice,
  StreamClient,
} from './index.js';

const url = 'http://127.0.0.1:8080';

/** The names below are never called: only their types matter. */
export async function paths(http: HttpClient): Promise<void> {
  const { bids, bestAskPrice, spreadPct } = await http.l2({ marketName: 'SOL-PERP', depth: 20 });
  const price: Price | undefined = bids[0]?.price;
  const plain: bigint = price ?? 0n;
  void [plain, bestAskPrice, spreadPct];
  // @ts-expect-error a price is no size
  const size: Base = rawPrice(1n);
  // @ts-expect-error a plain bigint has no unit
  const bare: Price = 1n;
  // @ts-expect-error a side may be empty
  const best: Price = bestAskPrice;
  // @ts-expect-error a response cannot be changed
  bids[0] = bids[1];
  // @ts-expect-error the type of a market needs its index
  await http.l2({ marketType: 'perp' });
  // @ts-expect-error an order book has no grouping by order
  await http.l3({ marketName: 'SOL-PERP', grouping: 10 });
  // @ts-expect-error a walk has a side
  await http.match({ marketName: 'SOL-PERP', size: 1n });
  // @ts-expect-error amounts are no numbers
  await http.match({ marketName: 'SOL-PERP', side: 'buy', size: 1 });
  // @ts-expect-error the side of makers is bid or ask
  await http.topMakers({ marketName: 'SOL-PERP', side: 'buy' });
  const [entry] = await http.batchL2([{ marketName: 'SOL-PERP' }]);
  // @ts-expect-error an entry may be an error
  void entry?.bids;
  if (entry !== undefined && !(entry instanceof ClientError)) void entry.bids;
  const { records, nextCursor } = await http.trades({ symbol: 'SOL-PERP' });
  const filled: Base | undefined = records[0]?.baseAssetAmountFilled;
  // @ts-expect-error the AMM has no maker
  const maker: string = records[0]?.maker ?? null;
  void [size, bare, best, filled, maker, nextCursor];
}

export async function streams(stream: StreamClient): Promise<void> {
  const book = stream.subscribe({ channel: 'book', market: 'SOL-PERP', depth: 20, grouping: 10 });
  const orders = stream.subscribe({ channel: 'l3', market: 'SOL-PERP' });
  const best = stream.subscribe({ channel: 'bbo', market: 'SOL-PERP' });
  book.onUpdate(({ bids }) => void bids[0]?.sources['dlob']);
  for await (const view of orders) {
    const order: RestingOrder | undefined = view.bids[0];
    void order?.orderId;
    // @ts-expect-error a book does not change
    view.seq = 1;
  }
  // @ts-expect-error a best price has no sources
  best.onUpdate(({ bids }) => void bids[0]?.sources);
  // @ts-expect-error these are the depths of a stream: 10, 20, 50, 100, 500
  stream.subscribe({ channel: 'book', market: 'SOL-PERP', depth: 7 });
  // @ts-expect-error best prices are not grouped
  stream.subscribe({ channel: 'bbo', market: 'SOL-PERP', grouping: 10 });
  // @ts-expect-error only orders have a maker
  stream.subscribe({ channel: 'book', market: 'SOL-PERP', maker: 'x' });
  // @ts-expect-error there is no such channel
  stream.subscribe({ channel: 'trades', market: 'SOL-PERP' });
}

export async function candles(client: CandleClient): Promise<void> {
  const list: Candle[] = await client.fetch({
    ...{ env: 'devnet', marketId: 'perp_0', resolution: 'D', fromTs: 1, toTs: 2 },
    resolution: '1440',
  });
  client.on('key', 'candle-update', ({ fillClose }) => fillClose.toFixed(2));
  client.on('key', 'end', ({ code }) => code);
  // @ts-expect-error candles have these lengths only
  await client.fetch({ marketId: 'perp_0', resolution: '7', fromTs: 1, toTs: 2 });
  // @ts-expect-error there is no such event
  client.on('key', 'candle', () => {});
  // @ts-expect-error a key is needed
  await client.subscribe({ marketId: 'perp_0', resolution: '1' });
  // @ts-expect-error an open price may be missing from what is a candle of the oracle
  const oracleOpen: number = list[0]?.oracleOpen;
  void oracleOpen;
}

export function caches(stream: StreamClient, http: HttpClient): void {
  const book = new OrderBookCache(stream);
  book.updateSubscription({ grouping: 100 });
  const view: BookView | undefined = book.store;
  const marks = new MarkPriceCache();
  // @ts-expect-error before there is one, there is none
  const mark: Price = marks.getMarkPrice('perp_0');
  // @ts-expect-error a key is a kind and an index
  marks.getMarkPrice('SOL-PERP');
  // @ts-expect-error a feed has markets
  new PriceFeed({ http, marks });
  void [view, mark, rawBase(1n)];
}

export function options(): void {
  new StreamClient({ url, silenceMsMax: 5_000 });
  new CandleClient({ url: { devnet: url } });
  // @ts-expect-error a client needs an address
  new HttpClient({});
  // @ts-expect-error streams have one address
  new StreamClient({ url: { devnet: url } });
}
