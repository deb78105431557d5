/** Live trades of the library on a socket that a test speaks on: first the newest, then each once. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type LiveTrade, type TradeBatch, TradesClient } from '../../src/client/index.js';
import { ClientWorld, settle } from '../support/client-world.js';

const symbol = 'SOL-PERP';
const named = { channelType: 'trades', symbol };

/** A trade as the socket writes it, in JSON; its number tells its size. */
function sent(id: number, parts: { txSig?: string; base?: string } = {}): string {
  const { txSig = `tx${id}`, base = `${id}.000000001` } = parts;
  const rest = { ...facts(id, txSig), fillerReward: 0.01, spotFulfillmentMethodFee: null };
  const amounts = `"baseAssetAmountFilled":${base},"quoteAssetAmountFilled":${id}.5`;
  return `${JSON.stringify({ ...rest, takerFee: 0.1, maker: null }).slice(0, -1)},${amounts}}`;
}

/** The same trade as /market/{symbol}/trades writes it. */
function recorded(id: number, txSig = `tx${id}`): object {
  return {
    ...{ ...facts(id, txSig), fillerReward: '0.010000', spotFulfillmentMethodFee: '' },
    ...{ baseAssetAmountFilled: `${id}.000000001`, quoteAssetAmountFilled: `${id}.500000` },
    ...{ takerFee: '0.100000', maker: '', takerExistingBaseAssetAmount: '' },
  };
}

const facts = (id: number, txSig: string) => ({
  ...{ ts: 1_750_000_000 + id, txSig, txSigIndex: 3, slot: 1_000 + id, fillRecordId: `${id}` },
  ...{ marketIndex: 0, marketType: 'perp', symbol, action: 'fill' },
  ...{ actionExplanation: 'orderFilledWithAmm', oraclePrice: '150.25', bitFlags: 0 },
});

let world: ClientWorld;
let client: TradesClient;
let asked: string[];
/** What the service has, by number; the paths answer pages of it. */
let stored: Map<number, string>;
let isFailing: boolean;
let told: TradeBatch[];

const page = (query: URLSearchParams): Response => {
  const [limit, from] = [Number(query.get('limit')), Number(query.get('page') ?? 1e9)];
  const ids = [...stored.keys()].filter((id) => id < from).sort((one, other) => other - one);
  const records = ids.slice(0, limit).map((id) => recorded(id, stored.get(id)));
  const nextPage = ids.length > limit ? String(ids[limit - 1]) : null;
  return new Response(JSON.stringify({ success: true, records, meta: { nextPage } }));
};

beforeEach(() => {
  world = new ClientWorld();
  [asked, told, stored, isFailing] = [[], [], new Map(), false];
  const fetch = async (url: string): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    asked.push(pathname);
    await settle();
    if (isFailing) return new Response('{}', { status: 400 });
    return page(searchParams);
  };
  const { clock, WebSocket } = world;
  client = new TradesClient({ url: 'http://service', fetch, clock, WebSocket });
});

function store(...ids: readonly number[]): void {
  for (const id of ids) stored.set(id, `tx${id}`);
}

function say(type: 'init' | 'update', trades: readonly string[], more = ''): void {
  const head = JSON.stringify({ type, ...named }).slice(0, -1);
  world.socket.say(`${head},"trades":[${trades.join()}]${more}}`);
}

/** The newest 20 of what is stored, as the service shows them. */
function show(): void {
  const ids = [...stored.keys()].sort((one, other) => one - other).slice(-20);
  say(
    'init',
    ids.map((id) => sent(id, { txSig: stored.get(id) ?? '' })),
  );
  world.socket.say({ type: 'subscription', ...named });
}

const idsOf = (trades: readonly LiveTrade[] = []): number[] =>
  trades.map(({ fillRecordId }) => Number(fillRecordId));

/** A subscription that stands, with what the service has now. */
async function follow() {
  const subscription = client.subscribe(symbol);
  subscription.onTrades((batch) => told.push(batch));
  await settle();
  world.socket.open();
  show();
  return subscription;
}

async function loseAndCome(): Promise<void> {
  world.socket.lose();
  await world.reconnect();
}

/** Lets every page be read that is asked for. */
async function heal(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await settle();
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('trades as they come', () => {
  test('the newest come first, then each once, with all digits', async () => {
    store(7, 8);
    await follow();
    expect(world.socket.sent).toEqual([{ type: 'subscribe', ...named }]);
    say('update', [sent(8), sent(9, { base: '123456789.123456789' })]);
    expect(told.map(({ kind, trades }) => [kind, idsOf(trades)])).toEqual([
      ['init', [7, 8]],
      ['update', [9]],
    ]);
    const [trade] = told[1]?.trades ?? [];
    expect(trade).toMatchObject({
      ...{ baseAssetAmountFilled: 123_456_789_123_456_789n, quoteAssetAmountFilled: 9_500_000n },
      ...{ fillRecordId: 9n, takerFee: 100_000n, maker: null, spotFulfillmentMethodFee: null },
      ...{ oraclePrice: 150_250_000n, price: 0n, txSigIndex: 3 },
    });
    expect(told[0]?.trades[0]?.price).toBe(1_071_429n);
    expect(asked).toEqual([]);
  });

  test('a market without a trade says so, and its first trade follows', async () => {
    await follow();
    store(0);
    say('update', [sent(0)]);
    expect(told.map(({ kind, trades }) => [kind, idsOf(trades)])).toEqual([
      ['init', []],
      ['update', [0]],
    ]);
  });

  test('who comes later begins with the newest that were told', async () => {
    store(...range(1, 30));
    await follow();
    say('update', [sent(31)]);
    const later: TradeBatch[] = [];
    const second = client.subscribe('sol-perp');
    second.onTrades((batch) => later.push(batch));
    expect(idsOf(later[0]?.trades)).toEqual(range(12, 31));
    second.close();
    expect(world.socket.sent).toHaveLength(1);
  });

  test('the key of a market is no symbol', () => {
    for (const key of ['perp_0', 'SPOT_1']) {
      expect(() => client.subscribe(key)).toThrow(`symbol was ${key}`);
    }
    expect(world.sockets).toHaveLength(0);
  });

  test('unsubscribe ends it, and a service that refuses is told', async () => {
    const subscription = await follow();
    subscription.close();
    expect(world.socket.sent.at(-1)).toEqual({ type: 'unsubscribe', ...named });
    say('update', [sent(1)]);
    expect(told).toHaveLength(1);
    const other = client.subscribe('NOPE');
    const next = other[Symbol.asyncIterator]().next();
    world.socket.say({ ...named, symbol: 'NOPE', type: 'error', code: 'UNKNOWN_MARKET' });
    await expect(next).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
    expect(other.isOpen).toBe(false);
    client.close();
    expect(() => client.subscribe(symbol)).toThrow('closed');
  });

  test('the end of what the service had refused ends no later subscription', async () => {
    client.subscribe(symbol).close();
    const later = client.subscribe(symbol);
    world.socket.open();
    const refusal = { ...named, type: 'error', message: 'a text' };
    world.socket.say({ ...refusal, code: 'NOT_SUBSCRIBED' });
    expect(later.isOpen).toBe(true);
  });

  test('what cannot be read is asked for again after ever longer pauses', async () => {
    client.subscribe(symbol);
    const opened: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await world.reconnect();
      opened.push(world.clock.monotonicMs());
      say('init', ['{}']);
    }
    const pauses = opened.slice(1).map((ms, index) => ms - (opened[index] ?? 0));
    expect(pauses).toEqual([150, 250, 500, 1_000]);
  });

  test('a closed client leaves no timer, which would keep a program from its end', async () => {
    await follow();
    client.subscribe('BTC-PERP');
    client.close();
    await settle();
    expect(world.clock.timers).toBe(0);
  });

  test('an abort ends it with its reason', async () => {
    const ending = new AbortController();
    const next = client.subscribe(symbol, { signal: ending.signal })[Symbol.asyncIterator]().next();
    ending.abort('enough');
    await expect(next).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
  });
});

describe('a loop that is slow', () => {
  test('is given all that wait, and told how many were too many', async () => {
    store(1, 2, 3);
    await follow();
    const loop = client.subscribe(symbol, { waitingMax: 4 })[Symbol.asyncIterator]();
    for (const id of range(4, 8)) say('update', [sent(id), sent(id + 100)]);
    const given: TradeBatch[] = [];
    for (let count = 0; count < 2; count += 1) given.push((await loop.next()).value);
    expect(given.map(({ leftOut, trades }) => [leftOut, idsOf(trades)])).toEqual([
      [9, [7, 107]],
      [0, [8, 108]],
    ]);
    say(
      'update',
      range(200, 205).map((id) => sent(id)),
    );
    const { value } = await loop.next();
    expect([value.leftOut, idsOf(value.trades)]).toEqual([2, range(202, 205)]);
    await loop.return?.();
  });

  test('of which none may wait is told their number alone', async () => {
    await follow();
    const loop = client.subscribe(symbol, { waitingMax: -1 })[Symbol.asyncIterator]();
    await loop.next();
    say('update', [sent(4), sent(5)]);
    expect((await loop.next()).value).toMatchObject({ leftOut: 2, trades: [] });
  });

  test('two calls at once are answered in their order', async () => {
    await follow();
    const loop = client.subscribe(symbol)[Symbol.asyncIterator]();
    await loop.next();
    const calls = [loop.next(), loop.next()];
    say('update', [sent(4)]);
    say('update', [sent(5)]);
    const given = await Promise.race([Promise.all(calls), settle()]);
    expect(given?.map(({ value }) => idsOf(value.trades))).toEqual([[4], [5]]);
  });
});

describe('a hole', () => {
  test('after a lost connection is filled in order, and what is live waits for it', async () => {
    store(...range(1, 30));
    await follow();
    store(...range(31, 700));
    await loseAndCome();
    show();
    store(701);
    say('update', [sent(701)]);
    expect(told).toHaveLength(1);
    await heal();
    expect(told[1]).toMatchObject({ kind: 'repair', takenBack: [], leftOut: 0 });
    expect(idsOf(told[1]?.trades)).toEqual(range(31, 701));
    expect(asked).toHaveLength(2);
    say('update', [sent(700), sent(701), sent(702)]);
    expect(idsOf(told[2]?.trades)).toEqual([702]);
  });

  test('where nothing was missed says nothing', async () => {
    store(...range(1, 30));
    await follow();
    await loseAndCome();
    show();
    await heal();
    expect(told).toHaveLength(1);
  });

  test('a trade that came late while nobody listened is found', async () => {
    store(...range(1, 100).filter((id) => id !== 90));
    await follow();
    await loseAndCome();
    store(90, 101);
    show();
    await heal();
    expect(idsOf(told[1]?.trades)).toEqual([90, 101]);
  });

  test('a fork that took trades back is told, with what is in their place', async () => {
    store(...range(1, 40));
    await follow();
    stored.set(39, 'fork39');
    stored.delete(40);
    show();
    await heal();
    const [, repair] = told;
    expect(repair?.takenBack.map(({ txSig }) => txSig)).toEqual(['tx39', 'tx40']);
    expect(repair?.trades.map(({ txSig }) => txSig)).toEqual(['fork39']);
    store(40);
    say('update', [sent(40)]);
    expect(idsOf(told[2]?.trades)).toEqual([40]);
  });

  test('that the service tells of is read, and so are pages until they are new enough', async () => {
    store(...range(1, 30));
    await follow();
    store(...range(31, 300));
    say('update', [sent(300)], ',"tradesLeftOut":269');
    await heal();
    expect(idsOf(told[1]?.trades)).toEqual(range(31, 300));
    await loseAndCome();
    // A cache between answers from before.
    const old = new Map(stored);
    store(...range(301, 330));
    show();
    stored = old;
    await heal();
    expect(told).toHaveLength(2);
    store(...range(301, 330));
    await world.passAlive(2_000);
    expect(idsOf(told[2]?.trades)).toEqual(range(301, 330));
  });

  test('that cannot be read yet is a trouble, and is read again', async () => {
    store(...range(1, 30));
    const subscription = await follow();
    const troubles: string[] = [];
    subscription.onRetry(({ code }) => troubles.push(code));
    await loseAndCome();
    isFailing = true;
    store(31);
    show();
    await heal();
    expect(troubles).toEqual(['HTTP_STATUS']);
    isFailing = false;
    await world.passAlive(1_000);
    expect(idsOf(told[1]?.trades)).toEqual([31]);
  });

  test('beyond what is read is told as left out', async () => {
    store(1);
    await follow();
    store(...range(2, 10_100));
    await loseAndCome();
    show();
    await heal();
    expect(told[1]).toMatchObject({ kind: 'repair', leftOut: 99 });
    expect(idsOf(told[1]?.trades)).toEqual(range(101, 10_100));
    say('update', [sent(1), sent(10_101)]);
    expect(idsOf(told.at(-1)?.trades)).toContain(10_101);
  });

  test('whose pages fail for long keeps what its pages may have, and counts the rest once', async () => {
    store(1);
    await follow();
    world.socket.lose();
    await world.reconnect();
    isFailing = true;
    show();
    const last = 25_000;
    for (let id = 2; id <= last; id += 1) {
      store(id);
      if (id % 500 === 0)
        say(
          'update',
          Array.from({ length: 500 }, (_, at) => sent(id - 499 + at)),
        );
    }
    isFailing = false;
    await world.passAlive(5_000);
    await heal();
    const { kind, trades, leftOut } = told.at(-1) as TradeBatch;
    expect(kind).toBe('repair');
    expect(trades.length + leftOut).toBe(last - 1);
    expect(trades.length).toBe(10_000);
  });

  test('of a subscription that is closed when it hears of a trouble is not read again', async () => {
    store(...range(1, 30));
    const subscription = await follow();
    subscription.onRetry(() => subscription.close());
    await loseAndCome();
    isFailing = true;
    store(31);
    show();
    await heal();
    await world.passAlive(10_000);
    expect(asked).toHaveLength(1);
  });
});
