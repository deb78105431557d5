/** The page in a browser, over a service on the local chain: what it shows, and that it never lies. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Demo, startDemo } from '../src/sim/demo/demo.js';
import { CutProxy } from './support/cut-proxy.js';
import {
  type BesideL2,
  BOTH_SOURCES,
  expectAccessible,
  expectEqualsL2,
  expectUnbroken,
  expectWhole,
  ladderBesideL2,
  tableRow,
} from './support/page-checks.js';
import { PageVisit } from './support/page-visit.js';
import { BrowserPage, chromiumMissing, launchChromium } from './support/peers.js';
import { ServiceChild } from './support/service-child.js';
import { recordStorm } from './support/storm-recording.js';
import { until } from './support/until.js';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Screenshots of the last run, for a person. */
const shots = path.join(root, '.cache', 'page');

let folder: string;
let demo: Demo;
let service: ServiceChild;
let browser: Browser;

beforeAll(async () => {
  if (chromiumMissing() !== undefined) return;
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(path.join(tmpdir(), 'slotbook-page-'));
  demo = await startDemo({ rate: 20, makers: 60, fillsPerSecond: 3 });
  service = await startPageService();
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

function startPageService(): Promise<ServiceChild> {
  return ServiceChild.start(demo, ['--data-dir', folder, '--journal']);
}

/** Texts that grow by a digit towards the left count a little; anything that moves counts a hundred times as much. */
const LAYOUT_SHIFT_MAX = 0.003;

/** While it is disabled it takes no focus, and a key that is pressed goes to the button before. */
const ENABLED_BACK = { name: 'The state before', disabled: false } as const;

/** Elements that stand out of the page to the right. */
const hiddenPx = 'document.documentElement.scrollWidth - innerWidth';

test.for([
  { width: 1_440, height: 900, theme: 'dark' },
  { width: 1_024, height: 800, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
  { width: 390, height: 844, theme: 'light' },
  { width: 3_840, height: 2_160, theme: 'light' },
] as const)('shows all of a market at $width px, $theme, to everybody', async (look) => {
  const visit = await PageVisit.open(browser, service.url, look);
  try {
    await expectWhole(visit);
    expect(await visit.page.evaluate(hiddenPx)).toBeLessThanOrEqual(0);
    expect(await visit.page.evaluate('document.documentElement.dataset.theme')).toBe(look.theme);
    await visit.page.screenshot({ path: path.join(shots, `${look.width}-${look.theme}.png`) });
    expect([visit.bookSubscriptions, visit.openSockets]).toEqual([1, 3]);
    expect(await visit.states()).toEqual(['connecting', 'live']);
    expect(await visit.layoutShift()).toBeLessThan(LAYOUT_SHIFT_MAX);
    await expectAccessible(visit);
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    await visit.close();
  }
});

test.for([1_440, 390])('shows the service itself at %i px', async (width) => {
  const url = `${service.url}/page/status`;
  const visit = await PageVisit.open(browser, url, { width, shows: 'service' });
  const { page } = visit;
  try {
    await until(
      'markets',
      async () => (await page.getByTestId('markets').locator('tbody tr').count()) >= 4,
    );
    await until('orders left out', () => page.getByTestId('left-out').locator('tr').count());
    await until('the journal', async () => /State\s*writing/.test(await visit.text('journal')));
    expect(await visit.text('journal')).toMatch(
      /Size\s*[\d.,]+ MB in \d+ files?.*Slots behind\s*\d+/s,
    );
    await until('plots', async () =>
      /Memory[\d., ]+MB/.test((await visit.text('plots')).replace(/\s+/g, ' ')),
    );
    expect(await page.evaluate(hiddenPx)).toBeLessThanOrEqual(0);
    await page.screenshot({ path: path.join(shots, `status-${width}.png`) });
    await expectAccessible(visit);
    await page.getByRole('link', { name: 'BTC-PERP' }).click();
    await until('its book', async () => (await page.title()).startsWith('BTC-PERP'));
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    await visit.close();
  }
});

test('the console sends a message and lists its frames', async () => {
  const url = `${service.url}/page/console`;
  const visit = await PageVisit.open(browser, url, { shows: 'service', state: 'closed' });
  const { page } = visit;
  try {
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
  } finally {
    await visit.close();
  }
});

test.for([1, 10, 1_000])(
  'the ladder in groups of %i ticks says what /l2 says',
  async (grouping) => {
    const visit = await PageVisit.open(
      browser,
      `${service.url}/?market=SOL-PERP&grouping=${grouping}`,
    );
    try {
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
    } finally {
      await visit.close();
    }
  },
);

test('is used by the keyboard alone: search, ladder, queue, order', async () => {
  const visit = await PageVisit.open(browser, service.url);
  const { page } = visit;
  try {
    await page.keyboard.press('/');
    await page.keyboard.type('btc');
    await page.keyboard.press('Enter');
    await until('the address of the market', () => page.url().endsWith('/?market=BTC-PERP'));
    await visit.untilState('live');
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('#ladder-focus').textContent()).toMatch(/^(bid|ask) [\d,.]+, size /);
    await page.keyboard.press('Enter');
    await until('the queue', () => page.getByTestId('queue').count());
    await page.getByTestId('walk-size').focus();
    await page.keyboard.press('ControlOrMeta+a');
    const walked = page.waitForRequest(/\/match\?marketName=BTC-PERP&side=buy&size=500000000$/);
    await page.keyboard.type('0.5');
    await walked;
    await page.goBack();
    await until('the market before', async () => (await page.title()).startsWith('SOL-PERP'));
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    await visit.close();
  }
});

test.for(['BTC-PERP', 'ETH-PERP', 'SOL'])('shows %s by its address', async (market) => {
  const visit = await PageVisit.open(browser, `${service.url}/?market=${market}`);
  try {
    await expectWhole(visit);
    expect(await visit.page.title()).toBe(`${market} · slotbook`);
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    await visit.close();
  }
});

test('a frame with a wrong checksum is said and healed', async () => {
  let isSpoilt = false;
  const spoil = (route: WebSocketRoute): void => {
    const upstream = route.connectToServer();
    upstream.onMessage((message) => {
      const text = String(message);
      const isDelta = text.startsWith('{"type":"delta","topic":"book');
      const sent = isDelta && !isSpoilt ? text.replace(/"crc":\d+/, '"crc":1') : text;
      isSpoilt ||= isDelta;
      route.send(sent);
    });
  };
  const prepare: NonNullable<Parameters<typeof PageVisit.open>[2]>['prepare'] = (page) =>
    page.routeWebSocket(/\/ws$/, spoil);
  const visit = await PageVisit.open(browser, service.url, { prepare });
  try {
    await until('the violation', async () =>
      (await visit.text('truth')).includes('1 wrong and healed'),
    );
    expect(await visit.text('truth')).toContain('1 (crc)');
    const verified = Number(await visit.text('verified'));
    await visit.untilState('live');
    await until('more checksums', async () => Number(await visit.text('verified')) > verified);
  } finally {
    await visit.close();
  }
});

test('shows any moment that the journal keeps, as the past, and goes back to live', async () => {
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`);
  const { page } = visit;
  const moment = async (): Promise<number> =>
    Date.parse(`${(await page.getByTestId('moment').inputValue()).replace(' ', 'T')}Z`);
  try {
    await page.getByRole('button', { name: 'History' }).press('Enter');
    const back = page.getByRole('button', ENABLED_BACK);
    await back.press('Enter');
    await visit.untilState('past');
    expect(await visit.text('notice')).toMatch(/^The past: [-\d]+ [\d:.]+ UTC$/);
    const { seq, epoch } = await visit.readLadder();
    await back.press('Enter');
    await until('the state before', async () => (await visit.readLadder()).seq === seq - 1);
    const query = `marketName=SOL-PERP&depth=100&epoch=${epoch}&seq=${seq - 1}`;
    const { text } = await service.get(`/l2?${query}&includeVamm=true&includeIndicative=true`);
    const { bids } = JSON.parse(text) as BesideL2['book'];
    const rows = (await visit.readLadder()).rows.filter(([side]) => side === 'bid');
    expect(rows.length).toBeGreaterThan(5);
    expect(rows).toEqual(bids.slice(0, rows.length).map((level) => tableRow('bid', level)));
    await until('nothing is followed', async () => visit.bookSubscriptions === 1);
    await expectAccessible(visit);
    await page.screenshot({ path: path.join(shots, 'past.png') });
    // The oldest moment, by the keyboard, and then onwards.
    await page.getByRole('slider').press('Home');
    const { ranges } = JSON.parse((await service.get('/journal')).text);
    await until('the oldest moment', async () => (await moment()) === ranges[0].first.ts);
    await page.getByLabel('Speed').selectOption('5');
    await page.getByRole('button', { name: 'Play', disabled: false }).press('Enter');
    await until('later moments', async () => (await moment()) > ranges[0].first.ts + 2_000);
    await page.getByRole('button', { name: 'Live' }).press('Enter');
    await visit.untilState('live');
    expect(await page.getByTestId('notice').count()).toBe(0);
    expect(visit.bookSubscriptions).toBe(2);
    // Another market at the same moment, and what plays up to now is live.
    await back.press('Enter');
    await visit.untilState('past');
    await page.keyboard.press('/');
    await page.keyboard.type('btc');
    await page.keyboard.press('Enter');
    await until('its past', async () => /^The past: .* UTC$/.test(await visit.text('notice')));
    await until('its rows', async () => (await visit.readLadder()).rows.length > 5);
    await page.getByLabel('Speed').selectOption('100');
    await page.getByRole('button', { name: 'Play', disabled: false }).press('Enter');
    await visit.untilState('live');
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    await visit.close();
  }
});

test('a link to a moment shows it again, and says so where it is not kept', async () => {
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`);
  const { page } = visit;
  try {
    await page.getByRole('button', { name: 'History' }).press('Enter');
    await page.getByRole('button', ENABLED_BACK).press('Enter');
    await visit.untilState('past');
    const { seq, epoch, rows } = await visit.readLadder();
    const query = `?market=SOL-PERP&epoch=${epoch}&seq=${seq}`;
    await until('the moment in the address', () => page.url().endsWith(`/${query}`));
    // As another reader opens it: nothing of now is followed, or shown for a while.
    const other = await PageVisit.open(browser, page.url(), { state: 'past' });
    await until('its book', async () => (await other.readLadder()).seq === seq);
    expect(await other.readLadder()).toEqual({ seq, epoch, rows });
    expect([other.bookSubscriptions, await other.states()]).toEqual([0, ['past']]);
    await until('its candles', () => other.page.getByTestId('candles').locator('canvas').count());
    // Another market is a step back from it.
    await other.page.keyboard.press('/');
    await other.page.keyboard.type('btc');
    await other.page.keyboard.press('Enter');
    await until('its moment', () => /market=BTC-PERP&epoch=\w+&seq=\d+$/.test(other.page.url()));
    await other.page.goBack();
    await until('the moment before', async () => (await other.readLadder()).seq === seq);
    await other.page.getByRole('button', { name: 'Live' }).press('Enter');
    await other.untilState('live');
    await until('no moment', () => other.page.url().endsWith('/?market=SOL-PERP'));
    expect(await other.findFaults(service.url)).toEqual([]);
    await other.close();
    for (const lost of ['ts=1600000000000', 'epoch=gone&seq=7', 'seq=x']) {
      await page.goto(`${service.url}/?market=SOL-PERP&${lost}`);
      await visit.untilState('live');
      expect(await visit.text('time-says')).not.toBe('');
      await until('no moment', () => page.url().endsWith('/?market=SOL-PERP'));
      await page.screenshot({ path: path.join(shots, `lost-${lost.slice(0, 2)}.png`) });
    }
  } finally {
    await visit.close();
  }
});

test('on a processor six times as slow each book is verified, and nothing is lost', async () => {
  const prepare: NonNullable<Parameters<typeof PageVisit.open>[2]>['prepare'] = async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  };
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`, { prepare });
  try {
    await until('some books', async () => Number(await visit.text('verified')) > 20);
    await expectUnbroken(visit);
  } finally {
    await visit.close();
  }
});

test('a thousand changes of the whole book a second lose nothing', async () => {
  const file = path.join(folder, 'storm');
  await recordStorm(file, {
    ...{ seed: 5, users: 40, ticks: 5_000, ticksPerSecond: 1_000, leadMs: 3_000, calmMs: 1_000 },
  });
  const patient = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'];
  const storm = await ServiceChild.replay(file, patient);
  const visit = await PageVisit.open(browser, `${storm.url}/?market=SOL-PERP`);
  try {
    // They are of one number when the storm is over.
    await expectEqualsL2(visit, storm);
    await expectUnbroken(visit);
  } finally {
    await visit.close();
    await storm.stop();
  }
});

test('a book that the service calls stale is greyed, and coloured when it is not any more', async () => {
  let state = 'live';
  const prepare: NonNullable<Parameters<typeof PageVisit.open>[2]>['prepare'] = (page) =>
    page.routeWebSocket(/\/ws$/, (route) => {
      const upstream = route.connectToServer();
      upstream.onMessage((message) => {
        route.send(String(message).replace('"state":"live"', `"state":"${state}"`));
      });
    });
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`, { prepare });
  const isGreyed = (): Promise<boolean> =>
    visit.page.evaluate("document.querySelector('.page').matches('.stale')");
  try {
    expect(await isGreyed()).toBe(false);
    state = 'stale';
    await visit.untilState('stale');
    expect(await visit.text('notice')).toMatch(/^The book is stale since \d\d:\d\d:\d\d UTC/);
    expect(await isGreyed()).toBe(true);
    state = 'live';
    await visit.untilState('live');
    expect(await isGreyed()).toBe(false);
    await expectUnbroken(visit);
  } finally {
    await visit.close();
  }
});

test('a book whose chain is silent is told to be stale and greyed, and coloured when the chain is back', async () => {
  const timing = ['--lagging-after-ms', '1500', '--stale-after-ms', '3000'];
  const impatient = await ServiceChild.start(demo, timing);
  const visit = await PageVisit.open(browser, `${impatient.url}/?market=SOL-PERP`);
  const isGreyed = (): Promise<boolean> =>
    visit.page.evaluate("document.querySelector('.page').matches('.stale')");
  try {
    demo.relay.stallFor(600_000);
    await visit.untilState('stale');
    expect(await visit.text('notice')).toMatch(/^The book is stale since \d\d:\d\d:\d\d UTC/);
    expect(await isGreyed()).toBe(true);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    demo.relay.stallFor(0);
    await visit.untilState('live');
    expect(await isGreyed()).toBe(false);
  } finally {
    demo.relay.stallFor(0);
    await visit.close();
    await impatient.stop();
  }
});

test('a stream that falls silent greys the book, and is resumed when it speaks again', async () => {
  let isSilent = false;
  const prepare: NonNullable<Parameters<typeof PageVisit.open>[2]>['prepare'] = (page) =>
    page.routeWebSocket(/\/ws$/, (route) => {
      const upstream = route.connectToServer();
      upstream.onMessage((message) => {
        if (!isSilent) route.send(message);
      });
    });
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`, { prepare });
  try {
    isSilent = true;
    await visit.untilState('disconnected');
    expect(await visit.text('notice')).toMatch(/^Disconnected since \d\d:\d\d:\d\d UTC/);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    isSilent = false;
    await visit.untilState('live');
  } finally {
    await visit.close();
  }
});

test('the book of a named market waits for no list, and the chart waits for the book', async () => {
  let answerList = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answerList = resolve;
  });
  let isChartLoaded = false;
  let hadBook: boolean | undefined;
  const prepare: NonNullable<Parameters<typeof PageVisit.open>[2]>['prepare'] = async (page) => {
    await page.route('**/markets', async (route) => {
      await held;
      await route.continue();
    });
    await page.route(/candle-chart/, async (route) => {
      isChartLoaded = true;
      hadBook ??= await page.evaluate<boolean>("watched.states.includes('live')");
      await route.continue();
    });
  };
  const visit = await PageVisit.open(browser, `${service.url}/?market=SOL-PERP`, { prepare });
  try {
    expect(visit.bookSubscriptions).toBe(1);
    answerList();
    await expectWhole(visit);
    expect([isChartLoaded, hadBook, visit.bookSubscriptions]).toEqual([true, true, 1]);
    expect(await visit.findFaults(service.url)).toEqual([]);
  } finally {
    answerList();
    await visit.close();
  }
});

test('a hidden tab follows nothing, and goes on when it is seen again', async () => {
  const visit = await PageVisit.open(browser, service.url);
  const setVisibility = (state: string): Promise<unknown> =>
    visit.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  try {
    await setVisibility('hidden');
    await visit.untilState('paused');
    expect(await visit.text('notice')).toMatch(/^Paused since \d\d:\d\d:\d\d UTC/);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    await until('no socket', () => visit.openSockets === 0);
    await setVisibility('visible');
    await visit.untilState('live');
  } finally {
    await visit.close();
  }
});

test('a lost service greys the book and says since when, and one that is back colours it without a reload', async () => {
  const proxy = await CutProxy.start(service.url);
  const visit = await PageVisit.open(browser, `${proxy.url}/?market=SOL-PERP`);
  const { page } = visit;
  const isGreyed = (): Promise<boolean> =>
    page.evaluate(
      "getComputedStyle(document.querySelector('[role=application]')).filter !== 'none'",
    );
  try {
    await page.evaluate('globalThis.isSamePage = true');
    proxy.cut();
    await until('a resumed stream', async () => (await visit.text('recoveries')) === '1 / 0');
    await service.kill();
    await visit.untilState('disconnected');
    await until('the notice', async () => (await page.getByTestId('notice').count()) > 0);
    expect(await visit.text('notice')).toMatch(/^Disconnected since \d\d:\d\d:\d\d UTC, \d+ s$/);
    expect(await isGreyed()).toBe(true);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    service = await startPageService();
    proxy.turnTo(service.url);
    await visit.untilState('live');
    await until('colours', async () => !(await isGreyed()));
    expect(await page.getByTestId('notice').count()).toBe(0);
    await until('a new book', async () => (await visit.text('recoveries')) === '1 / 1');
    expect(await page.evaluate('isSamePage')).toBe(true);
    expect(await visit.findFaults(proxy.url)).toEqual([]);
  } finally {
    await visit.close();
    await proxy.stop();
  }
});

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

/** Bytes of all scripts, as they are sent. */
const SCRIPT_BYTES_MAX = 120_000;

test('all scripts of the page are at most 120 kB compressed', () => {
  const files = path.join(root, 'dist', 'page', 'page');
  const scripts = readdirSync(files).filter((name) => name.endsWith('.js.gz'));
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.reduce((sum, name) => sum + statSync(path.join(files, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
});
