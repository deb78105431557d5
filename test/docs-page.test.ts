/** The page of /docs in a browser: what it shows, and that its policy forbids nothing that it needs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeBook, type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { BrowserPage, chromiumMissing } from './support/peers.js';

const WAIT_MS = 60_000;

let server: RunningServer;

beforeAll(async () => {
  server = await startServer(new FakeBook());
});

afterAll(() => server?.close());

/** Runs in the page before its own scripts. */
const COUNT_VIOLATIONS = `
  globalThis.violations = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    globalThis.violations.push(violatedDirective + ' ' + blockedURI);
  });
`;

test.for(['', '/v1'])(
  '%s/docs lists the operations and sends requests',
  {
    timeout: 2 * WAIT_MS,
  },
  async (prefix, context) => {
    const missing = chromiumMissing();
    if (missing !== undefined) context.skip(missing);
    const browser = await BrowserPage.open();
    const { page } = browser;
    page.setDefaultTimeout(WAIT_MS);
    const errors: string[] = [];
    const hosts = new Set<string>();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).origin);
    });
    try {
      await page.addInitScript(COUNT_VIOLATIONS);
      await page.goto(`${server.url}${prefix}/docs`);
      const operation = page.locator('.opblock', {
        has: page.locator('[data-path="/markets"]'),
      });
      await operation.locator('.opblock-summary').click();
      await operation.locator('.try-out__btn').click();
      await operation.locator('.execute').click();
      const answer = operation.locator('.live-responses-table .response').first();
      await expect.poll(() => answer.textContent(), { timeout: WAIT_MS }).toContain('SOL-PERP');
      expect(await answer.textContent()).toMatch(/^200Response body/);
      expect(await page.locator('.opblock').count()).toBeGreaterThan(15);
      expect(await page.evaluate('violations')).toEqual([]);
      expect(errors).toEqual([]);
      expect([...hosts]).toEqual([server.url]);
    } finally {
      await browser.close();
    }
  },
);
