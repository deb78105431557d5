/** `slotbook sources` against services that merge streams, and one that does not. */
import { afterEach, expect, test } from 'vitest';
import { showSources } from '../src/sources/sources.js';
import { ScriptedChain } from './scripted-chain.js';
import { ScriptedNode } from './scripted-chain-node.js';
import { ServiceProbe } from './support/service-probe.js';
import { SourceRig } from './support/source-rig.js';
import { until } from './support/until.js';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startRig(): Promise<SourceRig> {
  const rig = await SourceRig.start({ hasNode: true, servers: 1 });
  ends.push(() => rig.stop());
  await until('both are trusted', async () =>
    (await rig.sources()).every(({ state }) => state === 'trusted'),
  );
  return rig;
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
  const { service, node, servers } = await startRig();
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
    const names = [
      `rpc:${new URL(node.rpcUrl).host}`,
      `grpc:${new URL(servers[0]?.url ?? '').host}`,
    ];
    for (const name of names)
      expect(drawn[0]).toMatch(new RegExp(`^${name} +trusted +\\d+ +\\d+ +(-|[\\d.]+ %)`, 'm'));
  }
}, 60_000);

test('sources: on a terminal the table moves, says what is closed, and when it is old', async () => {
  const rig = await startRig();
  const { drawn, over, stop } = startRun(rig.service.url, true);
  await rig.passWrites(20);
  await until('a share', () => /^grpc:\S+ +trusted .* [\d.]+ %/m.test(drawn.at(-1) ?? ''));
  rig.servers[0]?.stop();
  await until('a closed source', () =>
    /^grpc:\S+ +(interrupted|closed) /m.test(drawn.at(-1) ?? ''),
  );
  await until('its reason', () => /^grpc:\S+ +closed .*UNAVAILABLE/m.test(drawn.at(-1) ?? ''));
  expect(drawn.every((text) => text.startsWith('\x1b[H\x1b[J'))).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(2);
  await rig.watch.stop();
  await until('an old table', () => /^the table is old: UNREACHABLE: /m.test(drawn.at(-1) ?? ''));
  expect(drawn.at(-1)).toMatch(HEAD);
  stop();
  expect(await over).toBe(false);
}, 60_000);

test('sources: of a service that merges nothing it says so in one line', async () => {
  const chain = new ScriptedChain({ seed: 7, makers: 5, slotMs: 400, writesAreSeen: 'atOnce' });
  const node = await ScriptedNode.start(chain);
  chain.start();
  ends.push(
    () => node.stop(),
    () => chain.stop(),
  );
  const service = await ServiceProbe.start(node);
  ends.push(() => service.stop());
  const { drawn, over } = startRun(service.url, true);
  expect(await over).toBe(true);
  expect(drawn.join('')).toMatch(
    /^live, slot \d+; it merges no sources, and follows 127\.0\.0\.1:\d+\n$/,
  );
}, 60_000);

test('sources: a service that cannot be read is an error', async () => {
  const { over } = startRun('http://127.0.0.1:1', false);
  await expect(over).rejects.toMatchObject({ code: 'UNREACHABLE' });
});
