/** The signed log of a whole service: its files, its proofs, and who finds a dishonest one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newSigningKey, Signer } from '../src/proof/note.js';
import { type World, world } from './world/world.js';

const NAME = 'book.test/log';

interface Scene {
  readonly scene: World;
  readonly key: Signer;
  readonly folder: string;
}

/** A service that signs. */
async function signed(): Promise<Scene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-proof-'));
  const keyFile = path.join(folder, 'key');
  writeFileSync(keyFile, newSigningKey(NAME));
  const scene = await world({
    flags: { dataDir: folder, noHistory: true, journal: true, signingKey: keyFile },
  });
  onTestFinished(async () => {
    await scene.stop();
    rmSync(folder, { recursive: true });
  });
  return { scene, key: Signer.read(`${newSigningKeyOf(keyFile)}`), folder };
}

function newSigningKeyOf(file: string): string {
  return require('node:fs').readFileSync(file, 'utf8');
}

test('a service signs a leaf each second and proves its markets', async () => {
  const { scene, key } = await signed();
  await scene.run(5_000);
  const note = await (await fetch(`${scene.service.url}/log/checkpoint`)).text();
  console.log(note);
  const head = key.verifier.openCheckpoint(note);
  expect(head.size).toBeGreaterThan(3);
  const markets = (await (await fetch(`${scene.service.url}/markets`)).json()) as { symbol: string }[];
  const reply = await fetch(`${scene.service.url}/proof?marketName=${markets[0]?.symbol}`);
  console.log(await reply.text());
});
