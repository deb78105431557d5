/** Recorded books of the incumbent, put to the client library's local book. */
import type { Order } from '../../src/client/accounts/generated/user.js';
import type { BookMarket } from '../../src/client/chain/book-market.js';
import { type BuiltBook, buildBooks } from '../../src/client/chain/built-book.js';
import type { BookOrder, BookUser } from '../../src/client/chain/order-rules.js';
import { marketId } from '../../src/client/index.js';
import { Cases, type DepartedBook, type Family, type GoldenFile } from './family.js';

/** The part of such a file that is run. Integers are decimal text, absent values null. */
interface BookFile {
  readonly ts: string;
  /** `perp-0` */
  readonly markets: readonly string[];
  readonly oracles: Readonly<Record<string, { readonly price: string }>>;
  readonly orders: readonly RecordedOrder[];
  readonly snapshots: readonly {
    readonly slot: string;
    readonly oracles?: Readonly<Record<string, { readonly price: string }>> | null;
  }[];
  readonly expected: readonly { readonly markets: Readonly<Record<string, RecordedBook>> }[];
}

interface RecordedOrder {
  readonly user: string;
  readonly isProtectedMaker: boolean;
  readonly existingPosition: string | null;
  readonly order: Readonly<Record<string, string | boolean>>;
}

interface RecordedBook {
  readonly throws?: unknown;
  readonly l3?: Sides<{ price: string; size: string; maker: string; orderId: string }>;
  readonly l2Depth10?: Sides<{ price: string; size: string }>;
  readonly l2Depth100?: Sides<{ price: string; size: string }>;
  readonly bestBid?: string | null;
  readonly bestAsk?: string | null;
}

interface Sides<Row> {
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

export const localBookFamily: Family = {
  name: 'local-book',
  matches: ({ json }) => {
    const file = Object(json);
    return Array.isArray(file.orders) && Array.isArray(file.snapshots);
  },
  run: ({ json, departed }: GoldenFile) => {
    const cases = new Cases();
    const file = json as BookFile;
    const users = usersOf(file.orders);
    for (const [number, { markets }] of file.expected.entries()) {
      for (const [name, recorded] of Object.entries(markets)) {
        const question = `snapshot ${number} ${name}`;
        const ours = viewsOf(bookOf(users, file, { number, name }));
        compare(cases, { question, ours, recorded, departed: departed[question] });
      }
    }
    return cases.report();
  },
};

/**
 * One user account for each user, position and protection, with the user's address: the recordings
 * hold orders, not accounts. Of orders with one id in one market the first stays.
 */
function usersOf(orders: readonly RecordedOrder[]): BookUser[] {
  const users = new Map<string, { user: BookUser; orders: Order[]; ids: Set<string> }>();
  for (const { user, isProtectedMaker, existingPosition, order } of orders) {
    const key = `${user} ${isProtectedMaker} ${existingPosition}`;
    let entry = users.get(key);
    if (entry === undefined) {
      const held = BigInt(existingPosition ?? 0);
      const own: Order[] = [];
      const account = {
        address: user,
        isFrozen: false,
        marketsOnClob: [],
        orders: own,
        positionIn: () => held,
      };
      entry = { user: account, orders: own, ids: new Set() };
      users.set(key, entry);
    }
    const id = `${order['marketType']} ${order['marketIndex']} ${order['orderId']}`;
    if (entry.ids.has(id)) continue;
    entry.ids.add(id);
    entry.orders.push(orderOf(order));
  }
  return [...users.values()].map(({ user }) => user);
}

/** Members that are wide integers on chain; the other integers are numbers. */
const WIDE = new Set(
  'slot price baseAssetAmount baseAssetAmountFilled quoteAssetAmount quoteAssetAmountFilled triggerPrice auctionStartPrice auctionEndPrice maxTs'.split(
    ' ',
  ),
);

function orderOf(recorded: RecordedOrder['order']): Order {
  const members = Object.entries(recorded).map(([name, value]) => {
    if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return [name, value];
    return [name, WIDE.has(name) ? BigInt(value) : Number(value)];
  });
  return Object.fromEntries(members) as Order;
}

interface Question {
  readonly number: number;
  readonly name: string;
}

function bookOf(users: readonly BookUser[], file: BookFile, { number, name }: Question): BuiltBook {
  const snapshot = file.snapshots[number];
  const oracle = snapshot?.oracles?.[name] ?? file.oracles[name];
  const market = marketOf(name);
  const books = buildBooks(users, [
    {
      market,
      empty: null,
      slots: null,
      oraclePrice: BigInt(oracle?.price ?? 0),
      moment: { slot: BigInt(snapshot?.slot ?? 0), now: BigInt(file.ts) },
    },
  ]);
  const book = books.get(market.id.key);
  if (book === undefined) throw new Error(`${name} has no book`);
  return book;
}

/** The recordings know no tick and no step; they were made with 1. */
function marketOf(name: string): BookMarket {
  const [type, index] = name.split('-');
  return {
    id: marketId(type === 'perp' ? 'perp' : 'spot', Number(index)),
    ...{ name, status: 'active', reducesEveryOrder: false, areFillsPaused: false, expiryTs: 0n },
    ...{ tickSize: 1n, stepSize: 1n, decimals: 9, isPrediction: false },
    ...{ oracle: '', oracleSource: 'pythLazer', confidenceMultiplier: 1n, lastOracleTwap: 0n },
    ...{ mmOracle: null, interest: null },
  };
}

/** What two books are compared by, each as text. */
type Views = Readonly<Record<'l3' | 'l2 depth 10' | 'l2 depth 100' | 'best', string>>;

function viewsOf({ l2, l3: { bids, asks } }: BuiltBook): Views {
  const levels = (depth: number): string =>
    [l2.bids, l2.asks].map((side) => side.slice(0, depth).map(levelText).join()).join(' | ');
  return {
    l3: [bids, asks].map((orders) => orders.map(rowText).join()).join(' | '),
    'l2 depth 10': levels(10),
    'l2 depth 100': levels(100),
    best: `${bids[0]?.price ?? null} ${asks[0]?.price ?? null}`,
  };
}

const rowText = ({ price, size, maker, orderId }: Pick<BookOrder, keyof typeof ROW>): string =>
  `${price} ${size} ${maker} ${orderId}`;
const ROW = { price: 0, size: 0, maker: 0, orderId: 0 };
const levelText = ({ price, size }: { price: unknown; size: unknown }): string =>
  `${price} ${size}`;

/** The recorded views; undefined where the incumbent's question failed. */
function recordedViews({ l3, l2Depth10, l2Depth100, bestBid, bestAsk }: RecordedBook) {
  const levels = ({ bids, asks }: Sides<{ price: string; size: string }>): string =>
    [bids, asks].map((rows) => rows.map(levelText).join()).join(' | ');
  if (l3 === undefined || l2Depth10 === undefined || l2Depth100 === undefined) return undefined;
  const text = ({ price, size, maker, orderId }: (typeof l3.bids)[number]): string =>
    `${price} ${size} ${maker} ${orderId}`;
  return {
    l3: [l3.bids, l3.asks].map((rows) => rows.map(text).join()).join(' | '),
    'l2 depth 10': levels(l2Depth10),
    'l2 depth 100': levels(l2Depth100),
    best: `${bestBid ?? null} ${bestAsk ?? null}`,
  };
}

interface Compared {
  readonly question: string;
  readonly ours: Views;
  readonly recorded: RecordedBook;
  readonly departed: DepartedBook | undefined;
}

/** Equal views pass. One that differs departs when the core departs there, and our rows are its. */
function compare(cases: Cases, { question, ours, recorded, departed }: Compared): void {
  const theirs = recordedViews(recorded);
  const core = departed && [departed.bids, departed.asks].map((rows) => rows.join()).join(' | ');
  for (const view of Object.keys(ours) as (keyof Views)[]) {
    const name = `${question} ${view}`;
    const rule = departed?.rules[view] ?? departed?.rules[''];
    if (ours[view] === theirs?.[view]) cases.passed();
    else if (rule !== undefined && core === ours.l3) cases.departed(name, rule);
    else cases.failed(name, firstDifference(ours[view], theirs?.[view]));
  }
}

/** Views are rows with commas between them, the asks behind a bar. */
function firstDifference(ours: string, recorded = 'nothing'): string {
  const [our, their] = [ours, recorded].map((text) => text.split(/,| \| /));
  const at = our?.findIndex((row, index) => row !== their?.[index]) ?? 0;
  return `row ${at} is ${our?.[at]}, recorded ${their?.[at]}`;
}
