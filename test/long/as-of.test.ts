/**
 * Past moments of a service over a local chain: what was served at a moment is served again, bit by bit, by
 * this run and by the next one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HttpClient } from '../../src/client/http/client.js';
import { ServiceChild } from '../support/service-child.js';
import { SteppedDemo } from '../support/stepped-demo.js';

const WAIT = { timeout: 60_000, interval: 20 };
const market = 'marketName=SOL-PERP';
const PATHS = [
  `/l2?${market}&depth=20&includeVamm=true`,
  `/l3?${market}`,
  `/auctions?${market}`,
  `/match?${market}&side=buy&size=5000000000`,
];

interface Seen {
  readonly path: string;
  readonly epoch: string;
  readonly seq: number;
  readonly ts: number;
  readonly text: string;
}

let folder: string;
let demo: SteppedDemo;
let service: ServiceChild;
const seen: Seen[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-as-of-'));
  demo = await SteppedDemo.start({ seed: 11, makers: 6, slotTimeMs: 100 });
  service = await start();
}, 120_000);

afterAll(async () => {
  await service?.kill();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(): Promise<ServiceChild> {
  return ServiceChild.start(demo.relay, ['--journal', '--data-dir', folder]);
}

async function look(): Promise<void> {
  for (const asked of PATHS) {
    const { text } = await service.get(asked);
    const { epoch, seq, ts } = JSON.parse(text) as Seen;
    seen.push({ path: asked, epoch, seq, ts, text });
  }
}

/** The past body without its `asOf`. */
async function readPast(asked: string): Promise<{ text: string; asOf: object; status: number }> {
  const { text, status } = await service.get(asked);
  const { asOf = {} } = JSON.parse(text) as { readonly asOf?: object };
  return { text: text.replace(/,"asOf":\{[^}]*\}\}$/, '}'), asOf, status };
}

async function seqOfNow(): Promise<number> {
  return JSON.parse((await service.get(PATHS[0] ?? '')).text).seq as number;
}

test('what was served is served again by its time and by its number, also by the next run', async () => {
  for (let round = 0; round < 12; round += 1) {
    const before = await seqOfNow();
    await demo.step(6);
    await vi.waitFor(async () => expect(await seqOfNow()).toBeGreaterThan(before), WAIT);
    await look();
  }
  // What an order would get has no time, and moves with the clock.
  const timed = seen.filter(({ path: asked }) => !asked.startsWith('/match'));
  const checkAll = async (): Promise<void> => {
    for (const { path: asked, epoch, seq, ts, text } of timed) {
      const byTime = await readPast(`${asked}&epoch=${epoch}&ts=${ts}`);
      const last = JSON.parse(byTime.text) as Seen;
      // A time has the last state of its millisecond, which may be one behind the one that was seen.
      if (last.ts !== ts || last.seq <= seq) expect([asked, byTime.text]).toEqual([asked, text]);
      // Its first moment, whose slot may be an earlier one.
      const { text: first } = await readPast(`${asked}&epoch=${epoch}&seq=${seq}`);
      expect(JSON.parse(first)).toMatchObject({ epoch, seq });
    }
  };
  await checkAll();
  await service.stop();
  service = await start();
  await checkAll();
  // The run that has ended has no book of now.
  const ended = await readPast(`${PATHS[0]}&epoch=${seen[0]?.epoch}&ts=${Date.now() - 1}`);
  expect(ended.status).toBe(404);
  expect(JSON.parse(ended.text).error).toMatchObject({ code: 'MOMENT_NOT_KEPT' });
}, 240_000);

test('a moment of the present run by slot and time, a second ago and now', async () => {
  const live = await service.get(PATHS[0] ?? '');
  const { slot, epoch } = JSON.parse(live.text) as {
    readonly slot: number;
    readonly epoch: string;
  };
  const bySlot = await readPast(`${PATHS[0]}&slot=${slot}`);
  expect(bySlot.asOf).toMatchObject({ epoch });
  expect((bySlot.asOf as { readonly slot: number }).slot).toBeLessThanOrEqual(slot);
  for (const asked of PATHS) {
    const { asOf, status } = await readPast(`${asked}&ts=${Date.now() - 1}`);
    expect(status).toBe(200);
    expect(asOf).toMatchObject({ epoch });
  }
  const makers = await service.get(`/topMakers?${market}&side=bid&slot=${slot}`);
  expect(JSON.parse(makers.text).length).toBeGreaterThan(0);
  const batch = await readPast(`/batchL2?marketName=SOL-PERP,NOPE&slot=${slot}`);
  expect(JSON.parse(batch.text).l2s).toMatchObject([
    { epoch },
    { error: { code: 'UNKNOWN_MARKET' } },
  ]);
}, 120_000);

test('the library reads the journal, and the same past moment by each of its names', async () => {
  const http = new HttpClient({ url: service.url });
  const { ranges, gaps } = await http.journal();
  expect(ranges.length).toBe(gaps.length + 1);
  const { journal } = await http.status();
  expect(journal).toMatchObject({ state: 'writing', oldest: ranges[0]?.first });
  const last = ranges.at(-1)?.last ?? { slot: 0, ts: 0 };
  const sol = { marketName: 'SOL-PERP' } as const;
  const byTime = await http.l2({ ...sol, ts: last.ts });
  const { epoch, seq } = byTime;
  expect(byTime.asOf).toMatchObject({ epoch });
  const bySeq = await http.l2({ ...sol, epoch, seq });
  expect([bySeq.seq, bySeq.bids]).toEqual([seq, byTime.bids]);
  for (const read of [http.l3({ ...sol, ts: last.ts }), http.auctions({ ...sol, ts: last.ts })]) {
    expect(await read).toMatchObject({ seq, asOf: byTime.asOf });
  }
  const walk = await http.match({ ...sol, side: 'buy', size: 1n, ts: last.ts });
  expect(walk.asOf).toMatchObject({ epoch });
  await expect(http.l2({ ...sol, ts: 1 })).rejects.toMatchObject({ code: 'MOMENT_NOT_KEPT' });
}, 120_000);

test('moments outside of the journal are not there, and a flood of them harms nobody', async () => {
  const outside = [`${PATHS[0]}&slot=1`, `${PATHS[0]}&slot=9007199254740991`, `${PATHS[0]}&ts=5`];
  for (const asked of outside) {
    const { status, text } = await service.get(asked);
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatchObject({ code: 'MOMENT_NOT_KEPT' });
    expect(JSON.parse(text).error.message).toMatch(/the journal has slot \d+ to \d+/);
  }
  const flood = Array.from({ length: 150 }, (_, at) =>
    service.get(`${PATHS[at % PATHS.length]}&ts=${Date.now() - 1 - at * 10}`),
  );
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([...statuses].filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
  expect((await service.get('/ready')).status).toBe(200);
}, 120_000);
