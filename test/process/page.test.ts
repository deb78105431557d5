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
