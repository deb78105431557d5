import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newSigningKey, Signer } from '../proof/note.js';
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

test('services are compared for whole seconds', async () => {
  const key = Signer.read(newSigningKey('book.example.com/log')).verifierKey;
  const flags = { log: 'http://127.0.0.1:1', key, seconds: 'soon' };
  await expect(verifySignedLog(flags, { write: () => undefined })).rejects.toThrow(
    '--seconds was soon, must be 1 to 3600',
  );
});
