import { expect, test } from 'vitest';
import { RecentUpdates } from './recent-updates.js';

const account = (pubkey: string, slot: number, data = '') =>
  ({ pubkey, owner: 'o', slot, data, encoding: 'bytes' }) as const;

test('of each account the newest state is held, where it came last', () => {
  const updates = new RecentUpdates(10_000);
  updates.addUpdate(account('a', 1, 'long data'));
  updates.addUpdate({ pubkey: 'b', slot: 2 });
  updates.addUpdate(account('a', 3, 'x'));
  expect(updates.bytes).toBe(401);
  expect(updates.takeAll()).toEqual([{ pubkey: 'b', slot: 2 }, account('a', 3, 'x')]);
  expect([updates.bytes, updates.takeAll()]).toEqual([0, []]);
});

test('what is of slots before one is forgotten, up to the first that is not', () => {
  const updates = new RecentUpdates(10_000);
  for (const [key, slot] of [...'abcd'].map((key, at) => [key, [5, 6, 9, 5][at] ?? 0] as const)) {
    updates.addUpdate({ pubkey: key, slot });
  }
  updates.forgetBefore(5);
  updates.forgetBefore(7);
  // The last one has an older slot, and came later.
  expect(updates.takeAll().map(({ pubkey }) => pubkey)).toEqual(['c', 'd']);
});

test('beyond its bytes it forgets all, says so, and begins again', () => {
  const updates = new RecentUpdates(450);
  expect(updates.addUpdate(account('a', 1))).toBe(true);
  expect(updates.addUpdate(account('b', 1, '50 characters'.padEnd(50)))).toBe(true);
  expect(updates.addUpdate(account('c', 1))).toBe(false);
  expect(updates.bytes).toBe(0);
  expect(updates.addUpdate(account('d', 1))).toBe(true);
  expect(updates.takeAll()).toHaveLength(1);
  // A single update that is too large.
  expect(updates.addUpdate(account('e', 2, 'x'.repeat(451)))).toBe(false);
  expect(updates.bytes).toBe(0);
});
