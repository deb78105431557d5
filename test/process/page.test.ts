/** The page in Chromium over a real service; test/long/page*.test.ts have every view, width, theme and trouble. */
import { expect, test } from 'vitest';
import { expectEqualsL2, expectMarketPage } from '../support/page-checks.js';
import { service, takeShot, visiting } from '../support/page-scene.js';

const LOOK = { width: 1_440, height: 900, theme: 'dark' } as const;

test('shows all of a market, and the book of /l2', () =>
  visiting('', LOOK, async (visit) => {
    await expectMarketPage(visit, LOOK);
    await expectEqualsL2(visit, service);
    await takeShot(visit, `${LOOK.width}-${LOOK.theme}`);
    expect(await visit.findFaults(service.url)).toEqual([]);
  }));

/** Runs in the page: the colours of the chosen and of another length of a candle. */
const BUTTON_COLORS = `['true', 'false'].map((pressed) => {
  const button = document.querySelector('[aria-label="Length of a candle"] [aria-pressed=' + pressed + ']');
  const { color, backgroundColor } = getComputedStyle(button);
  return color + ' on ' + backgroundColor;
})`;

test('what is chosen is seen in the colours of the system too', () =>
  visiting(
    '?market=NOPE-PERP',
    { shows: 'document', prepare: (page) => page.emulateMedia({ forcedColors: 'active' }) },
    async ({ page }) => {
      // A market that is not there is said, and no other one is shown in its place.
      await page.getByTestId('unknown').getByText('has no market NOPE-PERP').waitFor();
      expect(page.url()).toContain('market=NOPE-PERP');
      await page.goto(`${service.url}/?market=SOL-PERP`);
      await page.getByRole('group', { name: 'Length of a candle' }).waitFor();
      const [chosen, other] = await page.evaluate<string[]>(BUTTON_COLORS);
      expect(chosen).not.toBe(other);
    },
  ));
