import { afterEach, expect, test } from 'vitest';
import { cleanUp, journalOfLife, newFolder } from '../journal/testing.js';
import { type ProveFlags, proveBooks } from './journal-commands.js';

afterEach(cleanUp);

async function proved(folder: string, flags: ProveFlags): Promise<string> {
  let text = '';
  await proveBooks(folder, flags, {
    write: (part) => {
      text += part;
    },
  });
  return text;
}

test('prove prints a line a market, or the parts and orders of one', async () => {
  const { folder } = await journalOfLife();
  const slot = '350000030';
  const lines = (await proved(folder, { slot })).trim().split('\n');
  expect(lines[0]).toMatch(/^BTC-PERP [\da-f]{16}$/);
  const proof = JSON.parse(await proved(folder, { slot, json: true }));
  expect(proof).toMatchObject({ slot: 350_000_030, moment: { slot: 350_000_030 }, epoch: 'first' });
  const pairs = proof.markets.map(
    (one: { market: string; chain: string }) => `${one.market} ${one.chain}`,
  );
  expect(pairs).toEqual(lines);
  const parts = await proved(folder, { slot, parts: 'sol-perp' });
  expect(parts).toMatch(/^orders [\da-f]{16}\naccount [\da-f]{16}\n/);
  expect(parts.match(/^order \w{32,44} \d+ [\da-f]{16}$/gm)?.length).toBeGreaterThan(5);
});

test('prove refuses a slot that is not kept, an unknown market and a missing folder', async () => {
  const { folder } = await journalOfLife();
  const slot = '350000030';
  await expect(proved(folder, { slot: '350000060' })).rejects.toThrow(
    'kept are slots 350000000 to 350000059',
  );
  await expect(proved(folder, { slot: '1.5' })).rejects.toThrow('--slot was 1.5');
  await expect(proved(folder, { slot, parts: 'X-PERP' })).rejects.toThrow(
    'must be one of BTC-PERP',
  );
  await expect(proved(`${folder}-x`, { slot })).rejects.toThrow('must be a folder');
  await expect(proved(newFolder(), { slot })).rejects.toThrow('there is no journal in this folder');
});
