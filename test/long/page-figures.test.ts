/**
 * What the page costs a browser: time to the first book, scripting a frame, layout shift, memory. `npm test`
 * asserts what does not depend on the machine; `npm run test:long -- page` takes PAGE_SECONDS and asserts all of it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectUnbroken, LAYOUT_SHIFT_MAX } from '../support/page-checks.js';
import {
  type FrameCosts,
  type HeapReading,
  quantilesOf,
  readHeap,
  timeFirstBook,
  traceFrames,
} from '../support/page-figures.js';
import { PageVisit } from '../support/page-visit.js';
import { chromiumMissing, launchChromium } from '../support/peers.js';
import { ServiceChild } from '../support/service-child.js';
import { writeStorm } from '../support/storm-journal.js';
import { until } from '../support/until.js';

const SECONDS = Number(process.env['PAGE_SECONDS'] ?? 3);
const IS_LONG = SECONDS >= 60;
/** Of which frames are traced: a trace of half a minute has a thousand of them. */
const TRACED_SECONDS = Math.min(SECONDS, 30);
const VISITS = IS_LONG ? 20 : 1;
const FIRST_BOOK_MS_MAX = 500;
const SCRIPT_MS_MAX = 4;
/** With all markets of mainnet and a heatmap. */
const WIDE_SCRIPT_MS_MAX = 6;
/** Readings of the heap in the whole time, and what those of the last quarter may have more than those before. */
const READINGS = IS_LONG ? 30 : 2;
const RISE_MEGABYTES_MAX = 0.5;

let folder: string;
let service: ServiceChild;
let browser: Browser;

beforeAll(async () => {
  if (chromiumMissing() !== undefined) return;
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-page-figures-'));
  service = await ServiceChild.demo(['--rate', '300', '--fills', '5', '--no-journal']);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

beforeEach((context) => {
  const missing = chromiumMissing();
  if (missing !== undefined) context.skip(missing);
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printCosts(what: string, { frames, wall, cpu }: FrameCosts): void {
  const text = ({ p50, p99, max }: FrameCosts['cpu']): string =>
    [p50, p99, max].map((ms) => ms.toFixed(2)).join(' / ');
  print(`${what}: ${frames} frames, scripting p50 / p99 / max ${text(cpu)} ms of the thread,`);
  print(`  ${text(wall)} ms by the wall`);
}

test('the first book is there soon after the navigation', async () => {
  for (const query of ['?market=SOL-PERP', '']) {
    const times: number[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      times.push(await timeFirstBook(browser, `${service.url}/${query}`));
    }
    const { p50, max } = quantilesOf(times);
    print(`first book of /${query}: p50 ${p50.toFixed(0)} ms, max ${max.toFixed(0)} ms`);
    if (IS_LONG) expect.soft(p50).toBeLessThanOrEqual(FIRST_BOOK_MS_MAX);
  }
});

/** The time of the readings, and as long again for what is around them. */
const TIMEOUT_MS = 300_000 + 2_000 * SECONDS;

test('300 account updates a second cost a frame little, move nothing, and leave nothing behind', {
  timeout: TIMEOUT_MS,
}, async () => {
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`);
  try {
    const costs = await traceFrames(browser, visit.page, () => sleep(TRACED_SECONDS * 1_000));
    printCosts('300 updates a second', costs);
    await printDropped(visit);
    expect(costs.frames).toBeGreaterThan(0);
    if (IS_LONG) expect.soft(costs.cpu.p99).toBeLessThan(SCRIPT_MS_MAX);
    const readings = await watchHeap(visit);
    expect(await visit.layoutShift()).toBeLessThan(LAYOUT_SHIFT_MAX);
    // A machine that stands still for seconds makes the client ask whether the stream is there.
    if (!IS_LONG) return;
    await expectUnbroken(visit);
    const quarter = Math.floor(readings.length / 4);
    const before = meanOf(readings.slice(-2 * quarter, -quarter));
    expect(meanOf(readings.slice(-quarter)) - before).toBeLessThan(RISE_MEGABYTES_MAX);
  } finally {
    await visit.close();
  }
});

test('a heatmap over 148 markets costs a frame little', {
  timeout: TIMEOUT_MS,
}, async () => {
  const place = path.join(folder, 'wide');
  const flags = ['--markets-preset', 'mainnet', '--rate', '300', '--data-dir', place];
  const wide = await ServiceChild.demo(flags);
  const view = `${wide.url}/?market=SOL-PERP&chart=liquidity&span=600`;
  const visit = await PageVisit.open(browser, view, { shows: 'service' });
  try {
    const rows = visit.page.getByTestId('liquidity-table').locator('tbody tr');
    await rows.first().waitFor({ state: 'attached' });
    const costs = await traceFrames(browser, visit.page, () => sleep(TRACED_SECONDS * 1_000));
    printCosts('a heatmap over 148 markets', costs);
    expect(costs.frames).toBeGreaterThan(0);
    if (IS_LONG) expect.soft(costs.cpu.p99).toBeLessThan(WIDE_SCRIPT_MS_MAX);
  } finally {
    await visit.close();
    await wide.stop();
  }
});

/** The strip tells them, and what draws, since the page was opened. */
async function printDropped(visit: PageVisit): Promise<void> {
  const dropped = await until('dropped frames with what draws', async () => {
    const text = (await visit.text('dropped')).replace(/\s+/g, ' ');
    return /^0$|^[\d,]+ \S/.test(text) ? text : undefined;
  });
  print(`  dropped frames of the screen: ${dropped}`);
}

function meanOf(readings: readonly HeapReading[]): number {
  return readings.reduce((sum, { megabytes }) => sum + megabytes, 0) / readings.length;
}

async function watchHeap({ page }: PageVisit): Promise<readonly HeapReading[]> {
  const session = await page.context().newCDPSession(page);
  const readings: HeapReading[] = [];
  for (let reading = 0; reading <= READINGS; reading += 1) {
    if (reading > 0) await sleep((SECONDS * 1_000) / READINGS);
    const heap = await readHeap(session);
    readings.push(heap);
    const seconds = Math.round((reading * SECONDS) / READINGS);
    const { megabytes, nodes, listeners } = heap;
    print(
      `heap after ${seconds} s: ${megabytes.toFixed(3)} MB, ${nodes} nodes, ${listeners} listeners`,
    );
  }
  await session.detach();
  return readings;
}

/** That nothing is lost at that pace is a test of page-truth.test.ts. */
if (IS_LONG) {
  test('a thousand changes of the whole book a second cost a frame little', async () => {
    const journal = path.join(folder, 'storm');
    const ticks = (TRACED_SECONDS + 10) * 1_000;
    writeStorm(journal, {
      ...{ seed: 5, users: 40, ticks, ticksPerSecond: 1_000, leadMs: 3_000, calmMs: 1_000 },
    });
    const patient = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'];
    const storm = await ServiceChild.replay(journal, patient);
    const visit = await PageVisit.open(browser, `${storm.url}/?market=SOL-PERP`);
    try {
      await sleep(3_000);
      const costs = await traceFrames(browser, visit.page, () => sleep(TRACED_SECONDS * 1_000));
      printCosts('1,000 changes of the whole book a second', costs);
      await printDropped(visit);
      expect(costs.frames).toBeGreaterThan(0);
      if (IS_LONG) expect.soft(costs.cpu.p99).toBeLessThan(SCRIPT_MS_MAX);
      await expectUnbroken(visit);
    } finally {
      await visit.close();
      await storm.stop();
    }
  });
}
