import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifyProof } from '../client/proof/verify-proof.js';
import type {
  SharedLeaf,
  SharedLog,
  SharedPlace,
  SharedProof,
  WriterPlace,
} from '../contract/shared-log.js';
import { FollowedLog } from './followed-log.js';
import { ENTRY_BYTES } from './leaf.js';
import { newSigningKey, Signer } from './note.js';
import { ProofLog } from './proof-log.js';
import { ServedLog } from './served-log.js';

const KEY = newSigningKey('log');
const { verifier, verifierKey } = Signer.read(KEY);

/** A stream that many read. */
class MemoryStream<Content> {
  readonly messages: Content[] = [];
  #waiting: (() => void)[] = [];

  push(message: Content): number {
    this.messages.push(message);
    this.wake();
    return this.messages.length;
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async *read(from: number, hasEnded: () => boolean): AsyncGenerator<Content & SharedPlace> {
    for (let at = from; !hasEnded(); ) {
      const message = this.messages[at];
      if (message === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
        continue;
      }
      at += 1;
      yield { ...message, sequence: at, waiting: this.messages.length - at };
    }
  }
}

/** The streams, and the only writer they have. */
class Streams {
  readonly leaves = new MemoryStream<SharedLeaf>();
  readonly proofs = new MemoryStream<SharedProof>();
  writer: MemberLog | null = null;
}

/** The streams as one service reaches them. */
class MemberLog implements SharedLog {
  readonly #streams: Streams;
  #hasEnded = false;
  /** Called after a leaf is stored. */
  onAppended = (): void => undefined;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  lockFolder(): void {}

  readLeaves(from: number): AsyncIterable<SharedLeaf & SharedPlace> {
    return this.#streams.leaves.read(from, () => this.#hasEnded);
  }

  readProofs(): AsyncIterable<SharedProof & SharedPlace> {
    return this.#streams.proofs.read(0, () => this.#hasEnded);
  }

  async claim(): Promise<WriterPlace> {
    this.#streams.writer = this;
    const leaves = this.#streams.leaves.push({ index: 0, bytes: new Uint8Array() });
    const none = { note: '', index: 0, entries: new Uint8Array() };
    return { leaves, proofs: this.#streams.proofs.push(none) };
  }

  async appendLeaf(index: number, bytes: Uint8Array): Promise<void> {
    this.#requireWriter();
    this.#streams.leaves.push({ index, bytes });
    this.onAppended();
  }

  async appendProof(proof: SharedProof): Promise<void> {
    this.#requireWriter();
    this.#streams.proofs.push(proof);
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    this.#streams.leaves.wake();
    this.#streams.proofs.wake();
  }

  #requireWriter(): void {
    if (this.#streams.writer !== this) throw new Error('LOG_FENCED');
  }
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'key'), KEY);
  return folder;
}

/** A core with an own copy. */
async function newCore(streams: Streams, folder = newFolder()) {
  const shared = new MemberLog(streams);
  const failures: string[] = [];
  const onFailed = (error: unknown): void => void failures.push(String(error));
  const proof = path.join(folder, 'proof');
  const log = new ProofLog({ keyFile: path.join(folder, 'key'), folder: proof, shared, onFailed });
  await log.open();
  onTestFinished(() => log.stop());
  const sizeSigned = (): number =>
    verifier.openCheckpoint(readFileSync(path.join(folder, 'key.signed'), 'utf8')).size;
  return { log, shared, failures, folder, sizeSigned };
}

async function newEdge(streams: Streams, folder = newFolder()) {
  const noteFile = path.join(folder, 'checkpoint');
  const served = new ServedLog({ folder: path.join(folder, 'proof'), noteFile, verifier });
  const onFailed = (error: unknown): never => {
    throw error;
  };
  const shared = new MemberLog(streams);
  const followed = new FollowedLog({ served, shared, verifier, onFailed });
  await followed.open();
  onTestFinished(() => followed.close());
  return { served, close: () => followed.close() };
}

/** Adds the leaf of a second, whose only entry has this number. */
function add({ log }: { readonly log: ProofLog }, second: number, epoch = 'e'): void {
  const entries = Buffer.alloc(ENTRY_BYTES, second);
  entries.writeUIntBE(0, 0, 3);
  entries.writeBigUInt64BE(BigInt(second), 3);
  const tsMs = second * 1_000;
  log.addLeaf({ epoch, slot: second, tsMs, entries });
  log.addDigest({ tsMs, sha256: new Uint8Array(32).fill(second) });
}

const sizeOf = (log: ServedLog): number => {
  const note = log.checkpoint();
  return note === null ? 0 : verifier.openCheckpoint(note).size;
};

const MARKET = { marketType: 'perp', marketIndex: 0 } as const;

test('what one writer appends, all copies serve with its proofs', async () => {
  const streams = new Streams();
  const [core, edge] = [await newCore(streams), await newEdge(streams)];
  for (let second = 1; second <= 5; second += 1) add(core, second);
  for (const log of [edge.served, core.log.served]) {
    await expect.poll(() => sizeOf(log)).toBe(5);
    for (const second of [1, 4, 5]) {
      const proof = log.findProof(MARKET, { seq: second });
      if (proof === null) throw new Error('there is no proof');
      expect(await verifyProof(proof, verifierKey)).toMatchObject({ seq: second, size: 5 });
    }
  }
  const late = await newEdge(streams);
  await expect.poll(() => sizeOf(late.served)).toBe(5);
  const tile = { level: 'entries', index: 0, width: 5 } as const;
  expect(late.served.readTile(tile)).toEqual(edge.served.readTile(tile));
});

test('a copy goes on where it was, also when its files are gone', async () => {
  const streams = new Streams();
  const core = await newCore(streams);
  const folder = newFolder();
  for (let second = 1; second <= 3; second += 1) add(core, second);
  const first = await newEdge(streams, folder);
  await expect.poll(() => sizeOf(first.served)).toBe(3);
  await first.close();
  add(core, 4);
  const second = await newEdge(streams, folder);
  await expect.poll(() => sizeOf(second.served)).toBe(4);
  await second.close();
  rmSync(path.join(folder, 'proof'), { recursive: true });
  const third = await newEdge(streams, folder);
  await expect.poll(() => sizeOf(third.served)).toBe(4);
});

test('the next writer signs over a leaf that was appended and never signed', async () => {
  const streams = new Streams();
  const first = await newCore(streams);
  for (let second = 1; second <= 3; second += 1) add(first, second);
  await expect.poll(first.sizeSigned).toBe(3);
  const standby = await newCore(streams);
  // As of a core that is killed between the two.
  first.shared.onAppended = () => {
    throw new Error('killed');
  };
  add(first, 4);
  await expect.poll(() => first.failures).toEqual(['Error: killed']);
  expect(first.sizeSigned()).toBe(3);
  add(standby, 5);
  await expect.poll(standby.sizeSigned).toBe(5);
  const seqs = streams.leaves.messages
    .filter(({ bytes }) => bytes.length > 0)
    .map(({ bytes }) => bytes[39]);
  expect(seqs).toEqual([1, 2, 3, 4, 5]);
  await expect.poll(() => sizeOf(first.log.served)).toBe(5);
});

test('numbers of an epoch that has ended are not those of the next one', async () => {
  const streams = new Streams();
  const [first, second, edge] = [
    await newCore(streams),
    await newCore(streams),
    await newEdge(streams),
  ];
  for (const second of [5, 6]) add(first, second, 'before');
  await expect.poll(first.sizeSigned).toBe(2);
  add(second, 4, 'after');
  await expect.poll(() => sizeOf(edge.served)).toBe(3);
  expect(edge.served.findProof(MARKET, { seq: 4 })).toMatchObject({ index: 2 });
  expect(edge.served.findProof(MARKET, { seq: 5 })).toBeNull();
});

test('a writer that another one has replaced appends and signs nothing', async () => {
  const streams = new Streams();
  const [first, second] = [await newCore(streams), await newCore(streams)];
  add(first, 1);
  await expect.poll(first.sizeSigned).toBe(1);
  add(second, 2);
  await expect.poll(second.sizeSigned).toBe(2);
  add(first, 3);
  await expect.poll(() => first.failures).toEqual(['Error: LOG_FENCED']);
  expect(first.sizeSigned()).toBe(1);
  add(second, 4);
  await expect.poll(second.sizeSigned).toBe(3);
});

test('a key that has signed more leaves than the streams have, or others, signs nothing', async () => {
  const before = await newCore(new Streams());
  for (const second of [1, 2]) add(before, second);
  await expect.poll(before.sizeSigned).toBe(2);
  await before.log.stop();
  const shorter = await newCore(new Streams(), before.folder);
  add(shorter, 1);
  await expect.poll(() => String(shorter.failures)).toMatch(/NATS has 0 leaves at most, .* has 2/);
  // Without its copy it has its newest signature.
  await shorter.log.stop();
  rmSync(path.join(before.folder, 'proof'), { recursive: true });
  const empty = await newCore(new Streams(), before.folder);
  add(empty, 1);
  await expect
    .poll(() => String(empty.failures))
    .toMatch(/other leaves, or more: 2, of the log's 0/);
  await empty.log.stop();
  const streams = new Streams();
  const other = await newCore(streams);
  for (const second of [7, 8]) add(other, second);
  await expect.poll(other.sizeSigned).toBe(2);
  const again = await newCore(streams, before.folder);
  add(again, 9);
  await expect
    .poll(() => String(again.failures))
    .toMatch(/other leaves, or more: 2, of the log's 2/);
  expect(again.sizeSigned()).toBe(2);
});

test('a key signs nothing below a checkpoint that the streams have', async () => {
  const streams = new Streams();
  const note = Signer.read(KEY).signCheckpoint({ size: 3, root: new Uint8Array(32) });
  streams.proofs.push({ note, index: 2, entries: new Uint8Array() });
  const core = await newCore(streams);
  add(core, 1);
  await expect
    .poll(() => String(core.failures))
    .toMatch(/other leaves, or more: 3, of the log's 0/);
});

test('forged checkpoints and entries are passed', async () => {
  const streams = new Streams();
  const [core, edge] = [await newCore(streams), await newEdge(streams)];
  add(core, 1);
  await expect.poll(() => sizeOf(edge.served)).toBe(1);
  const stranger = Signer.read(newSigningKey('log'));
  const note = stranger.signCheckpoint({ size: 2, root: new Uint8Array(32) });
  const entries = Buffer.alloc(ENTRY_BYTES);
  streams.proofs.push({ note, index: 1, entries });
  add(core, 2);
  await expect.poll(() => sizeOf(edge.served)).toBe(2);
  expect(edge.served.findProof(MARKET, { seq: 0 })).toMatchObject({ index: 0 });
  // A copy that reads the forged entries of a leaf first has the right ones as well.
  const signed = edge.served.checkpoint() ?? '';
  streams.proofs.messages.unshift({ note: signed, index: 0, entries });
  const late = await newEdge(streams);
  await expect.poll(() => late.served.findProof(MARKET, { seq: 1 })?.index).toBe(0);
});

test('a log whose leaves are gone from the streams is not followed any more', async () => {
  const streams = new Streams();
  const core = await newCore(streams);
  streams.leaves.push({ index: 3, bytes: new Uint8Array(112) });
  await expect.poll(() => String(core.failures)).toMatch(/the leaves 0 to 2 are gone from NATS/);
});
