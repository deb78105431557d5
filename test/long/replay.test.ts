/** The same calls give the same bytes: a live run of the feed, recorded and made again. */
import { afterEach, expect, test } from 'vitest';
import { LiveFeed } from '../../src/feed/live-feed.js';
import { RpcClient } from '../../src/rpc/client.js';
import { RpcSocket } from '../../src/rpc/socket.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { EngineRecorder, replayCalls } from '../support/engine-recorder.js';
import { oddOrders, oddUser } from '../support/odd-accounts.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const OPTIONS = { programId: PROGRAM_ID, epoch: 'replay', showEvery: 3 };

let demo: SteppedDemo | undefined;
let feed: LiveFeed | undefined;

afterEach(async () => {
  feed?.stop();
  await demo?.stop();
});

function isLive(): boolean {
  return feed?.status().state === 'live';
}

/** A feed that meets a life, accounts made by hand, an account that ends, and a lost connection. */
async function liveRun(): Promise<EngineRecorder> {
  demo = await SteppedDemo.start({ seed: 77, makers: 40, slotTimeMs: 200 });
  const { rpcUrl, wsUrl } = demo.relay;
  const engine = new EngineRecorder(OPTIONS);
  const rpc = new RpcClient({ timers: systemTimers, url: rpcUrl });
  const socket = new RpcSocket({ timers: systemTimers, url: wsUrl });
  feed = new LiveFeed({
    timers: systemTimers,
    nodes: [{ name: 'node', rpc, socket }],
    engine,
    programId: PROGRAM_ID,
  });
  await feed.start();
  const stepFor = async (turns: number): Promise<void> => {
    for (const end = engine.turns + turns; engine.turns < end; ) {
      quote(engine);
      await demo?.step(8);
    }
  };

  await stepFor(90);
  const oracle = demo.life.markets[0]?.feed.price ?? 0n;
  const odd = oddUser({ seed: 1 }, oddOrders({ clock: demo.clock, oracle }));
  const wrong = Buffer.from(odd.data);
  wrong.writeUInt8(9, 1192 + 83);
  await demo.write(odd, { ...odd, data: wrong }, odd);
  await demo.step(60);
  demo.relay.cutSessions({ downMs: 60_000 });
  await until(() => !isLive());
  await demo.close(odd.pubkey);
  await demo.step(60);
  demo.relay.cutSessions({ downMs: 0 });
  await until(isLive);
  await stepFor(60);
  feed.stop();
  return engine;
}

/** A maker quotes beside the chain; what it quoted before a silence of a second is gone. */
function quote(engine: EngineRecorder): void {
  const market = engine.marketId('SOL-PERP');
  if (market === undefined) return;
  const side = (price: bigint) => ({ price, size: BigInt(1 + engine.turns) * 10_000_000n });
  const quotes = [{ bid: side(-40_000n), ask: side(40_000n), isOracleOffset: true }];
  engine.setIndicative({ market, maker: PROGRAM_ID, quotes, tsMs: Date.now() });
}

test('a live run replayed twice shows the same bytes at every turn looked at', async () => {
  const live = await liveRun();
  expect(live.checkIntegrity()).toBeNull();
  const names = new Set(live.calls.map(({ name }) => name));
  const every = [
    'push',
    'setClock',
    'setState',
    'endTurn',
    'decode',
    'applySnapshot',
    'setIndicative',
  ] as const;
  for (const name of every) expect(names).toContain(name);
  expect(live.shown.length).toBeGreaterThan(20);
  const holding = (source: string) =>
    live.shown.filter(({ bodies }) => bodies.some((body) => body.includes(`"${source}":"`)));
  for (const source of ['dlob', 'vamm', 'indicative']) {
    expect(holding(source).length, source).toBeGreaterThan(live.shown.length / 2);
  }

  const first = await replayCalls(live.calls, OPTIONS);
  const second = await replayCalls(live.calls, OPTIONS);
  expect(first).toEqual(live.shown);
  expect(second).toEqual(live.shown);

  // Looking at the book changes nothing in it.
  const rarely = await replayCalls(live.calls, { ...OPTIONS, showEvery: OPTIONS.showEvery * 5 });
  expect(rarely).toEqual(live.shown.filter(({ turn }) => turn % (OPTIONS.showEvery * 5) === 0));
  const books = new Set(live.shown.map(({ stateHash }) => stateHash));
  expect(books.size).toBeGreaterThan(live.shown.length / 2);
});
