/** The library's local book and auctions over a real chain: they follow what a reading of all accounts says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  Auctions,
  ChainBook,
  type ChainBookOptions,
  type LocalBook,
  type UserAuctions,
} from '../../src/client/chain/index.js';
import type { SocketClass } from '../../src/client/environment.js';
import { perpMarket } from '../../src/client/index.js';
import { localBookOf } from '../support/local-books.js';
import { endingOrders, oddOrders, oddUser } from '../support/odd-accounts.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

let demo: SteppedDemo;
let chain: ChainBook | undefined;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 41, makers: 40, slotTimeMs: 200, fillsPerSecond: 0 });
  await demo.step(150);
});

afterAll(async () => {
  chain?.close();
  await demo?.stop();
});

function at(): Pick<ChainBookOptions, 'rpcUrl' | 'wsUrl' | 'WebSocket'> {
  const { rpcUrl, wsUrl } = demo.relay;
  return { rpcUrl, wsUrl, WebSocket: WebSocket as unknown as SocketClass };
}

function open(options: Partial<ChainBookOptions> = {}): ChainBook {
  chain = new ChainBook({ ...at(), updateFrequency: 100, ...options });
  chain.open();
  return chain;
}

/** What is compared, as text: orders of both sides of every market, and whether offsets are left out. */
function shown(book: LocalBook): string {
  const rows = book.markets().map(({ id, name, emptyReason, offsetOrdersExcluded }) => {
    const { bids, asks } = book.getL3(id);
    const sides = [bids, asks].map((side) =>
      side.map((o) => `${o.price} ${o.size} ${o.maker} ${o.orderId} ${o.slot} ${o.maxTs}`),
    );
    return [name, emptyReason, offsetOrdersExcluded, ...sides];
  });
  return JSON.stringify(rows.sort());
}

/** A book of the accounts that one reading of the whole chain brought; local-book.test.ts compares its rules with the core's. */
async function expected({ moment }: LocalBook): Promise<string> {
  return shown(localBookOf(await demo.accounts(), moment));
}

/** Waits until an update holds the chain, which stands still; every one after it has to. */
async function agrees(chain: ChainBook): Promise<void> {
  let judged = 0;
  for await (const book of chain) {
    const [ours, read] = [shown(book), await expected(book)];
    if (ours === read) judged += 1;
    else if (judged > 0) expect(ours).toBe(read);
    if (judged === 3) return;
  }
}

describe('a local order book from chain subscriptions', () => {
  // Specification: access-local-book, access-local-best.
  test('holds the orders of the chain at every stop of a life', async () => {
    const chain = open();
    for (let stop = 0; stop < 4; stop += 1) {
      await demo.step(120);
      await agrees(chain);
    }
    const { bids, asks } = chain.book.getL3(perpMarket(0));
    expect(bids.length).toBeGreaterThan(10);
    const best = [chain.book.getBestBid(perpMarket(0)), chain.book.getBestAsk(perpMarket(0))];
    expect(best).toEqual([bids[0]?.price, asks[0]?.price]);
    chain.close();
  });

  // Specification: access-local-frequency.
  test('tells its book so often as is said, each second where nothing is', async () => {
    const apart = async (options: { readonly updateFrequency?: number }) => {
      const chain = new ChainBook({ ...at(), ...options });
      const times: number[] = [];
      chain.onUpdate(() => void times.push(performance.now()));
      chain.open();
      await until(() => times.length >= 3);
      chain.close();
      return Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
    };
    expect(await apart({ updateFrequency: 300 })).toBeGreaterThan(295);
    expect(await apart({})).toBeGreaterThan(995);
  });

  test('is whole again after cuts amid writes, and says meanwhile that it is not', async () => {
    const chain = open();
    const states: string[] = [];
    chain.onState((state) => void states.push(state));
    await until(() => chain.state === 'live');
    for (let cut = 0; cut < 3; cut += 1) {
      const writing = demo.step(60);
      demo.relay.cutSessions({ downMs: 300 });
      await writing;
      await until(() => states.length >= 2 * cut + 3 && chain.state === 'live');
      await agrees(chain);
    }
    expect(states.slice(0, 3)).toEqual(['live', 'rebuilding', 'live']);
    chain.close();
  });

  test('finds by reading anew what no notification told: a closed account', async () => {
    const chain = open({ resyncMs: 300 });
    const orders = oddOrders({ clock: demo.clock, oracle: demo.life.markets[0]?.feed.price ?? 0n });
    const user = oddUser({ seed: 77 }, orders);
    await demo.write(user);
    await agrees(chain);
    expect(shown(chain.book)).toContain(user.pubkey);
    await demo.close(user.pubkey);
    await until(() => !shown(chain.book).includes(user.pubkey));
    await agrees(chain);
    chain.close();
  });

  test('tells nothing any more once it is closed, and can be opened again', async () => {
    const chain = open();
    await until(() => chain.state === 'live');
    chain.close();
    let updates = 0;
    chain.onUpdate(() => {
      updates += 1;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([chain.state, updates]).toEqual(['idle', 0]);
    chain.open();
    await agrees(chain);
    expect(updates).toBeGreaterThan(0);
    chain.close();
  });

  test('stays closed when it is closed on being told of a loss', async () => {
    const chain = open();
    await until(() => chain.state === 'live');
    const states: string[] = [];
    chain.onState((state) => {
      states.push(state);
      if (state === 'rebuilding') chain.close();
    });
    demo.relay.cutSessions();
    await until(() => states.includes('idle'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect([chain.state, states]).toEqual(['idle', ['rebuilding', 'idle']]);
  });

  test('tells of a node that is not there, and of a program that has no accounts', async () => {
    const errors: string[] = [];
    const chain = new ChainBook({ ...at(), rpcUrl: 'http://127.0.0.1:1' });
    chain.onError(({ code }) => void errors.push(code));
    chain.open();
    await until(() => errors.includes('UNREACHABLE'));
    expect(chain.state).toBe('rebuilding');
    chain.close();
    const deaf = new ChainBook({ ...at(), wsUrl: 'ws://127.0.0.1:1' });
    deaf.onError(({ code, message }) => void errors.push(`${code} ${message}`));
    deaf.open();
    await until(() => errors.includes('UNREACHABLE no connection to 127.0.0.1:1'));
    deaf.close();
    const other = open({ programId: 'Vote111111111111111111111111111111111111111' });
    await until(() => other.state === 'live');
    expect(other.book.markets()).toEqual([]);
    other.close();
  });
});

describe('a subscription to active auctions', () => {
  // Specification: access-auctions.
  test('tells an account when its order comes into auction, and when the auction has ended', async () => {
    const auctions = new Auctions(at());
    const told: UserAuctions[] = [];
    auctions.onUpdate((update) => void told.push(update));
    auctions.open();
    const oracle = demo.life.markets[0]?.feed.price ?? 0n;
    const user = oddUser({ seed: 90 }, endingOrders({ clock: demo.clock, oracle, slotsEach: 4 }));
    // The program's mark, which the simulated program leaves as it is.
    user.data.writeUInt8(1, 4354);
    await demo.write(user);
    const own = () => told.filter(({ address }) => address === user.pubkey);
    await until(() => own().length > 0);
    const { orders, slot } = own()[0] as UserAuctions;
    expect(orders.length).toBeGreaterThan(0);
    for (const order of orders)
      expect(slot - order.slot <= BigInt(order.auctionDuration)).toBe(true);
    expect(auctions.active().map(({ address }) => address)).toContain(user.pubkey);
    await until(() => own().at(-1)?.orders.length === 0);
    expect(auctions.active().map(({ address }) => address)).not.toContain(user.pubkey);
    auctions.close();
  });

  test('tells at once that an order was filled, which takes the mark away', async () => {
    const auctions = new Auctions(at());
    const told: UserAuctions[] = [];
    auctions.onUpdate((update) => void told.push(update));
    const long = { clock: demo.clock, oracle: demo.life.markets[0]?.feed.price ?? 0n };
    const user = oddUser({ seed: 91 }, oddOrders(long));
    user.data.writeUInt8(1, 4354);
    await demo.write(user);
    auctions.open();
    const own = () => told.filter(({ address }) => address === user.pubkey);
    // Read at the start, by its mark.
    await until(() => own().length > 0);
    expect(own()[0]?.orders.some(({ auctionDuration }) => auctionDuration === 255)).toBe(true);
    await demo.write(oddUser({ seed: 91 }, []));
    await until(() => own().at(-1)?.orders.length === 0);
    expect(auctions.active().map(({ address }) => address)).not.toContain(user.pubkey);
    // Accounts without an auction are not told.
    const others = told.filter(({ orders, address }) => {
      return orders.length === 0 && address !== user.pubkey;
    });
    expect(others).toEqual([]);
    auctions.close();
  });
});
