/** A demo, a service with a journal and a browser for each file of tests that imports this. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Demo, startDemo } from '../../src/sim/demo/demo.js';
import { PageVisit, type VisitOptions } from './page-visit.js';
import { chromiumMissing, launchChromium } from './peers.js';
import { ServiceChild } from './service-child.js';

/** Screenshots of the last run, for a person. */
const shots = fileURLToPath(new URL('../../.cache/page', import.meta.url));

/** The demo and browser of one file of tests; without Chromium its tests are skipped. */
let demo: Demo;
export let service: ServiceChild;
export let browser: Browser;
/** For files of the tests. */
export let folder: string;

beforeAll(async () => {
  if (chromiumMissing() !== undefined) return;
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-page-'));
  demo = await startDemo({ rate: 20, makers: 60, fillsPerSecond: 3 });
  await startService();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await demo?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

beforeEach((context) => {
  const missing = chromiumMissing();
  if (missing !== undefined) context.skip(missing);
});

/** Starts the service, which continues the history and the journal of the service before. */
export async function startService(): Promise<void> {
  service = await ServiceChild.start(demo, ['--data-dir', folder, '--journal']);
}

/** Opens a page of the service by its path, does something on it, and closes it. */
export async function visiting(
  pathname: string,
  options: VisitOptions,
  act: (visit: PageVisit) => Promise<void>,
): Promise<void> {
  const visit = await PageVisit.open(browser, `${service.url}/${pathname}`, options);
  try {
    await act(visit);
  } finally {
    await visit.close();
  }
}

/** Keeps a picture of the page as it is. */
export async function takeShot({ page }: PageVisit, name: string): Promise<void> {
  await page.screenshot({ path: path.join(shots, `${name}.png`) });
}
