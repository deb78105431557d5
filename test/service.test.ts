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
  service = await ServiceProbe.start(demo.relay);
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

test('the address is printed once the book is live', () => {
  expect(service.printed.filter((line) => line === `ready ${service.url}\n`)).toHaveLength(1);
});
