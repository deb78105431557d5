/** Past moments in a browser: shown, stepped through, linked to and played, and back to live. */
import { expect, test } from 'vitest';
import { type BesideL2, BOTH_SOURCES, expectAccessible, tableRow } from '../support/page-checks.js';
import { browser, service, takeShot, visiting } from '../support/page-scene.js';
import { PageVisit } from '../support/page-visit.js';
import { until } from '../support/until.js';

/** While it is disabled it takes no focus, and a key that is pressed goes to the button before. */
const ENABLED_BACK = { name: 'The state before', disabled: false } as const;

test('shows any moment that the journal keeps, as the past, and goes back to live', async () => {
  await visiting('?market=SOL-PERP', {}, async (visit) => {
    const { page } = visit;
    const moment = async (): Promise<number> =>
      Date.parse(`${(await page.getByTestId('moment').inputValue()).replace(' ', 'T')}Z`);
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
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
    // A machine that stood still made it subscribe more than once before.
    const followed = visit.bookSubscriptions;
    await expectAccessible(visit);
    await takeShot(visit, 'past');
    // The oldest moment, by the keyboard, and then onwards, for what is long enough.
    const oldestTs = await until('20 s of the past', async () => {
      const [{ first, last }] = JSON.parse((await service.get('/journal')).text).ranges;
      return last.ts - first.ts > 20_000 && first.ts;
    });
    await page.getByRole('slider').press('Home');
    await until('the oldest moment', async () => (await moment()) === oldestTs);
    await page.getByLabel('Speed').selectOption('5');
    await page.getByRole('button', { name: 'Play', exact: true, disabled: false }).press('Enter');
    await until('later moments', async () => (await moment()) > oldestTs + 2_000);
    expect(visit.replays).toBe(1);
    // A group while it plays is that of /l2 at the same moment.
    await page.getByLabel('Price step of a level').selectOption('100');
    await until('another stream', () => visit.replays === 2);
    await until('its moments', async () => (await moment()) > oldestTs + 8_000);
    await expectPlayedGroups(visit, 100);
    await page.getByRole('button', { name: 'Live' }).press('Enter');
    await visit.untilState('live');
    expect(await page.getByTestId('notice').count()).toBe(0);
    expect(visit.bookSubscriptions).toBe(followed + 1);
    // Another market at the same moment plays as soon as it is read, and what plays up to now is live.
    await back.press('Enter');
    await visit.untilState('past');
    await page.keyboard.press('/');
    await page.keyboard.type('btc');
    await page.keyboard.press('Enter');
    await page.getByLabel('Speed').selectOption('100');
    await page.getByRole('button', { name: 'Play', exact: true, disabled: false }).press('Enter');
    await visit.untilState('live');
    expect(await visit.findFaults(service.url)).toEqual([]);
  });
});

/** Waits until the ladder has played on, and compares it with /l2 of its moment. */
async function expectPlayedGroups(visit: PageVisit, grouping: number): Promise<void> {
  const started = await visit.readLadder();
  await until('a later book', async () => (await visit.readLadder()).seq > started.seq);
  const { seq, epoch, rows } = await visit.readLadder();
  const query = `marketName=SOL-PERP&depth=100&grouping=${grouping}&epoch=${epoch}&seq=${seq}`;
  const { text } = await service.get(`/l2?${query}&${BOTH_SOURCES}`);
  const { bids, asks } = JSON.parse(text) as BesideL2['book'];
  for (const [side, levels] of [
    ['bid', bids],
    ['ask', asks],
  ] as const) {
    const shown = rows.filter(([of]) => of === side);
    expect(shown.length).toBeGreaterThan(5);
    const best = levels.slice(0, shown.length).map((level) => tableRow(side, level));
    expect(shown).toEqual(side === 'bid' ? best : best.reverse());
  }
}

test('a link to a moment shows it again, and says so where it is not kept', async () => {
  await visiting('?market=SOL-PERP', {}, async (visit) => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
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
      await takeShot(visit, `lost-${lost.slice(0, 2)}`);
    }
  });
});
