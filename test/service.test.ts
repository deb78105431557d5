/**
 * The service against its chain: real accounts, a real RPC, and books rebuilt beside it. The rules of a book, one by
 * one, are in test/client/local-book.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { address } from '../src/sim/bytes/keys.js';
import { BookJudge } from './support/book-judge.js';
import {
  BET,
  betMarket,
  betOrders,
  endingOrders,
  oddOrders,
  oddUser,
} from './support/odd-accounts.js';
import { ServiceProbe } from './support/service-probe.js';
import { SteppedDemo } from './support/stepped-demo.js';
import { until } from './support/until.js';

const SOL_PERP = address.perpMarket(0);
const STOPS = 6;
const SLOTS_BETWEEN_STOPS = 4;

let demo: SteppedDemo;
let service: ServiceProbe;
let judge: BookJudge;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 20261121, makers: 60, slotTimeMs: 200 });
  await demo.step(100);
  // One test waits for a late book, before the connection is given up.
  const times = { laggingAfterMs: '4000', staleAfterMs: '8000' };
  service = await ServiceProbe.start(demo.relay, times);
  service.hasRead(await demo.texts());
  judge = new BookJudge(demo, service);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
});

async function slots(count: number): Promise<void> {
  const target = demo.clock.slot + count;
  await until(() => demo.clock.slot >= target);
}

async function bytesOf(pubkey: string): Promise<Buffer> {
  const found = (await demo.accounts()).find((account) => account.pubkey === pubkey);
  if (found === undefined) throw new Error(`the chain has no account ${pubkey}`);
  return found.data;
}

/** Writes an account with one byte changed, and answers how to change it back. */
async function patch(pubkey: string, byte: { at: number; value: number }) {
  const data = await bytesOf(pubkey);
  const patched = Buffer.from(data);
  patched.writeUInt8(byte.value, byte.at);
  await demo.writeBytes(pubkey, patched);
  return () => demo.writeBytes(pubkey, data);
}

function oddScene() {
  const oracle = demo.life.markets[0]?.feed.price ?? 0n;
  return { clock: demo.clock, oracle };
}

describe('books', () => {
  test('equal a rebuild from the chain at every stop of a life', async () => {
    for (let stop = 0; stop < STOPS; stop += 1) {
      await demo.step(250);
      const { bids, asks } = (await judge.compare()).get('SOL-PERP') ?? {};
      expect(Math.min(bids?.rows.length ?? 0, asks?.rows.length ?? 0)).toBeGreaterThan(10);
      await slots(SLOTS_BETWEEN_STOPS);
    }
  });

  test('hold orders of every kind as the rules say, while slots and seconds pass', async () => {
    const orders = oddOrders(oddScene());
    const owners = [{ seed: 1 }, { seed: 2 }, { seed: 3, status: 1 }, { seed: 4, status: 16 }];
    await demo.write(...owners.map((owner) => oddUser(owner, orders)));
    await demo.write(oddUser({ seed: 5 }, endingOrders(oddScene())));
    for (let stop = 0; stop < STOPS; stop += 1) {
      const { bids } = (await judge.compare()).get('SOL-PERP') ?? {};
      expect(bids?.rows.map(({ maker }) => maker)).toContain(oddUser({ seed: 1 }, []).pubkey);
      await slots(2);
    }
  });

  test('come and go with their market and its oracle, without a restart', async () => {
    const { market, oracle } = betMarket(await bytesOf(SOL_PERP), demo.clock);
    await demo.write(oddUser({ seed: 9 }, betOrders(demo)), market);
    const oracleless = await judge.compare();
    expect(oracleless.get(BET.name)?.head['offsetOrdersExcluded']).toBe('oracleMissing');
    expect(await service.symbols()).toContain(BET.name);

    await demo.write(oracle);
    const asks = (await judge.compare()).get(BET.name)?.asks.rows;
    expect(asks?.map(({ price }) => price)).toEqual(['630100', '990000', '1000000']);
    await demo.close(oracle.pubkey);
    const closed = await judge.compare();
    expect(closed.get(BET.name)?.head['offsetOrdersExcluded']).toBe('oracleMissing');
  });
});

describe('a malformed account', () => {
  /** What /metrics says may be a moment old. */
  async function untilQuarantined(count: number): Promise<void> {
    const readMetric = () => service.metric('slotbook_accounts_quarantined');
    await until(`${count} are quarantined`, async () => (await readMetric()) === count);
  }

  test('of a user is out of the book, counted, and in again when it is sound', async () => {
    const { pubkey, data } = oddUser({ seed: 1 }, oddOrders(oddScene()));
    const wrong = Buffer.from(data);
    // The type of the third order.
    wrong.writeUInt8(9, 1192 + 2 * 96 + 83);
    await demo.writeBytes(pubkey, wrong);
    await judge.compare();
    await untilQuarantined(1);
    await demo.step(30);
    await judge.compare();
    await demo.writeBytes(pubkey, data);
    await judge.compare();
    await untilQuarantined(0);
  });

  test('of a market empties its own book only', async () => {
    const restore = await patch(SOL_PERP, { at: 1162, value: 99 });
    const body = () => service.json('/l2?marketName=SOL-PERP');
    await until(async () => (await body())['reason'] === 'marketMalformed');
    expect(await body()).toMatchObject({ bids: [], asks: [], state: 'live' });
    await untilQuarantined(1);
    expect(await service.json('/l2?marketName=BTC-PERP')).not.toHaveProperty('reason');
    await restore();
    await judge.compare();
    await untilQuarantined(0);
  });
});

describe('versions', () => {
  test('seq and slot only grow, and one tag names one body', async () => {
    const bodies = new Map<string, string>();
    const last = new Map<string, { seq: number; slot: number }>();
    const look = async (market: string, depth: number) => {
      const { headers, text } = await service.get(`/l2?marketName=${market}&depth=${depth}`);
      const { seq, slot, state, epoch } = JSON.parse(text);
      const tag = `"${epoch}.${seq}.${slot}.${state}"`;
      expect([headers.get('etag'), headers.get('x-slot')]).toEqual([tag, String(slot)]);
      expect(bodies.get(market + tag) ?? text).toBe(text);
      bodies.set(market + tag, text);
      const before = last.get(market) ?? { seq: 0, slot: 0 };
      expect(seq).toBeGreaterThanOrEqual(before.seq);
      expect(slot).toBeGreaterThanOrEqual(before.slot);
      last.set(market, { seq, slot });
    };
    const before = await service.json('/l2?marketName=SOL-PERP');
    for (let round = 0; round < 40; round += 1) {
      await demo.step(5);
      // No side has 900 levels: both depths have the same body, rendered by itself each.
      for (const market of ['SOL-PERP', 'ETH-PERP', 'SOL']) {
        await look(market, 1_000 - round);
        await look(market, 950 - round);
      }
    }
    expect(last.get('SOL-PERP')?.seq).toBeGreaterThan(Number(before['seq']) + 5);
  });

  test('a book that stands still answers 304 to its tag', async () => {
    await judge.compare();
    demo.chain.pause();
    try {
      const path = '/l3?marketName=BTC-PERP';
      // A slot may still have been under way.
      await until(async () => {
        const { headers } = await service.get(path);
        const tag = headers.get('etag') ?? '';
        const { status, text, ...again } = await service.get(path, { 'if-none-match': tag });
        if (status === 200) return false;
        expect([status, text]).toEqual([304, '']);
        for (const name of ['etag', 'x-slot', 'x-state']) {
          expect(again.headers.get(name)).toBe(headers.get(name));
        }
        return true;
      });
      expect((await service.get(path, { 'if-none-match': '"another"' })).status).toBe(200);
    } finally {
      demo.chain.resume();
    }
  });
});

describe('a connection that fails', () => {
  const isReady = async () => (await service.get('/ready')).status === 200;

  test('is told in the book, and the book is whole again afterwards', async () => {
    const { pubkey } = oddUser({ seed: 2 }, []);
    const ofOddUser = () => service.json(`/l3?marketName=SOL-PERP&maker=${pubkey}`);
    const from = service.states.length;
    demo.relay.cutSessions({ downMs: 60_000 });
    await until(async () => !(await isReady()));
    // What happens meanwhile is not notified to anybody, the end of an account included.
    await demo.step(100);
    await demo.close(pubkey);
    const { state, bids } = await ofOddUser();
    expect(state).toBe('rebuilding');
    expect(bids).not.toEqual([]);

    demo.relay.cutSessions({ downMs: 0 });
    await until(isReady);
    service.hasRead(await demo.texts());
    await judge.compare();
    expect(service.states.slice(from, from + 2)).toEqual(['rebuilding', 'live']);
    expect(await ofOddUser()).toMatchObject({ bids: [], asks: [] });
  });

  test('that is silent makes the book lagging until slots come again', async () => {
    const from = service.states.length;
    demo.chain.pause();
    await until(() => service.states[from] === 'lagging')
      .then(async () => expect(await isReady()).toBe(false))
      .finally(() => demo.chain.resume());
    await until(isReady);
    await judge.compare();
  });
});

test('the address is printed once the book is live', () => {
  expect(service.printed.filter((line) => line === `ready ${service.url}\n`)).toHaveLength(1);
});
