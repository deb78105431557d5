/**
 * A journal of millions of updates, made once into `bench/.data`: 10,000 makers of 20 orders in one market, each
 * update one or two orders at another price and of another size. A few makers do most of the quoting.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PublicKey } from '@solana/web3.js';
import { segmentName } from '../../dist/src/journal/store/segment-name.js';
import { segmentUpdatesMax } from '../../dist/src/journal/worker/service.js';
import { address, PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { marketAccount } from '../service/workload-book.mjs';
import { workloadFile } from './files.mjs';
import { readWorkload } from './read.mjs';
import { mulberry32 } from './mulberry32.mjs';

const { Core, JournalWriter } = createRequire(import.meta.url)('../../crates/node');
const here = path.dirname(fileURLToPath(import.meta.url));

const programKey = new PublicKey(PROGRAM_ID).toBytes();

export const WORKLOAD = 'powerlaw-10k-users';
/** Accounts of a turn, turns of a slot, and milliseconds of a turn: 1,000 updates a second. */
const TURN_ACCOUNTS = 4;
const SLOT_TURNS = 100;
const TURN_MS = 4;
/** Turns after which the log is handed to the writer, and its block sealed. */
const DRAIN_TURNS = 125;

/** Where fields lie in a user account. */
const AT = { orders: 1192, lastActiveSlot: 4328, nextOrderId: 4336 };
const ORDER = { bytes: 96, slot: 0, price: 8, size: 16, id: 76 };
const RECORD_HEAD_BYTES = 16;

/** The folder of a journal with this many updates after the load, and its facts. */
export function journalFolder(updates) {
  const folder = path.join(here, '..', '.data', `journal-${updates}`);
  const facts = path.join(folder, 'facts.json');
  if (existsSync(facts)) return { folder, ...JSON.parse(readFileSync(facts, 'utf8')) };
  const unfinished = `${folder}.tmp`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const made = new JournalMaker(unfinished).make(updates);
  writeFileSync(path.join(unfinished, 'facts.json'), JSON.stringify(made));
  renameSync(unfinished, folder);
  return { folder, ...made };
}

class JournalMaker {
  #folder;
  #core = new Core(PROGRAM_ID, 'bench');
  #writer = new JournalWriter(PROGRAM_ID);
  #report = Buffer.alloc(4 * 4_200);
  #log = Buffer.alloc(128 << 20);
  #batch = Buffer.alloc(16 << 20);
  #length = 0;
  #random = mulberry32(1);
  #askedSegment = 0;
  #recordBytes = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  make(updates) {
    const { config, load } = readWorkload(workloadFile(WORKLOAD));
    const users = load.filter(({ kind }) => kind === 'account');
    const startMs = config.ts * 1_000;
    this.#core.startJournal();
    this.#core.setState(1);
    const clock = { slot: BigInt(config.slot), unixSeconds: BigInt(config.ts) };
    this.#push(new PublicKey(address.perpMarket(0)).toBytes(), marketAccount(config, 0, clock), config.slot);
    for (const { key, data } of users) this.#push(key, data, config.slot);
    this.#endTurn(config.slot, startMs);
    const turns = Math.ceil(updates / TURN_ACCOUNTS);
    for (let turn = 1; turn <= turns; turn += 1) {
      const slot = config.slot + Math.floor(turn / SLOT_TURNS);
      for (let count = 0; count < TURN_ACCOUNTS; count += 1) this.#pushRequote(users, config, slot);
      this.#endTurn(slot, startMs + turn * TURN_MS);
      if (turn % DRAIN_TURNS === 0) this.#drain();
    }
    this.#drain();
    const lastMs = startMs + turns * TURN_MS;
    const recordBytes = [...this.#recordBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    return { updates: turns * TURN_ACCOUNTS, startMs, lastMs, turnMs: TURN_MS, recordBytes };
  }

  #pushRequote(users, config, slot) {
    const { key, data } = users[Math.floor(users.length * this.#random() ** 2)];
    const changes = 1 + this.#below(2);
    for (let change = 0; change < changes; change += 1) {
      const at = AT.orders + ORDER.bytes * this.#below(config.orders);
      const price = data.readBigUInt64LE(at + ORDER.price);
      const ticks = BigInt(config.tick * (this.#below(21) - 10));
      // An order at an offset from the oracle has no price of its own.
      if (price > 0n) data.writeBigUInt64LE(price + ticks, at + ORDER.price);
      data.writeBigUInt64LE(BigInt(config.step * (1 + this.#below(200))), at + ORDER.size);
      data.writeBigUInt64LE(BigInt(slot), at + ORDER.slot);
      const id = data.readUInt32LE(AT.nextOrderId);
      data.writeUInt32LE(id, at + ORDER.id);
      data.writeUInt32LE(id + 1, AT.nextOrderId);
    }
    data.writeBigUInt64LE(BigInt(slot), AT.lastActiveSlot);
    this.#push(key, data, slot);
  }

  /** Appends an account as the core takes it in binary form. */
  #push(key, data, slot) {
    const bytes = RECORD_HEAD_BYTES + 2 * programKey.length + data.length;
    if (this.#length + bytes > this.#batch.length) this.#apply();
    const record = this.#batch.subarray(this.#length, this.#length + bytes);
    record.fill(0, 0, RECORD_HEAD_BYTES);
    record.writeUInt32LE(bytes - 4, 0);
    record.writeUInt8(programKey.length, 6);
    record.writeUInt8(programKey.length, 7);
    record.writeBigUInt64LE(BigInt(slot), 8);
    record.set(key, RECORD_HEAD_BYTES);
    record.set(programKey, RECORD_HEAD_BYTES + programKey.length);
    record.set(data, RECORD_HEAD_BYTES + 2 * programKey.length);
    this.#length += bytes;
  }

  #apply() {
    this.#core.apply(this.#batch, this.#length);
    this.#length = 0;
  }

  #endTurn(slot, tsMs) {
    this.#apply();
    this.#core.setClock(slot, Math.floor(tsMs / 1_000));
    if (this.#core.endTurn(this.#batch, 0, tsMs, this.#report) < 0) throw new Error('no report');
  }

  /** Writes waiting turns, and starts a new segment when the service would. */
  #drain() {
    const length = this.#core.takeJournal(this.#log);
    const problem = this.#writer.append(this.#log.subarray(0, length), 0) ?? this.#writer.flush();
    if (length < 0 || problem !== null) throw new Error(`the log was lost: ${problem?.message}`);
    const { segment, updates, accounts, bytes, checkpointBytes } = this.#writer.status();
    this.#recordBytes.set(segment, bytes - checkpointBytes);
    for (let piece = this.#writer.takePiece(); piece !== null; piece = this.#writer.takePiece()) {
      writeFileSync(path.join(this.#folder, segmentName(piece.segment)), piece.bytes, { flag: 'a' });
    }
    // The first segment starts empty; the load comes first in it.
    const isFull = segment === 1 || updates >= segmentUpdatesMax(accounts);
    if (!isFull || this.#askedSegment === segment) return;
    this.#askedSegment = segment;
    this.#core.markCheckpoint();
  }

  #below(count) {
    return Math.floor(this.#random() * count);
  }
}
