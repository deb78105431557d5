/** `verify --log`: a log beside its journal, beside what was seen of it, and beside another service. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Signer } from '../src/proof/note.js';
import { ServiceProbe } from './support/service-probe.js';
import { newFolder, recomputed, signed, until5Leaves, verified } from './support/signed-log.js';

test('the leaves of a log are those of the journal, and of no other', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  await scene.scene.stop();
  const leaves = recomputed(scene.folder);
  expect(leaves.length).toBeGreaterThanOrEqual(4);
  const again = await signed(scene.folder);
  const result = await verified(again, { recomputed: leaves });
  expect(result).toEqual([
    true,
    expect.stringMatching(/new, signed and grown/),
    expect.stringMatching(/^journal: [4-9] of/),
  ]);
  rmSync(path.join(scene.folder, 'kept'));
  const wrong = leaves.map((leaf, at) =>
    at === 2 ? { ...leaf, inputs: new Uint8Array(32) } : leaf,
  );
  expect(await verified(again, { recomputed: wrong })).toContainEqual(
    expect.stringMatching(/^different: the inputs/),
  );
});

test('a log that was written again is found by who has seen it', async () => {
  const scene = await signed();
  await until5Leaves(scene);
  expect((await verified(scene))[0]).toBe(true);
  await scene.scene.stop();
  for (const name of ['proof', 'key.signed'])
    rmSync(path.join(scene.folder, name), { recursive: true });
  const again = await signed(scene.folder, 2);
  await until5Leaves(again, 12);
  expect(await verified(again)).toEqual([false, expect.stringMatching(/^rewritten/)]);
});

test('an older copy of a log is refused by its key, and found with an older copy of the key', async () => {
  const scene = await signed();
  await until5Leaves(scene, 3);
  await scene.scene.stop();
  const { folder } = scene;
  const old = newFolder();
  for (const name of ['proof', 'key.signed'])
    cpSync(path.join(folder, name), path.join(old, name), { recursive: true });
  const second = await signed(folder);
  await until5Leaves(second, 9);
  expect((await verified(second))[0]).toBe(true);
  await second.scene.stop();
  cpSync(path.join(old, 'proof'), path.join(folder, 'proof'), { recursive: true });
  const refusal = { message: expect.stringMatching(/an older copy must not go on/) };
  await expect(signed(folder)).rejects.toMatchObject({ cause: refusal });
  cpSync(path.join(old, 'key.signed'), path.join(folder, 'key.signed'));
  const third = await signed(folder);
  expect(await verified(third)).toEqual([false, expect.stringMatching(/^rolled back/)]);
});

test('the log of an edge that is a second behind is read again', async ({ onTestFinished }) => {
  const scene = await signed();
  await until5Leaves(scene);
  const older = [await (await fetch(`${scene.url}/log/checkpoint`)).text()];
  await until5Leaves(scene, 8);
  expect((await verified(scene))[0]).toBe(true);
  const edge = createServer(async ({ url }, response) => {
    const note = url === '/log/checkpoint' ? older.pop() : undefined;
    response.end(note ?? Buffer.from(await (await fetch(`${scene.url}${url}`)).arrayBuffer()));
  });
  await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void edge.close());
  const url = `http://127.0.0.1:${(edge.address() as AddressInfo).port}`;
  expect(await verified({ ...scene, url })).toEqual([true, expect.stringMatching(/grown$/)]);
  expect(older).toEqual([]);
});

interface Row {
  readonly maker: string;
  readonly orderId: number;
}

/** Another service that signs, on a node of the scene. */
async function signedBeside(node: number): Promise<{ url: string; key: string }> {
  const folder = newFolder();
  const probe = await ServiceProbe.start(
    { rpcUrl: `http://node-${node}`, wsUrl: `ws://node-${node}` },
    { dataDir: folder, noHistory: true, journal: true, signingKey: path.join(folder, 'key') },
  );
  onTestFinished(() => probe.stop());
  const key = Signer.read(readFileSync(path.join(folder, 'key'), 'utf8')).verifierKey;
  return { url: probe.url, key };
}

test('two services of one chain have the same orders at a slot', async () => {
  const scene = await signed();
  const other = await signedBeside(0);
  await until5Leaves(scene);
  const [isSame, , ...lines] = await verified(scene, { other });
  expect(isSame, JSON.stringify(lines)).toBe(true);
  expect(lines.every((line) => /equal at slot \d+$/.test(String(line)))).toBe(true);
});

test('of two services that have other orders, the first order that differs is named', async () => {
  const scene = await signed(newFolder(), 1, { nodes: 2 });
  const [, liar] = scene.scene.nodes;
  if (liar !== undefined) liar.faults = { ...liar.faults, scanShare: 0.9 };
  const other = await signedBeside(1);
  await until5Leaves(scene);
  const [isSame, , ...lines] = await verified(scene, { other, seconds: 3 });
  expect(isSame).toBe(false);
  // Scans of its node lack some users.
  const difference = /^(\S+) different: (?:bid|ask) (\w{32,44})\/(\d+): here (\S+), there (\S+)$/;
  const named = lines.filter((line) => !/ equal at slot /.test(String(line)));
  const found = named.map((line) => difference.exec(String(line)) ?? []);
  for (const [line, , , , here, there] of found) expect(here, line).not.toBe(there);
  const [, symbol = '', maker, id] = found.find((match) => match[5] === 'none') ?? [];
  expect(symbol, JSON.stringify(lines)).not.toBe('');
  const l3 = await fetch(`${other.url}/l3?marketName=${encodeURIComponent(symbol)}`);
  const { bids, asks } = (await l3.json()) as Record<'bids' | 'asks', Row[]>;
  expect(
    [...bids, ...asks].filter((row) => row.maker === maker && row.orderId === Number(id)),
  ).toEqual([]);
});
