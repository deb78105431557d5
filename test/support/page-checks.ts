/** Checks a visit of the page: it is complete, accessible and without faults, and shows the content of /l2. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import { formatDecimal } from '../../src/client/amounts.js';
import type { Look, PageVisit } from './page-visit.js';
import { until } from './until.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Texts that grow by a digit towards the left count a little; anything that moves counts a hundred times as much. */
export const LAYOUT_SHIFT_MAX = 0.003;

/** Bytes of the scripts of a page before the library that draws its chart, as they are sent. */
export const SCRIPT_BYTES_MAX = 75_000;

/** Runs in the page: by how much elements stand out of it to the right. */
export const HIDDEN_PX = 'document.documentElement.scrollWidth - innerWidth';

/** All of a market is shown in a look, to everybody, on one stream, and nothing moves. */
export async function expectMarketPage(visit: PageVisit, { theme }: Look): Promise<void> {
  await expectWhole(visit);
  expect(await visit.text('candle-table')).toMatch(/^The newest candles of SOL-PERP/);
  expect(await visit.scriptBytes()).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  expect(await visit.page.evaluate(HIDDEN_PX)).toBeLessThanOrEqual(0);
  expect(await visit.page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
  await expectOneStream(visit);
  expect(await visit.layoutShift()).toBeLessThan(LAYOUT_SHIFT_MAX);
  await expectAccessible(visit);
}

/** Every panel with something in it. */
export async function expectWhole({ page }: PageVisit): Promise<void> {
  for (const title of ['Candles', 'Order book', 'Depth', 'Try an order', 'Trades', 'Queue']) {
    expect.soft(await page.getByRole('heading', { name: title, level: 2 }).count(), title).toBe(1);
  }
  await until('candles', () => page.getByTestId('candles').locator('canvas').count());
  await until('trades', () => page.getByTestId('trades').locator('tbody tr').count());
  await until('a walk', () => page.getByTestId('walk').locator('tbody tr').count());
  await until('best prices', async () =>
    /[0-9]/.test((await page.getByTestId('quote').textContent()) ?? ''),
  );
}

/** axe-core has no finding, by all of its rules or those with one of some tags. */
export async function expectAccessible(
  { page }: PageVisit,
  tags?: readonly string[],
): Promise<void> {
  await page.evaluate(axe);
  const options = JSON.stringify(tags === undefined ? {} : { runOnly: tags });
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${options})`);
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([]);
}

/** The part of the report of axe-core that is read. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Runs in the page: the ladder's rows, and /l2 of the same sequence number. */
export const ladderBesideL2 = (query: string): string => `new Promise((resolve, reject) => {
  const table = document.querySelector('[data-testid=ladder]');
  const readRows = () => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  const observer = new MutationObserver(async () => {
    const { seq, epoch } = table.dataset;
    const rows = readRows();
    const book = await (await fetch('/l2?${query}')).json().catch(reject);
    if (String(book.seq) !== seq || book.epoch !== epoch) return;
    observer.disconnect();
    resolve({ rows, book });
  });
  observer.observe(table, { attributes: true });
})`;

export interface BesideL2 {
  readonly rows: readonly (readonly string[])[];
  readonly book: Readonly<Record<'bids' | 'asks', readonly L2Level[]>>;
}

export interface L2Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

export const BOTH_SOURCES = 'includeVamm=true&includeIndicative=true';

/** Waits until the ladder and /l2 are of one sequence number, and compares them. */
export async function expectEqualsL2(
  visit: PageVisit,
  { url }: { readonly url: string },
): Promise<void> {
  await until('the ladder of /l2', async () => {
    const { rows, epoch, seq } = await visit.readLadder();
    const response = await fetch(`${url}/l2?marketName=SOL-PERP&depth=100&${BOTH_SOURCES}`);
    const book = (await response.json()) as BesideL2['book'] & { epoch: string; seq: number };
    if (book.epoch !== epoch || book.seq !== seq) return false;
    const bids = rows.filter(([side]) => side === 'bid');
    expect(bids.length).toBeGreaterThan(5);
    expect(bids).toEqual(book.bids.slice(0, bids.length).map((level) => tableRow('bid', level)));
    return true;
  });
}

/** The page is on one stream, since it was opened or since the last silence of a machine that stood still. */
async function expectOneStream(visit: PageVisit): Promise<void> {
  const seen = [visit.bookSubscriptions, visit.openSockets, ...(await visit.states())];
  if (JSON.stringify(seen) === JSON.stringify([1, 3, 'connecting', 'live'])) return;
  await until('a silence', async () => (await visit.text('truth')).includes('(silence)'));
}

/** No frame had a fault. A machine that pauses for seconds only makes the page request a new snapshot. */
export async function expectUnbroken(visit: PageVisit): Promise<void> {
  const truth = await visit.text('truth');
  expect(truth).toMatch(/Repairs\s*(0|\d+ \(silence\))(\s|$)/);
  expect(truth).not.toContain('wrong');
}

/** A level as the table says it. */
export function tableRow(
  side: 'bid' | 'ask',
  { price, size, sources }: L2Level,
): readonly string[] {
  const { dlob = '0', vamm = '0', indicative = '0' } = sources;
  const sizes = [size, dlob, vamm, indicative, '0'].map((raw) => formatDecimal(BigInt(raw), 9));
  return [side, formatDecimal(BigInt(price), 6), ...sizes];
}
