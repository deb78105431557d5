/** A service that signs its books into a log, and `verify --log` of it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { readLeafTurns } from '../../src/journal/leaf-turns.js';
import { rootOfEntries, splitEntries } from '../../src/proof/leaf.js';
import { newSigningKey, Signer } from '../../src/proof/note.js';
import { type RecomputedLeaf, verifyLog } from '../../src/verify/verify-log.js';
import type { World, WorldOptions } from '../world/world.js';
import { testWorld } from './test-world.js';
import { until } from './until.js';

export const NAME = 'book.test/log';

export interface Scene {
  readonly scene: World;
  readonly url: string;
  readonly signer: Signer;
  readonly folder: string;
}

/** A folder with a key. */
export function newFolder(key = newSigningKey(NAME)): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-proof-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'key'), key);
  return folder;
}

/** A service that signs. */
export async function signed(
  folder = newFolder(),
  seed = 1,
  options: Partial<WorldOptions> = {},
): Promise<Scene> {
  const keyFile = path.join(folder, 'key');
  const flags = { dataDir: folder, noHistory: true, journal: true, signingKey: keyFile };
  const scene = await testWorld({ flags, seed, ...options });
  const signer = Signer.read(readFileSync(keyFile, 'utf8'));
  return { scene, url: scene.service.url, signer, folder };
}

/** Checks a log as `verify --log` does; returns its lines after the result. */
export async function verified(
  { url, signer, folder }: Scene,
  more: object = {},
): Promise<unknown[]> {
  const lines: unknown[] = [];
  const isRight = await verifyLog({
    log: { url, key: signer.verifierKey },
    kept: path.join(folder, 'kept'),
    seconds: 10,
    wait: (ms) => sleep(ms),
    print: (line) => void lines.push(line),
    ...more,
  });
  return [isRight, ...lines];
}

export async function until5Leaves({ scene, url, signer }: Scene, size = 5): Promise<void> {
  await until('leaves', async () => {
    await scene.run(500);
    const note = await (await fetch(`${url}/log/checkpoint`)).text();
    return note.startsWith(NAME) && signer.verifier.openCheckpoint(note).size >= size;
  });
}

/** The leaves that the journal of a folder gives. */
export function recomputed(folder: string): readonly RecomputedLeaf[] {
  return [...readLeafTurns(path.join(folder, 'journal'))].map(({ entries, ...turn }) => {
    return { ...turn, root: rootOfEntries(splitEntries(entries)) };
  });
}
