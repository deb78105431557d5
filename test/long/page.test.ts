/** The page in a browser, over a service on the local chain: every view, each market, and the keyboard alone. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  type BesideL2,
  BOTH_SOURCES,
  expectAccessible,
  expectMarketPage,
  expectWhole,
  HIDDEN_PX,
  ladderBesideL2,
  SCRIPT_BYTES_MAX,
  tableRow,
} from '../support/page-checks.js';
import { service, takeShot, visiting } from '../support/page-scene.js';
import type { Look } from '../support/page-visit.js';
import { BrowserPage } from '../support/peers.js';
import { until } from '../support/until.js';

test.for([
  { width: 1_024, height: 800, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
  { width: 390, height: 844, theme: 'light' },
  { width: 3_840, height: 2_160, theme: 'light' },
] as const)('shows all of a market at $width px, $theme, to everybody', async (look) => {
  await visiting('', look, async (visit) => {
    await expectMarketPage(visit, look);
    await takeShot(visit, `${look.width}-${look.theme}`);
    expect(await visit.findFaults(service.url)).toEqual([]);
  });
});

/** The other views, with what shows that they are whole. */
const VIEWS = [
  { view: 'page/markets', state: 'live', whole: '[data-testid=all-markets] tbody tr' },
  {
    ...{ view: '?market=SOL-PERP&chart=liquidity', state: 'live' },
    whole: '[data-testid=liquidity-table] tbody tr',
  },
  { view: 'page/account', state: 'no address', whole: 'form' },
  { view: 'page/status', state: 'live', whole: '[data-testid=plots] canvas' },
  { view: 'page/console', state: 'closed', whole: '[data-testid=message]' },
  { view: 'embed/ladder?market=SOL-PERP', state: 'live', whole: '[data-testid=ladder] tbody tr' },
  { view: 'embed/depth?market=SOL-PERP', state: 'live', whole: 'td.bid' },
  { view: 'embed/chart?market=SOL-PERP', state: 'live', whole: '[data-testid=candles] canvas' },
] as const;

const LOOKS: readonly Required<Look>[] = [
  { width: 1_440, height: 900, theme: 'dark' },
  { width: 1_024, height: 800, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
  { width: 390, height: 844, theme: 'light' },
];

test.for(VIEWS)('$view has room at each width, in both themes', ({ view, state, whole }) =>
  visiting(view, { shows: 'service', state }, async (visit) => {
    await visit.page.locator(whole).first().waitFor({ state: 'attached' });
    for (const look of LOOKS) {
      await visit.setLook(look);
      expect(await visit.page.evaluate(HIDDEN_PX)).toBeLessThanOrEqual(0);
      await expectAccessible(visit);
      await takeShot(
        visit,
        `${view.replace(/\?.*/, '').replace('/', '-')}-${look.width}-${look.theme}`,
      );
    }
    expect(await visit.scriptBytes()).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
    expect(await visit.findFaults(service.url)).toEqual([]);
  }),
);

test('the description of the API is a page like the others', () =>
  visiting('docs', { shows: 'document' }, async (visit) => {
    const { page } = visit;
    await page.locator('.opblock').first().waitFor();
    for (const look of LOOKS) {
      await visit.setLook(look);
      expect(await page.evaluate(HIDDEN_PX)).toBeLessThanOrEqual(0);
      await takeShot(visit, `docs-${look.width}-${look.theme}`);
    }
    // Its operations are alike, and there are many; the order of its headings is that of Swagger UI.
    await page.evaluate(
      "document.querySelectorAll('.operation-tag-content > :nth-child(n + 4)').forEach((one) => one.remove())",
    );
    await expectAccessible(visit, ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']);
    expect(await visit.findFaults(service.url)).toEqual([]);
    await page.getByRole('link', { name: 'Console' }).click();
    await visit.untilState('closed');
  }));

test('the service itself is shown in figures, plots and a table of them', () =>
  visiting('page/status', { shows: 'service' }, async (visit) => {
    const { page } = visit;
    const markets = page.getByTestId('markets').locator('tbody tr');
    await until('markets', async () => (await markets.count()) >= 4);
    await until('orders left out', () => page.getByTestId('left-out').locator('tr').count());
    await until('the journal', async () => /State\s*writing/.test(await visit.text('journal')));
    expect(await visit.text('journal')).toMatch(
      /Size\s*[\d.,]+ MB in \d+ files?.*Slots behind\s*\d+/s,
    );
    await until('plots', async () =>
      /Memory[\d., ]+MB/.test((await visit.text('plots')).replace(/\s+/g, ' ')),
    );
    await until('drawn plots', async () => (await page.locator('#app canvas').count()) === 15);
    await page.getByText('The same as a table').press('Enter');
    expect(await visit.text('plot-table')).toMatch(/Event loop blocks over 20 ms\s*[\d.]+ \/s/);
    await expectAccessible(visit);
    await page.getByRole('link', { name: 'BTC-PERP' }).click();
    await until('its book', async () => (await page.title()).startsWith('BTC-PERP'));
    expect(await visit.findFaults(service.url)).toEqual([]);
  }));

/** Answers /status with what an edge has, and /metrics as where it is on a port of its own. */
async function pretendEdge(page: Page): Promise<void> {
  await page.route(/(?<!page)\/status$/, async (route) => {
    const response = await route.fetch();
    const { history: _, journal: __, clockSkewMs: ___, ...status } = await response.json();
    await route.fulfill({ json: { ...status, node: null, lastAudit: null, clockReason: null } });
  });
  await page.route('**/metrics', (route) => route.fulfill({ status: 404, body: '' }));
}

/** Runs in the page. */
const hasPlotLibrary = `performance.getEntriesByType('resource')
  .some(({ name }) => name.includes('time-plot'))`;

test('nothing is plotted before there is a value', async () => {
  let answerMetrics = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answerMetrics = resolve;
  });
  const prepare = async (page: Page): Promise<void> => {
    await page.route('**/metrics', async (route) => {
      await held;
      await route.continue();
    });
  };
  await visiting('page/status', { shows: 'service', prepare }, async ({ page }) => {
    const canvases = page.locator('#app canvas');
    await page.getByTestId('plots').locator('li').nth(14).waitFor();
    await until('what draws', () => page.evaluate<boolean>(hasPlotLibrary));
    await page.waitForResponse(/\/status$/);
    expect(await canvases.count()).toBe(0);
    answerMetrics();
    await until('drawn plots', async () => (await canvases.count()) === 15);
  });
});

test('what an edge does not have is said', () =>
  visiting('page/status', { shows: 'service', prepare: pretendEdge }, async (visit) => {
    const { page } = visit;
    await page.getByText('This service keeps no journal.').waitFor();
    await page.getByText('This service keeps no history.').waitFor();
    await page.getByText('/metrics is on the port of the operator').waitFor();
    await until('markets', () => page.getByTestId('markets').locator('tbody tr').count());
    await takeShot(visit, 'status-edge');
    await expectAccessible(visit);
  }));

/** Two of the sources that a service can merge. */
const SOURCES = [
  {
    ...{ name: 'grpc:one.example:443', state: 'trusted', reason: null, slot: 9, slotLag: 0 },
    ...{ states: 1_000, wonShare: 0.975, leadMs: 41.26, misses: 0, disagreements: 0 },
  },
  {
    ...{ name: 'rpc:two.example:8900', state: 'distrusted', reason: 'it told otherwise' },
    ...{ slot: 7, slotLag: 2, states: 900, wonShare: null, leadMs: -41.26 },
    ...{ misses: 1_204, disagreements: 3 },
  },
];

test('the sources of a service are listed with their lead', () => {
  const prepare = async (page: Page): Promise<void> => {
    await page.route(/(?<!page)\/status$/, async (route) => {
      const status = await (await route.fetch()).json();
      await route.fulfill({ json: { ...status, sources: SOURCES } });
    });
  };
  return visiting('page/status', { shows: 'service', prepare }, async (visit) => {
    const rows = visit.page.getByTestId('sources').locator('tbody tr');
    await until('both', async () => (await rows.count()) === 2);
    const texts = (await rows.allInnerTexts()).map((row) => row.split(/\s*\t\s*/));
    expect(texts).toEqual([
      ['grpc:one.example:443', 'trusted', '0', '97.5%', '+41.3 ms', '0', '0'],
      [
        ...['rpc:two.example:8900', 'distrusted: it told otherwise', '2'],
        ...['–', '−41.3 ms', '1,204', '3'],
      ],
    ]);
    await takeShot(visit, 'status-sources');
    await visit.setLook({ width: 390, height: 844, theme: 'light' });
    expect(await visit.page.evaluate(HIDDEN_PX)).toBeLessThanOrEqual(0);
    await takeShot(visit, 'status-sources-390');
    await expectAccessible(visit);
  });
});

test('the console sends a message and lists its frames', () =>
  visiting('page/console', { shows: 'service', state: 'closed' }, async (visit) => {
    const { page } = visit;
    await page.getByLabel('Channel').selectOption('bbo');
    await until('the message', async () =>
      (await page.getByTestId('message').inputValue()).includes('"bbo"'),
    );
    await page.getByRole('button', { name: 'Send' }).click();
    await visit.untilState('open');
    const frames = page.getByTestId('frames');
    for (const text of ['"type":"subscribed"', '"type":"snapshot"', '"type":"delta"']) {
      await frames.getByText(text).first().waitFor();
      // The list goes on without what has been seen.
      await page.getByRole('button', { name: 'Send' }).click();
    }
    await page.getByRole('button', { name: 'Hold' }).click();
    await expectAccessible(visit);
    await page.getByRole('button', { name: 'Close' }).click();
    await visit.untilState('closed');
    expect(await visit.findFaults(service.url)).toEqual([]);
  }));

test.for([1, 10, 1_000])('the ladder in groups of %i ticks says what /l2 says', (grouping) =>
  visiting(`?market=SOL-PERP&grouping=${grouping}`, {}, async (visit) => {
    const query = `marketName=SOL-PERP&depth=100&grouping=${grouping}&${BOTH_SOURCES}`;
    const { rows, book } = await visit.page.evaluate<BesideL2>(ladderBesideL2(query));
    const shown = {
      asks: rows.filter(([side]) => side === 'ask'),
      bids: rows.filter(([side]) => side === 'bid'),
    };
    expect(shown.bids.length).toBeGreaterThan(5);
    const expected = [
      ...book.asks
        .slice(0, shown.asks.length)
        .reverse()
        .map((level) => tableRow('ask', level)),
      ...book.bids.slice(0, shown.bids.length).map((level) => tableRow('bid', level)),
    ];
    expect(rows).toEqual(expected);
  }),
);

test.for(['dark', 'light'] as const)('is used by the keyboard alone, %s', (theme) =>
  visiting('', { theme }, async (visit) => {
    const { page } = visit;
    await page.keyboard.press('/');
    await page.keyboard.type('btc');
    await page.keyboard.press('Enter');
    await until('the address of the market', () => page.url().endsWith('/?market=BTC-PERP'));
    await visit.untilState('live');
    await tabTo(page, '[data-testid=walk-size]');
    await page.keyboard.press('ControlOrMeta+a');
    const walked = page.waitForRequest(/\/match\?marketName=BTC-PERP&side=buy&size=500000000$/);
    await page.keyboard.type('0.5');
    await walked;
    await tabTo(page, '[role=application]');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('#ladder-focus').textContent()).toMatch(
      /^(bid|ask) [\d,.]+ USDC, size /,
    );
    await page.keyboard.press('Enter');
    await until('the queue', () => page.getByTestId('queue').count());
    await tabTo(page, 'button[aria-label^="Show the"]');
    await page.keyboard.press('Enter');
    const other = theme === 'dark' ? 'light' : 'dark';
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(other);
    await page.goBack();
    await until('the market before', async () => (await page.title()).startsWith('SOL-PERP'));
    expect(await visit.findFaults(service.url)).toEqual([]);
  }),
);

/** More than a page has to stop at. */
const TABS_MAX = 120;

/** Goes on by the Tab key until an element has the focus; each on the way shows that it has it. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tab = 0; tab < TABS_MAX; tab += 1) {
    await page.keyboard.press('Tab');
    const { isThere, isSeen, html } = await page.evaluate<Focus>(focusOf(selector));
    expect(isSeen, html).toBe(true);
    if (isThere) return;
  }
  throw new Error(`the Tab key does not reach ${selector}`);
}

/** What has the focus. */
interface Focus {
  readonly isThere: boolean;
  readonly isSeen: boolean;
  readonly html: string;
}

/** Runs in the page; its body has the focus between the last element and the first. */
const focusOf = (selector: string): string => `(() => {
  const element = document.activeElement;
  const isSeen = element === document.body || getComputedStyle(element).outlineStyle !== 'none';
  return { isThere: element.matches('${selector}'), isSeen, html: element.outerHTML };
})()`;

/** Runs in the page: what moves by itself, or would when it changes. */
const moving = `[
  ...document.getAnimations().map((one) => String(one.animationName ?? one.transitionProperty)),
  ...[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
    return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior !== 'auto';
  }).map((element) => element.outerHTML),
]`;

test.for(['reduce', 'no-preference'] as const)(
  'nothing moves by itself where motion is to be: %s',
  (reducedMotion) =>
    visiting('', { prepare: (page) => page.emulateMedia({ reducedMotion }) }, async (visit) => {
      const { page } = visit;
      await expectWhole(visit);
      expect(await page.evaluate(moving)).toEqual([]);
      await page.getByRole('application').press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Show the light theme' }).press('Enter');
      await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
      await page.keyboard.press('/');
      await page.keyboard.type('eth');
      expect(await page.evaluate(moving)).toEqual([]);
    }),
);

test.for(['BTC-PERP', 'ETH-PERP', 'SOL'])('shows %s by its address', async (market) => {
  await visiting(`?market=${market}`, {}, async (visit) => {
    await expectWhole(visit);
    await until('its price', async () =>
      new RegExp(`^${market} [\\d,.]+ · slotbook$`).test(await visit.page.title()),
    );
    expect(await visit.findFaults(service.url)).toEqual([]);
  });
});

test('a market without orders says so', () =>
  visiting('?market=USDC', { shows: 'service' }, async (visit) => {
    await until('the words', async () => (await visit.text('nothing')) === 'No orders');
    await until('the oracle', async () => /Oracle USDC\s*1\.0/.test(await visit.text('facts')));
    expect(await visit.page.title()).toBe('USDC · slotbook');
    await takeShot(visit, 'USDC');
    await expectAccessible(visit);
    expect(await visit.findFaults(service.url)).toEqual([]);
  }));

test('parts of the page stand in frames of another site, and the page itself does not', async () => {
  const site = await BrowserPage.open();
  const { page } = site;
  try {
    for (const name of ['embed/ladder', 'embed/depth', 'embed/chart', '']) {
      const url = `${service.url}/${name}?market=ETH-PERP`;
      await page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`);
      const state = page.frameLocator('iframe').getByTestId('state');
      if (name !== '') {
        await state.filter({ hasText: 'live' }).waitFor();
      } else {
        // A refused frame is an error page of the browser, which has no origin.
        await until('the refusal', () =>
          page.frames().some((frame) => frame.url().startsWith('chrome-error:')),
        );
      }
    }
  } finally {
    await site.close();
  }
});
