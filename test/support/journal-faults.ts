/** A journal whose folder fails for some time. */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { RETRY_MS } from '../../src/journal/model/limits.js';
import { type JournalRig, type LiveBook, readShown } from '../../src/journal/testing.js';

/** The files of segments in a folder. */
export function segmentsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.journal'))
    .sort();
}

/** Checks that every stored moment equals the live output; returns the number of moments. */
export function expectEqual(folder: string, book: LiveBook): number {
  const kept = readShown(folder);
  for (const [moment, text] of kept)
    expect([moment, text]).toEqual([moment, book.shown.get(moment)]);
  return kept.size;
}

/** A journal whose folder fails after some writes, then works again. */
export async function hurtAndHeal(
  rig: JournalRig,
  place: { readonly hurt: () => void; readonly heal: () => void; readonly reason: RegExp },
): Promise<void> {
  await rig.write(5);
  expect(rig.last('state').stats).toMatchObject({ state: 'writing', reason: null });
  expect(rig.last('flushed').isWhole).toBe(true);
  place.hurt();
  for (let tries = 0; tries < 4; tries += 1) {
    await rig.write(30);
    rig.timers.advance(RETRY_MS);
  }
  await rig.write(1);
  const { state, reason } = rig.last('state').stats;
  expect(state).toBe('stopped');
  expect(rig.last('flushed').isWhole).toBe(false);
  expect(reason).toMatch(place.reason);
  const told = rig.logged.filter((text) => text.startsWith('the journal has stopped'));
  expect(told.length).toBeLessThanOrEqual(2);
  place.heal();
  rig.timers.advance(RETRY_MS);
  await rig.write(5);
  expect(rig.last('state').stats).toMatchObject({ state: 'writing', reason: null });
  expect(rig.last('flushed').isWhole).toBe(true);
  expect(rig.logged).toContain('the journal goes on');
}
