/** What the specification says of the library's access to the chain; test/client/chain-book.test.ts has more. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Auctions, ChainBook } from '../src/client/chain/index.js';
import { perpMarket } from '../src/client/index.js';
import { systemClock } from '../src/client/surroundings.js';
import { endingOrders, oddUser } from './support/odd-accounts.js';
import { SteppedDemo } from './support/stepped-demo.js';

const until = (holds: () => unknown) => vi.waitUntil(holds, { timeout: 60_000, interval: 20 });
const timeout = 90_000;

let demo: SteppedDemo;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 41, makers: 20, slotTimeMs: 200, fillsPerSecond: 0 });
}, timeout);

afterAll(() => demo?.stop());

test(
  'access-local-book: best bid and ask by market index, made every 1000 ms or as often as one asks',
  async () => {
    const { rpcUrl, wsUrl } = demo.relay;
    for (const updateFrequency of [undefined, 50]) {
      const waits: number[] = [];
      const after = (ms: number, call: () => void) => {
        waits.push(ms);
        return systemClock.after(ms, call);
      };
      const frequency = updateFrequency === undefined ? {} : { updateFrequency };
      const clock = { ...systemClock, after };
      const chain = new ChainBook({ rpcUrl, wsUrl, WebSocket, clock, ...frequency });
      let made = 0;
      chain.onUpdate(() => {
        made += 1;
      });
      chain.open();
      await until(() => made > 1);
      expect(waits).toContain(updateFrequency ?? 1_000);
      const [bid, ask] = [
        chain.book.getBestBid(perpMarket(0)),
        chain.book.getBestAsk(perpMarket(0)),
      ];
      const { bids, asks } = chain.book.getL2(perpMarket(0));
      expect([bid, ask]).toEqual([bids[0]?.price, asks[0]?.price]);
      expect(bid).toBeLessThan(ask ?? 0n);
      chain.close();
    }
  },
  timeout,
);

test(
  'access-auctions: an account with an order in auction is told',
  async () => {
    const { rpcUrl, wsUrl } = demo.relay;
    const auctions = new Auctions({ rpcUrl, wsUrl, WebSocket });
    const told: string[] = [];
    auctions.onUpdate(({ address }) => told.push(address));
    auctions.open();
    const oracle = demo.life.markets[0]?.feed.price ?? 0n;
    const user = oddUser({ seed: 90 }, endingOrders({ clock: demo.clock, oracle }));
    // The program's mark, which the simulated program leaves as it is.
    user.data.writeUInt8(1, 4354);
    await demo.write(user);
    await until(() => told.includes(user.pubkey));
    auctions.close();
  },
  timeout,
);
