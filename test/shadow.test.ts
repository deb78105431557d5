/** `slotbook shadow` with a service, beside a scripted dlob-server with known faults and beside itself. */
import { getMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runShadow } from '../src/app/shadow-command.js';
import type { ShadowFlags } from '../src/shadow/shadow-options.js';
import { type World, world } from './world/world.js';

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

interface Book {
  readonly slot: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** The size of an order that expired long ago. */
const EXPIRED_SIZE = '7000000000';

/** A dlob-server over a service: SOL-PERP lacks the fifth bid and shows an expired order, BTC-PERP stands still. */
async function startDlobServer({ service }: World) {
  const { bids: first } = JSON.parse((await service.get('/l2?marketName=SOL-PERP')).text) as Book;
  const missing = BigInt(first[4]?.price ?? 0);
  const sources = { dlob: EXPIRED_SIZE };
  const expired = { price: `${missing + 1n}`, size: EXPIRED_SIZE, sources };
  const spoil = (bids: readonly Level[]): readonly Level[] => {
    const others = bids.filter(({ price }) => BigInt(price) !== missing);
    return [...others.slice(0, 4), expired, ...others.slice(4, 99)];
  };
  const kept = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const url = request.url ?? '/';
    const { bids, asks, slot } = JSON.parse((await service.get(url)).text) as Book;
    const shown = url.includes('SOL-PERP') ? spoil(bids) : bids;
    // As a dlob-server writes it: without a state.
    const body = JSON.stringify({ slot, bids: shown, asks });
    const stands = url.includes('BTC-PERP');
    if (stands && !kept.has(url)) kept.set(url, body);
    response.end(kept.get(url) ?? body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    missing,
    expired: missing + 1n,
    stop: () => void server.close(),
  };
}

/** Runs the command: whether slotbook was right, and the printed object. */
async function shadow(scene: World, flags: ShadowFlags & { readonly rpcUrl?: string }) {
  let text = '';
  const output = { write: (more: string) => (text += more) };
  const stop = new AbortController().signal;
  const { url } = scene.service;
  const isRight = await runShadow(
    { url, for: '16s', json: true, logLevel: 'silent', ...flags },
    { output, stop },
  );
  const body = JSON.parse(text);
  // Else Node.js warns of a leak, as each market of a server waits for the end.
  expect(getMaxListeners(stop)).toBe(2 * body.markets.length);
  return { isRight, body };
}

test('shadow: the faults of a dlob-server are its own by the chain; beside itself there is none', async ({
  onTestFinished,
}) => {
  const scene = await world();
  const dlob = await startDlobServer(scene);
  onTestFinished(async () => {
    dlob.stop();
    await scene.stop();
  });
  const chain = { rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' };
  const html = path.join(tmpdir(), 'shadow.html');
  const markets = 'sol-perp,BTC-PERP';
  const found = await shadow(scene, { against: dlob.url, markets, html, ...chain });
  expect(found.isRight).toBe(true);
  const { slotbook, other, pairs, differences } = found.body;
  expect(pairs).toBeGreaterThan(80);
  const numbers = { requests: expect.any(Number), failedOrNotLive: 0, staleMinutes: 0 };
  expect(slotbook).toMatchObject({ ...numbers, levelsWrong: 0 });
  expect(slotbook.booksJudged).toBe(slotbook.requests);
  // BTC-PERP stood still all the time.
  expect(other).toMatchObject({ ...numbers, staleMinutes: 0.3 });
  const common = { market: 'SOL-PERP', right: 'slotbook' };
  const expired = { slotbook: null, other: EXPIRED_SIZE, chain: null };
  const lacked = { slotbook: expect.any(String), other: null, chain: expect.any(String) };
  const stale = 'more than 25 slots behind';
  expect(differences).toEqual(
    expect.arrayContaining([
      { ...common, level: `bid level ${dlob.expired}`, ...expired },
      { ...common, level: `bid level ${dlob.missing}`, ...lacked },
      { ...expired, market: 'BTC-PERP', right: 'slotbook', level: 'slot', other: stale },
    ]),
  );
  const ofSol = differences.filter(({ market }: { market: string }) => market === 'SOL-PERP');
  expect(ofSol).toHaveLength(2);
  expect(await readFile(html, 'utf8')).toContain('<li>BTC-PERP slot: ');
  const itself = await shadow(scene, {
    against: scene.service.url,
    slotbook: true,
    for: '6s',
    ...chain,
  });
  expect(itself.isRight).toBe(true);
  expect(itself.body).toMatchObject({ differing: 0, found: 0, other: { levelsWrong: 0 } });
  expect(itself.body.markets).toEqual(await scene.service.symbols());

  // Without a node nothing is judged; without an answer nothing is compared.
  const unjudged = await shadow(scene, { against: dlob.url, markets, for: '6s' });
  expect(unjudged.isRight).toBe(true);
  expect(unjudged.body.slotbook).toMatchObject({ booksJudged: 0, levelsWrong: null });
  expect(unjudged.body.differences).toContainEqual(
    expect.objectContaining({ level: `bid level ${dlob.expired}`, right: 'not judged' }),
  );
  await expect(shadow(scene, { against: `${dlob.url}/no`, for: '5m2' })).rejects.toMatchObject({
    code: 'INVALID_SHADOW_OPTION',
  });
  dlob.stop();
  await expect(shadow(scene, { against: dlob.url, for: '1s' })).rejects.toMatchObject({
    code: 'NOTHING_COMPARED',
    message: expect.stringContaining('does not answer'),
  });
});
