/** The page of /docs in a browser: what it shows, and that its policy forbids nothing that it needs. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FakeHistory } from '../../src/server/testing/fake-history.js';
import {
  FakeBook,
  type RunningServer,
  startServer,
} from '../../src/server/testing/running-server.js';
import { PageVisit } from '../support/page-visit.js';
import { chromiumMissing, launchChromium } from '../support/peers.js';

const TIMEOUT = { timeout: 240_000 };

let server: RunningServer;
let browser: Browser;

beforeAll(async () => {
  server = await startServer(new FakeBook(), { history: new FakeHistory() });
  if (chromiumMissing() === undefined) browser = await launchChromium();
});

beforeEach(({ skip }) => skip(chromiumMissing() !== undefined, chromiumMissing()));

afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Opens /docs, does something on it, and closes it. */
async function visitDocs(prefix: string, act: (visit: PageVisit) => Promise<void>): Promise<void> {
  const url = `${server.url}${prefix}/docs`;
  const visit = await PageVisit.open(browser, url, { shows: 'document' });
  await act(visit).finally(() => visit.close());
}

test.each(['', '/v1'])('%s/docs lists the operations and sends requests', TIMEOUT, (prefix) =>
  visitDocs(prefix, async (visit) => {
    const { page } = visit;
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/markets"]') });
    await operation.locator('.opblock-summary').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table .response').first();
    await answer.getByText('SOL-PERP').first().waitFor();
    expect(await answer.textContent()).toMatch(/^200Response body/);
    expect(await page.locator('.opblock').count()).toBeGreaterThan(15);
    expect(await visit.findFaults(server.url)).toEqual([]);
  }),
);

/** Runs in the page: the pairs of texts and fields, not within each other, of which one covers the other. */
const FIND_OVERLAPS = `(() => {
  const boxes = [];
  const addBoxes = (element, rects, name) => {
    if (getComputedStyle(element).visibility === 'hidden') return;
    for (const { width, height, left, right, top, bottom } of rects) {
      if (width > 1 && height > 1) boxes.push({ element, left, right, top, bottom, name });
    }
  };
  const app = document.querySelector('#app');
  const texts = document.createTreeWalker(app, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.data.trim() === '' || text.parentElement.closest('select, textarea, pre')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    addBoxes(text.parentElement, range.getClientRects(), text.data.trim().slice(0, 40));
  }
  for (const field of app.querySelectorAll('input, select, textarea, pre, button')) {
    addBoxes(field, field.getClientRects(), field.tagName + ' ' + field.textContent.slice(0, 40));
  }
  boxes.sort((one, other) => one.top - other.top);
  const found = new Set();
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.top >= one.bottom - 2) break;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      if (width > 1 && height > 2) found.add(one.name + ' | ' + other.name);
    }
  });
  return { overlaps: [...found], hiddenPx: document.documentElement.scrollWidth - innerWidth };
})()`;

/** Operations with long paths, and with many parameters. */
const OPENED = ['/match', '/batchL2', '/market/{symbol}/candles/{resolution}'];

test(
  '/docs has no text over another, and none outside, from a wide screen to a telephone',
  TIMEOUT,
  () =>
    visitDocs('', async ({ page }) => {
      for (const path of OPENED) {
        const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
        await operation.locator('.opblock-summary-control').click();
        await operation.locator('.try-out__btn').click();
        await operation.locator('.execute').waitFor();
      }
      for (const width of [1_440, 1_280, 1_024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const found = await page.evaluate(FIND_OVERLAPS);
        expect.soft(found, `at ${width} px`).toEqual({ overlaps: [], hiddenPx: 0 });
      }
    }),
);
