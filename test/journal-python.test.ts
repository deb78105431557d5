/** A reader of journals that was written from docs/journal.md alone, in another language, has the accounts' bytes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Core, JournalWriter } from '@slotbook/core';
import { PublicKey } from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import { RecordBatch } from '../src/engine/record-batch.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';

/** Debian's modules belong to its own Python, which need not be the first one on the path. */
const PYTHON = '/usr/bin/python3';
const READER = fileURLToPath(new URL('python/journal.py', import.meta.url));
const START = { slot: 31, unixSeconds: 1_800_000_000 };
const STEPS = 300;

const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
const unpacks = 'from unzstd import unpacker; unpacker()';
const env = { ...process.env, PYTHONPATH: path.dirname(READER) };
const canUnpack = spawnSync(PYTHON, ['-B', '-c', unpacks], { env }).status === 0;

afterAll(() => rmSync(folder, { recursive: true }));

const readJournal = (...args: string[]): string =>
  execFileSync(PYTHON, ['-B', READER, ...args], { encoding: 'utf8', stdio: 'pipe' });

/** The segments of a journal, and the last bytes of the accounts in it by their keys. */
function writeJournal(): { readonly files: string[]; readonly last: Map<string, Buffer> } {
  const core = new Core(PROGRAM_ID, 'e1');
  const life = new MarketSimulator({ seed: 3, makers: 10 });
  const writer = new JournalWriter(PROGRAM_ID);
  const [log, batch, last] = [Buffer.alloc(8 << 20), new RecordBatch(), new Map<string, Buffer>()];
  const endTurn = (writes: readonly AccountWrite[], slot: number, step: number): void => {
    for (const { pubkey, owner, data } of writes) {
      batch.addAccount({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
      last.set(pubkey, Buffer.from(data));
    }
    core.setClock(slot, START.unixSeconds);
    core.endTurn(
      batch.buffer,
      batch.length,
      START.unixSeconds * 1_000 + step,
      Buffer.alloc(17_000),
    );
    batch.clear();
  };
  core.startJournal();
  endTurn(life.createGenesis(START), START.slot, 0);
  for (let step = 1; step <= STEPS; step += 1) {
    const slot = START.slot + Math.floor(step / 20);
    if (step === STEPS / 2) core.markCheckpoint();
    endTurn(life.nextWrites({ slot, unixSeconds: START.unixSeconds }), slot, step);
  }
  expect(writer.append(log.subarray(0, core.takeJournal(log)), 5)).toBeNull();
  writer.flush();
  const segments: Buffer[][] = [];
  for (let piece = writer.takePiece(); piece !== null; piece = writer.takePiece()) {
    segments[piece.segment - 1] = [...(segments[piece.segment - 1] ?? []), piece.bytes];
  }
  const files = segments.map((_, index) => path.join(folder, `${index}`));
  segments.forEach((pieces, index) => {
    writeFileSync(files[index] ?? '', Buffer.concat(pieces));
  });
  return { files, last };
}

test('a Python reader rebuilds the bytes of every account', (context) => {
  context.skip(!canUnpack, 'skipped: needs libzstd1, or the package zstandard of Python');
  const { files, last } = writeJournal();
  const [, second = ''] = files;
  const read = JSON.parse(readJournal(second));
  expect(read.head).toMatchObject({ createdMs: 5, epoch: 'e1', slot: 38 });
  expect(read.records).toMatchObject({ head: 1, state: 1, turnEnd: STEPS / 2 });
  const keyOf = (pubkey: string) => new PublicKey(pubkey).toBuffer().toString('hex');
  const held = [...last].filter(([pubkey]) => keyOf(pubkey) in read.accounts);
  const hashOf = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  expect(Object.fromEntries(held.map(([key, data]) => [keyOf(key), hashOf(data)]))).toEqual(
    read.accounts,
  );
  expect(held.length).toBeGreaterThan(15);
  const [[pubkey = '', data] = []] = held;
  expect(readJournal(second, keyOf(pubkey)).trim()).toBe(data?.toString('base64'));
  // A loss of power leaves zeros behind what was synced; within good blocks they are damage.
  const bytes = readFileSync(second);
  writeFileSync(second, Buffer.concat([bytes, Buffer.alloc(999)]));
  expect(JSON.parse(readJournal(second))).toEqual(read);
  writeFileSync(second, bytes.fill(0, 400, 410));
  expect(() => readJournal(second)).toThrow(/the block at byte \d+ does not check/);
});
