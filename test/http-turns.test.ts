/** Answers are kept within a turn of the book, and never beyond what changes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../src/config/limits.js';
import { Engine } from '../src/engine/engine.js';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';

const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
const life = new MarketSimulator({ seed: 20261121, makers: 60 });
let slot = 1_000;
let ts = 1_800_000_000_000;
let server: RunningServer;
let market: number;

const clock = () => ({ slot, unixSeconds: 1_800_000_000 + Math.floor(slot / 2) });

function push(writes: readonly AccountWrite[]): void {
  for (const { pubkey, owner, data } of writes) {
    engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
  }
}

beforeAll(async () => {
  push(life.createGenesis(clock()));
  for (let step = 0; step < 100; step += 1) push(life.nextWrites(clock()));
  engine.setState('live');
  engine.endTurn(ts);
  market = engine.findMarket('SOL-PERP')?.id ?? -1;
  server = await startServer(engine);
});

afterAll(() => server?.close());

const emptySnapshot = async () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { context: { slot: slot + 1 }, value: [] },
  });
  return engine.decodeSnapshot(Buffer.from(body));
};

/** Everything that changes what a body says. */
const changes: readonly [name: string, change: () => void | Promise<void>][] = [
  ['nothing', () => {}],
  [
    'accounts',
    () => {
      slot += 1;
      for (let step = 0; step < 20; step += 1) push(life.nextWrites(clock()));
      ts += 400;
      engine.endTurn(ts);
    },
  ],
  [
    'the clock',
    () => {
      slot += 5_000;
      engine.setClock(slot, clock().unixSeconds);
      ts += 1;
      engine.endTurn(ts);
    },
  ],
  ['the state', () => engine.setState('stale')],
  ['the epoch', () => engine.setEpoch('e2')],
  [
    'a snapshot',
    async () => {
      const snapshot = await emptySnapshot();
      engine.beginSnapshot(snapshot);
      engine.applySnapshot(snapshot, 0, 0);
      engine.endSnapshot();
      ts += 1;
      engine.endTurn(ts);
    },
  ],
];

interface Asked {
  readonly path: string;
  readonly body: () => Uint8Array;
}

const paths: readonly Asked[] = [
  { path: '/l2?marketName=SOL-PERP', body: () => engine.l2({ market, depth: 10 }) },
  { path: '/l2?marketName=SOL-PERP&depth=1', body: () => engine.l2({ market, depth: 1 }) },
  { path: '/l3?marketName=SOL-PERP&depth=2', body: () => engine.l3({ market, depth: 2 }) },
  { path: '/l3?marketName=SOL-PERP', body: () => engine.l3({ market }) },
];

test.each(changes)(
  'after %s every answer is of the book of now, however often',
  async (_, change) => {
    for (let round = 0; round < 2; round += 1) {
      for (const { path, body } of paths) {
        for (let again = 0; again < 3; again += 1) {
          const wanted = Buffer.from(body()).toString();
          const { seq, slot: shown, state } = engine.version(market);
          const response = await fetch(server.url + path);
          expect(await response.text()).toBe(wanted);
          const etag = `"${engine.epoch}.${seq}.${shown}.${state}"`;
          expect(response.headers.get('etag')).toBe(etag);
          const headers = { 'if-none-match': etag };
          expect((await fetch(server.url + path, { headers })).status).toBe(304);
          const head = await fetch(server.url + path, { method: 'HEAD', headers: identity });
          expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(wanted)));
        }
      }
      if (round === 0) await change();
    }
  },
);

const identity = { 'accept-encoding': 'identity' };

test('a small answer is made once a turn', async () => {
  const { l2 } = engine;
  let made = 0;
  engine.l2 = (request) => {
    made += 1;
    return l2.call(engine, request);
  };
  ts += 1;
  engine.endTurn(ts);
  const ask = async (path: string, times: number) => {
    made = 0;
    for (let time = 0; time < times; time += 1)
      await (await fetch(server.url + path, { headers: identity })).text();
    return made;
  };
  expect(await ask('/l2?marketName=SOL-PERP&depth=3', 5)).toBe(1);
  expect(await ask('/l2?marketName=SOL-PERP&depth=4', 5)).toBe(1);
  const large = '/l2?marketName=SOL-PERP&depth=1000';
  engine.l2 = () => {
    made += 1;
    return new Uint8Array(LIMITS.gzipBodyBytesMin);
  };
  expect(await ask(large, 3)).toBe(3);
});
