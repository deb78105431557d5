/** Go's own packages for signed logs, which others wrote, read a log over HTTP. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ENTRY_BYTES } from '../../src/proof/leaf.js';
import { newSigningKey } from '../../src/proof/note.js';
import { ProofLog } from '../../src/proof/proof-log.js';
import { FakeBook, startServer } from '../../src/server/testing/running-server.js';

/** A compiler on a busy machine has much of it. */
const TIMEOUT = { timeout: 900_000 };
/** Where Go's own packages put it, which need not be on the path. */
const GO = ['go', '/usr/local/go/bin/go'].find(
  (command) => spawnSync(command, ['version'], { stdio: 'ignore' }).status === 0,
);
const LEAVES = 700;
const run = promisify(execFile);
const cwd = fileURLToPath(new URL('../clients-go/proof', import.meta.url));

test(
  'sumdb/tlog and note of Go check every leaf, every prefix and a market',
  TIMEOUT,
  async (context) => {
    if (GO === undefined) context.skip('needs go');
    const folder = mkdtempSync(path.join(tmpdir(), 'proof-go-'));
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const keyFile = path.join(folder, 'key');
    writeFileSync(keyFile, newSigningKey('book.example.com/log'));
    const log = new ProofLog({ keyFile, folder: path.join(folder, 'proof'), onFailed: () => {} });
    await log.open();
    for (let second = 1; second <= LEAVES; second += 1) {
      const entries = Buffer.alloc(3 * ENTRY_BYTES, second & 255);
      for (let at = 0; at < 3; at += 1) {
        entries.writeUIntBE(at, at * ENTRY_BYTES, 3);
        entries.writeBigUInt64BE(BigInt(second), at * ENTRY_BYTES + 3);
      }
      const tsMs = second * 1_000;
      const note = log.served.checkpoint();
      log.addLeaf({ epoch: 'e', slot: second, tsMs, entries });
      log.addDigest({ tsMs, sha256: new Uint8Array(32) });
      while (log.served.checkpoint() === note) await new Promise(setImmediate);
    }
    const server = await startServer(new FakeBook(), { proofs: log.served });
    context.onTestFinished(() => server.close());
    context.onTestFinished(() => log.stop());
    const checker = path.join(folder, 'checker');
    const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
    await run(GO ?? '', ['build', '-o', checker, '.'], { cwd, env });
    const { stdout } = await run(checker, [server.url, log.verifierKey]);
    expect(JSON.parse(stdout)).toMatchObject({ size: LEAVES, leaves: LEAVES, market: true });
    const other = newSigningKey('book.example.com/log').replace('PRIVATE+KEY+', '');
    await expect(run(checker, [server.url, other])).rejects.toThrow(/invalid verifier|verif/);
  },
);
