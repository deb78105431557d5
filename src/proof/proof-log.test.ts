import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifyProof } from '../client/proof/verify-proof.js';
import { ENTRY_BYTES } from './leaf.js';
import { newSigningKey, Signer } from './note.js';
import { ProofLog } from './proof-log.js';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'key'), newSigningKey('log'));
  return folder;
}

const signerOf = (folder: string): Signer =>
  Signer.read(readFileSync(path.join(folder, 'key'), 'utf8'));

async function openLog(folder: string, onFailed: (error: unknown) => void = () => {}) {
  const log = new ProofLog({
    keyFile: path.join(folder, 'key'),
    folder: path.join(folder, 'proof'),
    onFailed,
  });
  await log.open();
  return log;
}

/** The entry of a perp market. */
function entry(index: number, seq: number): Buffer {
  const bytes = Buffer.alloc(ENTRY_BYTES, seq & 255);
  bytes[0] = 0;
  bytes.writeUInt16BE(index, 1);
  bytes.writeBigUInt64BE(BigInt(seq), 3);
  return bytes;
}

async function add(log: ProofLog, second: number, entries = [entry(0, second)]): Promise<void> {
  const tsMs = second * 1_000;
  log.addLeaf({ epoch: 'e', slot: second, tsMs, entries: Buffer.concat(entries) });
  const before = log.served.checkpoint();
  log.addDigest({ tsMs, sha256: new Uint8Array(32).fill(second) });
  await expect.poll(() => log.served.checkpoint()).not.toBe(before);
}

function sizeOf(log: ProofLog, folder: string): number {
  const note = log.served.checkpoint();
  return note === null ? 0 : signerOf(folder).verifier.openCheckpoint(note).size;
}

test('each leaf is signed, served and proven', async () => {
  const folder = newFolder();
  const log = await openLog(folder);
  for (let second = 1; second <= 300; second += 1) {
    await add(log, second, [entry(1, second), entry(7, 2 * second), entry(9, 3 * second)]);
  }
  const { verifierKey } = signerOf(folder);
  const market = { marketType: 'perp', marketIndex: 7 } as const;
  for (const [at, ts] of [
    [{ seq: 0 }, 1_000],
    [{ seq: 21 }, 11_000],
    [{ tsMs: 99_500 }, 99_000],
    [{ tsMs: Number.POSITIVE_INFINITY }, 300_000],
  ] as const) {
    const proof = log.served.findProof(market, at);
    expect(JSON.stringify(proof).length).toBeLessThan(2_048);
    if (proof === null) throw new Error('there is no proof');
    expect(await verifyProof(proof, verifierKey)).toMatchObject({ ts, marketIndex: 7, size: 300 });
    for (const part of ['entry', 'leaf', 'path', 'entryPath'] as const) {
      const bytes = Buffer.from(proof[part], 'base64');
      bytes.writeUInt8((bytes[9] ?? 0) ^ 1, 9);
      const wrong = { ...proof, [part]: bytes.toString('base64') };
      await expect(verifyProof(wrong, verifierKey)).rejects.toMatchObject({ code: 'PROOF_FAILED' });
    }
  }
  expect(log.served.findProof(market, { seq: 601 })).toBeNull();
  expect(log.served.findProof(market, { tsMs: 999 })).toBeNull();
  expect(log.served.findProof({ ...market, marketType: 'spot' }, { seq: 0 })).toBeNull();
  expect(log.served.readTile({ level: 0, index: 0, width: 256 })).toHaveLength(256 * 32);
  expect(log.served.readTile({ level: 0, index: 1, width: 44 })).toHaveLength(44 * 32);
  expect(log.served.readTile({ level: 1, index: 0, width: 1 })).toHaveLength(32);
  expect(log.served.readTile({ level: 'entries', index: 1, width: 44 })).toHaveLength(44 * 114);
  for (const width of [45, 256])
    expect(log.served.readTile({ level: 0, index: 1, width })).toBeNull();
  await log.stop();
});

test('a kill at any byte of the last append never forks the log', async () => {
  const folder = newFolder();
  const log = await openLog(folder);
  for (let second = 1; second <= 257; second += 1) await add(log, second);
  await log.stop();
  const before = new Map(filesOf(folder).map((file) => [file, readFileSync(file)]));
  const note = readFileSync(path.join(folder, 'key.signed'), 'utf8');
  const next = await openLog(folder);
  await add(next, 258);
  await next.stop();
  const after = new Map(filesOf(folder).map((file) => [file, readFileSync(file)]));
  let cuts = 0;
  // What was written in this order, each cut at each of its bytes; the signature is the last.
  for (const name of ['leaves', 'hashes-0']) {
    const file = path.join(folder, 'proof', name);
    for (let cut = before.get(file)?.length ?? 0; cut <= (after.get(file)?.length ?? 0); cut += 1) {
      for (const [one, bytes] of before) writeFileSync(one, bytes);
      if (name !== 'leaves') copyOf(after, path.join(folder, 'proof', 'leaves'));
      writeFileSync(file, after.get(file)?.subarray(0, cut) ?? '');
      const again = await openLog(folder);
      expect(again.served.checkpoint()).toBe(note);
      // Another leaf than before: nobody has seen a checkpoint of that one.
      await add(again, 999);
      expect(sizeOf(again, folder)).toBe(258);
      await again.stop();
      cuts += 1;
    }
  }
  expect(cuts).toBeGreaterThan(140);
  // When the signature is on the disk the leaf is as well, also with hashes that were lost.
  for (const cut of [0, 1, 31, 32 * 200, 32 * 258]) {
    for (const [one, bytes] of after) writeFileSync(one, bytes);
    truncateSync(path.join(folder, 'proof', 'hashes-0'), cut);
    const again = await openLog(folder);
    expect(sizeOf(again, folder)).toBe(258);
    await add(again, 1_000);
    await again.stop();
  }
});

function filesOf(folder: string): string[] {
  const names = readdirSync(path.join(folder, 'proof')).map((name) =>
    path.join(folder, 'proof', name),
  );
  return [...names, path.join(folder, 'key.signed')];
}

function copyOf(files: ReadonlyMap<string, Buffer>, file: string): void {
  writeFileSync(file, files.get(file) ?? '');
}

test('a log that the key has not signed is refused', async () => {
  const folder = newFolder();
  const log = await openLog(folder);
  for (let second = 1; second <= 5; second += 1) await add(log, second);
  await log.stop();
  const leaves = path.join(folder, 'proof', 'leaves');
  const bytes = readFileSync(leaves);
  truncateSync(leaves, bytes.length - 1);
  await expect(openLog(folder)).rejects.toMatchObject({ code: 'PROOF_LOG_MISMATCH' });
  bytes.writeUInt8(1, 200);
  writeFileSync(leaves, bytes);
  rmSync(path.join(folder, 'proof', 'hashes-0'));
  await expect(openLog(folder)).rejects.toThrow(/other leaves than the key has signed/);
  writeFileSync(path.join(folder, 'key.signed'), 'a note of another key\n');
  await expect(openLog(folder)).rejects.toMatchObject({ code: 'MALFORMED_PROOF' });
});

test('a key with which another process signs is not used any more', async () => {
  const folder = newFolder();
  const failures: unknown[] = [];
  const log = await openLog(folder, (error) => void failures.push(error));
  await add(log, 1);
  const other = newFolder();
  for (const name of ['key', 'key.signed'])
    copyFileSync(path.join(folder, name), path.join(other, name));
  cpSync(path.join(folder, 'proof'), path.join(other, 'proof'), { recursive: true });
  const second = await openLog(other);
  await add(second, 2);
  copyFileSync(path.join(other, 'key.signed'), path.join(folder, 'key.signed'));
  const note = log.served.checkpoint();
  log.addLeaf({ epoch: 'e', slot: 3, tsMs: 3_000, entries: entry(0, 3) });
  log.addDigest({ tsMs: 3_000, sha256: new Uint8Array(32) });
  await expect.poll(() => failures).toMatchObject([{ code: 'PROOF_KEY_USED' }]);
  expect(log.served.checkpoint()).toBe(note);
  await log.stop();
  await second.stop();
});

test('a digest without a leaf, and a leaf without a digest, are passed over', async () => {
  const folder = newFolder();
  const log = await openLog(folder);
  log.addDigest({ tsMs: 500, sha256: new Uint8Array(32) });
  log.addLeaf({ epoch: 'e', slot: 1, tsMs: 900, entries: entry(0, 1) });
  await add(log, 1);
  expect(sizeOf(log, folder)).toBe(1);
  await log.stop();
});
