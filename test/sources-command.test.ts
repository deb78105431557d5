/** `slotbook sources` against services that merge streams, and one that does not. */
import { afterEach, expect, test } from 'vitest';
import { showSources } from '../src/sources/sources.js';
import { ChainScene } from './support/chain-scene.js';
import { until } from './support/until.js';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const SOURCE = 'rpc:http://node-1,grpc:http://server-0';

async function startScene(flags = {}): Promise<ChainScene> {
  const scene = await ChainScene.start({ servers: 1, flags });
  ends.push(() => scene.stop());
  return scene;
}

/** A service whose two sources are trusted. */
async function startMerged(): Promise<ChainScene> {
  const scene = await startScene({ source: SOURCE });
  for (const at of [0, 1]) await scene.untilState(at, 'trusted');
  return scene;
}

/** A run of the command, and what it draws. */
function startRun(url: string, isTTY: boolean, flags = {}) {
  const stopping = new AbortController();
  const drawn: string[] = [];
  const output = { isTTY, write: (text: string) => drawn.push(text) };
  const over = showSources({ url, flags, output, stop: stopping.signal });
  ends.push(() => stopping.abort());
  return { drawn, over, stop: () => stopping.abort() };
}

const HEAD = /^source +state +slot +lag +won +lead ms +misses +disagreements +reason$/m;

test('sources: where the output is no terminal the table is printed once', async () => {
  const { service } = await startMerged();
  for (const [isTTY, flags] of [
    [false, {}],
    [true, { plain: true }],
  ] as const) {
    const { drawn, over } = startRun(service.url, isTTY, flags);
    expect(await over).toBe(true);
    expect(drawn.length).toBe(1);
    expect(drawn[0]).toMatch(/^live, slot \d+\n\n/);
    expect(drawn[0]).toMatch(HEAD);
    expect(drawn[0]).not.toContain('\x1b');
    for (const name of ['rpc:node-1', 'grpc:server-0'])
      expect(drawn[0]).toMatch(new RegExp(`^${name} +trusted +\\d+ +\\d+ +(-|[\\d.]+ %)`, 'm'));
  }
});

test('sources: on a terminal the table moves, says what is closed, and when it is old', async () => {
  const scene = await startMerged();
  const { drawn, over, stop } = startRun(scene.service.url, true);
  await until('a share', () => /^grpc:\S+ +trusted .* [\d.]+ %/m.test(drawn.at(-1) ?? ''));
  await scene.passSlots(8);
  const [server] = scene.world.servers;
  Object.assign(server?.faults ?? {}, { isDown: true });
  server?.cutConnections();
  await until('a closed source', () =>
    /^grpc:\S+ +(interrupted|closed) /m.test(drawn.at(-1) ?? ''),
  );
  await until('its reason', () => /^grpc:\S+ +closed .*UNAVAILABLE/m.test(drawn.at(-1) ?? ''));
  expect(drawn.every((text) => text.startsWith('\x1b[H\x1b[J'))).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(2);
  await scene.stop();
  await until('an old table', () => /^the table is old: UNREACHABLE: /m.test(drawn.at(-1) ?? ''));
  expect(drawn.at(-1)).toMatch(HEAD);
  stop();
  expect(await over).toBe(false);
});

test('sources: of a service that merges nothing it says so in one line', async () => {
  const { service } = await startScene();
  const { drawn, over } = startRun(service.url, true);
  expect(await over).toBe(true);
  expect(drawn.join('')).toMatch(/^live, slot \d+; it merges no sources, and follows node-0\n$/);
});

test('sources: a service that cannot be read is an error', async () => {
  const { over } = startRun('http://127.0.0.1:1', false);
  await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE' });
});
