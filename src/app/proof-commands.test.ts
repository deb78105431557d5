import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newSigningKey, Signer } from '../proof/note.js';
import { ProofLog } from '../proof/proof-log.js';
import { FakeBook, startServer } from '../server/testing/running-server.js';
import { verifySignedLog, writeSigningKey } from './proof-commands.js';

test('keygen writes a key that nobody else reads, and never over another one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-keygen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'key');
  let printed = '';
  const output = {
    write: (text: string) => {
      printed += text;
    },
  };
  writeSigningKey('book.example.com/log', file, output);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(printed).toBe(`${Signer.read(readFileSync(file, 'utf8')).verifierKey}\n`);
  expect(printed).not.toContain('PRIVATE');
  expect(() => writeSigningKey('other', file, output)).toThrow(/EEXIST/);
});

test('a log is checked with an address and its key alone', async () => {
  const output = { write: () => undefined };
  for (const flags of [{ log: 'http://x' }, { log: 'x', key: 'k' }]) {
    await expect(verifySignedLog(flags, output)).rejects.toThrow(/--log must be the address/);
  }
});

test('with --json each finding is an object in a line', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-findings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keyFile = path.join(folder, 'key');
  writeSigningKey('book.example.com/log', keyFile, { write: () => undefined });
  const onFailed = (error: unknown): never => {
    throw error;
  };
  const log = new ProofLog({ keyFile, folder: path.join(folder, 'proof'), onFailed });
  await log.open();
  onTestFinished(() => log.stop());
  log.addLeaf({ epoch: 'e', slot: 1, tsMs: 1_000, entries: new Uint8Array() });
  log.addDigest({ tsMs: 1_000, sha256: new Uint8Array(32) });
  await expect.poll(() => log.served.checkpoint()).not.toBeNull();
  const server = await startServer(new FakeBook(), { proofs: log.served });
  onTestFinished(() => server.close());
  const printed: string[] = [];
  const flags = { log: server.url, key: log.verifierKey, kept: path.join(folder, 'kept') };
  const output = { write: (text: string) => void printed.push(text) };
  expect(await verifySignedLog({ ...flags, json: true }, output)).toBe(true);
  expect(await verifySignedLog(flags, output)).toBe(true);
  const text = 'log: 1 leaves, 1 of them new, signed and grown';
  expect(printed).toEqual([
    `${JSON.stringify({ finding: 'log', text })}\n`,
    'log: 1 leaves, 0 of them new, signed and grown\n',
  ]);
});

test('services are compared for whole seconds', async () => {
  const key = Signer.read(newSigningKey('book.example.com/log')).verifierKey;
  const flags = { log: 'http://127.0.0.1:1', key, seconds: 'soon' };
  await expect(verifySignedLog(flags, { write: () => undefined })).rejects.toThrow(
    '--seconds was soon, must be 1 to 3600',
  );
});
