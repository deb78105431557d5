/** The page in a browser while streams are spoilt, cut and slow, and services are lost: it never lies. */
import path from 'node:path';
import type { WebSocketRoute } from 'playwright-core';
import { expect, test } from 'vitest';
import { FrameDecoder } from '../../src/client/binary/index.js';
import { CutProxy } from '../support/cut-proxy.js';
import { expectEqualsL2, expectUnbroken, expectWhole } from '../support/page-checks.js';
import { browser, folder, service, startService, visiting } from '../support/page-scene.js';
import { PageVisit, type VisitOptions } from '../support/page-visit.js';
import { ServiceChild } from '../support/service-child.js';
import { writeStorm } from '../support/storm-journal.js';
import { until } from '../support/until.js';

test('a frame with a wrong checksum is said and healed', async () => {
  let isSpoilt = false;
  const spoil = (route: WebSocketRoute): void => {
    const upstream = route.connectToServer();
    const decoder = new FrameDecoder();
    upstream.onMessage((message) => {
      if (typeof message === 'string') return route.send(message);
      const { type, channel } = decoder.decodeFrame(message);
      const isDelta = type === 'delta' && channel === 'book';
      // A delta ends with its checksum.
      const last = message.length - 1;
      if (isDelta && !isSpoilt) message.writeUInt8(message.readUInt8(last) ^ 1, last);
      isSpoilt ||= isDelta;
      route.send(message);
    });
  };
  const prepare: VisitOptions['prepare'] = (page) => page.routeWebSocket(/\/ws$/, spoil);
  await visiting('', { prepare }, async (visit) => {
    await until('the violation', async () =>
      (await visit.text('truth')).includes('1 wrong and healed'),
    );
    expect(await visit.text('truth')).toContain('1 (crc)');
    const verified = Number(await visit.text('verified'));
    await visit.untilState('live');
    await until('more checksums', async () => Number(await visit.text('verified')) > verified);
  });
});

test('on a processor six times as slow each book is verified, and nothing is lost', async () => {
  const prepare: VisitOptions['prepare'] = async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  };
  await visiting('?market=SOL-PERP', { prepare }, async (visit) => {
    await until('some books', async () => Number(await visit.text('verified')) > 20);
    await expectUnbroken(visit);
  });
});

test('a thousand changes of the whole book a second lose nothing', async () => {
  const journal = path.join(folder, 'storm');
  writeStorm(journal, {
    ...{ seed: 5, users: 40, ticks: 5_000, ticksPerSecond: 1_000, leadMs: 3_000, calmMs: 1_000 },
  });
  const patient = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'];
  const storm = await ServiceChild.replay(journal, patient);
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

/** Makes a frame of a stream say that its book is stale (docs/binary.md: the two lowest bits of its first byte). */
function makeStale(frame: Buffer): void {
  const first = frame.readUInt8(0);
  const isOfStream = ((first >> 2) & 3) !== 3;
  if (isOfStream) frame.writeUInt8(first | 3, 0);
}

test('a book that the service calls stale is greyed, and coloured when it is not any more', async () => {
  let state = 'live';
  const prepare: VisitOptions['prepare'] = (page) =>
    page.routeWebSocket(/\/ws$/, (route) => {
      const upstream = route.connectToServer();
      upstream.onMessage((message) => {
        if (typeof message !== 'string' && state === 'stale') makeStale(message);
        route.send(message);
      });
    });
  await visiting('?market=SOL-PERP', { prepare }, async (visit) => {
    const isGreyed = (): Promise<boolean> =>
      visit.page.evaluate("document.querySelector('.page').matches('.stale')");
    expect(await isGreyed()).toBe(false);
    state = 'stale';
    await visit.untilState('stale');
    expect(await visit.text('notice')).toMatch(/^The book is stale since \d\d:\d\d:\d\d UTC/);
    expect(await isGreyed()).toBe(true);
    state = 'live';
    await visit.untilState('live');
    expect(await isGreyed()).toBe(false);
    await expectUnbroken(visit);
  });
});

test('a stream that falls silent greys the book, and is resumed when it speaks again', async () => {
  let isSilent = false;
  const prepare: VisitOptions['prepare'] = (page) =>
    page.routeWebSocket(/\/ws$/, (route) => {
      const upstream = route.connectToServer();
      upstream.onMessage((message) => {
        if (!isSilent) route.send(message);
      });
    });
  await visiting('?market=SOL-PERP', { prepare }, async (visit) => {
    isSilent = true;
    await visit.untilState('disconnected');
    expect(await visit.text('notice')).toMatch(/^Disconnected since \d\d:\d\d:\d\d UTC/);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    isSilent = false;
    await visit.untilState('live');
  });
});

test('the book of a named market waits for no list, and the chart waits for the book', async () => {
  let answerList = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answerList = resolve;
  });
  let isChartLoaded = false;
  let hadBook: boolean | undefined;
  const prepare: VisitOptions['prepare'] = async (page) => {
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
  await visiting('?market=SOL-PERP', { prepare }, async (visit) => {
    expect(visit.bookSubscriptions).toBe(1);
    answerList();
    await expectWhole(visit);
    expect([isChartLoaded, hadBook, visit.bookSubscriptions]).toEqual([true, true, 1]);
    expect(await visit.findFaults(service.url)).toEqual([]);
  }).finally(answerList);
});

test('a hidden tab follows nothing, and goes on when it is seen again', async () => {
  await visiting('', {}, async (visit) => {
    const setVisibility = (state: string): Promise<unknown> =>
      visit.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await setVisibility('hidden');
    await visit.untilState('paused');
    expect(await visit.text('notice')).toMatch(/^Paused since \d\d:\d\d:\d\d UTC/);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    await until('no socket', () => visit.openSockets === 0);
    await setVisibility('visible');
    await visit.untilState('live');
  });
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
    await until('a resumed stream', async () =>
      /^[1-9]\d* \/ 0$/.test(await visit.text('recoveries')),
    );
    await service.kill();
    await visit.untilState('disconnected');
    await until('the notice', async () => (await page.getByTestId('notice').count()) > 0);
    expect(await visit.text('notice')).toMatch(/^Disconnected since \d\d:\d\d:\d\d UTC, \d+ s$/);
    expect(await isGreyed()).toBe(true);
    expect((await visit.readLadder()).rows.length).toBeGreaterThan(5);
    await startService();
    proxy.turnTo(service.url);
    await visit.untilState('live');
    await until('colours', async () => !(await isGreyed()));
    expect(await page.getByTestId('notice').count()).toBe(0);
    await until('a new book', async () => /^\d+ \/ [1-9]/.test(await visit.text('recoveries')));
    expect(await page.evaluate('isSamePage')).toBe(true);
    expect(await visit.findFaults(proxy.url)).toEqual([]);
  } finally {
    await visit.close();
    await proxy.stop();
  }
});
