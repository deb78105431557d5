/** A journal of a living market makes the book of every turn again, from each of its segments. */

import { Core, decodeSnapshot, JournalReader, JournalWriter } from '@slotbook/core/native';
import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { MarketSimulator } from '../sim/market/market-simulator.js';
import { packQuotes } from './indicative.js';
import { matchOptions } from './match.js';
import { RecordBatch } from './record-batch.js';
import { PROGRAM } from './testing.js';

const START = { slot: 31, unixSeconds: 1_800_000_000 };
const START_MS = START.unixSeconds * 1000;
const MAKER = '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p';

const out = Buffer.alloc(1 << 20);
const report = Buffer.alloc(4 * 4_200);

/** All that a core shows of its markets, as one text. */
function shownBy(core: Core): string {
  const markets = JSON.parse(core.markets()) as readonly { readonly id: number }[];
  const version = Buffer.alloc(32);
  const texts = markets.flatMap(({ id }) => {
    expect(core.version(id, version)).toBe(true);
    const order = { market: id, side: 'buy', orderType: 'market', size: 9_000_000_000n } as const;
    const renderers = [
      () => core.l2(id, 1_000, 0, 3, out),
      () => core.l3(id, 0, '', 3, out),
      () => core.auctions(id, out),
      () => core.matchOrder(matchOptions({ ...order, includeIndicative: true }), out),
    ];
    const bodies = renderers.map((render) => out.toString('latin1', 0, render()));
    return [new Float64Array(version.buffer, version.byteOffset, 4).join(' '), ...bodies];
  });
  return [core.markets(), core.stateHash(), core.openOrders(MAKER), ...texts].join('\n');
}

/** A core with every kind of change, its journal, and the shown texts at some of its turns. */
class JournalledLife {
  readonly core = new Core(PROGRAM, 'e1');
  /** The shown text by the time of the turn. */
  readonly shown = new Map<number, string>();
  readonly #writer = new JournalWriter(PROGRAM);
  readonly #batch = new RecordBatch();
  readonly #market = new MarketSimulator({ seed: 7, makers: 12 });
  readonly #accounts = new Map<string, RawAccount>();
  readonly files: Buffer[] = [];
  #log = Buffer.alloc(1 << 16);
  #slot = START.slot;
  tsMs = START_MS;

  constructor() {
    expect(this.core.startJournal()).toBe(true);
    this.#push(this.#market.createGenesis(START), START.slot);
    this.core.setClock(START.slot, START.unixSeconds);
    this.core.setState(1);
    this.endTurn();
  }

  /** Makes one change of the market and ends the turn. */
  step(step: number): void {
    this.#slot = START.slot + Math.floor(step / 5);
    const unixSeconds = START.unixSeconds + Math.floor((this.#slot - START.slot) * 0.4);
    this.#push(this.#market.nextWrites({ slot: this.#slot, unixSeconds }), this.#slot);
    this.#applyBatch();
    this.core.setClock(this.#slot, unixSeconds);
    this.#quote(step);
    if (step % 31 === 0) this.#batch.addClosed(this.#someUser(step), this.#slot);
    if (step % 37 === 0) this.#damage(this.#someUser(step));
    if (step % 41 === 0) this.core.setState(step % 4);
    if (step % 67 === 0) this.core.markCheckpoint();
    if (step % 151 === 0) this.core.setEpoch(`e${step}`);
    this.endTurn();
    if (step % 3 === 0) this.core.markPublished(Buffer.from([0, 0, step % 8]));
    if (step % 5 === 0) this.take();
  }

  /** Reads a snapshot in which one user is missing and another user is older. */
  async readSnapshot(replaces: boolean): Promise<void> {
    this.#applyBatch();
    if (replaces) this.core.setState(0);
    const users = [...this.#accounts.values()];
    const value = users.slice(1).map(({ pubkey, owner, data }) => ({
      pubkey,
      account: { lamports: 1, data: [data, 'base64'], owner, rentEpoch: 0 },
    }));
    const slot = this.#slot + (replaces ? -1 : 1);
    const body = { jsonrpc: '2.0', id: 1, result: { context: { slot }, value } };
    const snapshot = await decodeSnapshot(Buffer.from(JSON.stringify(body)), []);
    this.core.beginSnapshot(slot);
    for (let from = 0; from < snapshot.count; from += 8) {
      this.core.applySnapshot(snapshot, from, 8);
      this.core.markCheckpoint();
      this.endTurn();
    }
    this.core.endSnapshot(report);
    this.core.setState(1);
    this.endTurn();
  }

  endTurn(): void {
    this.tsMs += 10;
    expect(this.core.endTurn(this.#batch.buffer, this.#batch.length, this.tsMs, report)).not.toBe(
      0,
    );
    this.#batch.clear();
    this.shown.set(this.tsMs, shownBy(this.core));
  }

  /** Passes the waiting turns to the writer, and the writer's pieces to the files. */
  take(): void {
    const length = this.core.takeJournal(this.#log);
    if (length < 0) {
      this.#log = Buffer.alloc(-length);
      this.take();
      return;
    }
    expect(this.#writer.append(this.#log.subarray(0, length), this.tsMs)).toBeNull();
    expect(this.#writer.flush()).toBeNull();
    for (let piece = this.#writer.takePiece(); piece !== null; piece = this.#writer.takePiece()) {
      const file = this.files[piece.segment - 1] ?? Buffer.alloc(0);
      this.files[piece.segment - 1] = Buffer.concat([file, piece.bytes]);
    }
  }

  #push(writes: ReturnType<MarketSimulator['nextWrites']>, slot: number): void {
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      const account = { pubkey, owner, slot, data: text, encoding: 'base64' } as const;
      this.#accounts.set(pubkey, account);
      this.#batch.addAccount(account);
    }
  }

  #applyBatch(): void {
    this.core.apply(this.#batch.buffer, this.#batch.length);
    this.#batch.clear();
  }

  #quote(step: number): void {
    this.core.setIndicativeImprove(step % 20 < 10);
    const side = { price: 100_000_000n + BigInt(step), size: 3_000_000_000n };
    const quotes = packQuotes([{ bid: side, ask: null, isOracleOffset: false }]);
    this.core.setIndicative(step % 3, MAKER, quotes, this.tsMs - (step % 900));
    const level = Buffer.from(BigUint64Array.of(100_000_000n, 5_000_000_000n).buffer);
    for (const market of [0, 1, 2, 3]) this.core.setExternalLevels(market, level, Buffer.alloc(0));
  }

  #damage(pubkey: string): void {
    const account = this.#accounts.get(pubkey);
    if (account !== undefined) this.#batch.addAccount({ ...account, data: '!!!!' });
  }

  #someUser(step: number): string {
    return this.#market.makers[step % this.#market.makers.length]?.pubkey ?? '';
  }
}

/**
 * Reads a segment into a new core and compares the shown text after each turn; returns the times of
 * the turns.
 */
function replay(file: Buffer, shown: ReadonlyMap<number, string>): readonly number[] {
  const core = new Core(PROGRAM, 'other');
  const reader = new JournalReader(PROGRAM);
  const times: number[] = [];
  for (let at = 0; at < file.length; at += 1_000) {
    reader.push(file.subarray(at, at + 1_000));
    for (
      let code = reader.readTurn(core, report);
      code !== 0;
      code = reader.readTurn(core, report)
    ) {
      expect([reader.problem(), code > 0]).toEqual([null, true]);
      const { tsMs } = reader.position();
      if (code === 1) times.push(tsMs);
      if (shown.has(tsMs)) expect(shownBy(core)).toBe(shown.get(tsMs));
    }
  }
  expect(reader.position()).toMatchObject({ position: file.length, waiting: 0 });
  return times;
}

describe('engine: the journal of a living market', () => {
  test('every turn of every segment shows again what it showed', async () => {
    const life = new JournalledLife();
    for (let step = 1; step <= 400; step += 1) {
      life.step(step);
      if (step % 90 === 0) await life.readSnapshot(step % 180 === 0);
    }
    life.take();
    expect(life.files.length).toBeGreaterThan(10);
    const times = life.files.flatMap((file) => replay(file, life.shown));
    // The journal omits turns without changes; a late mark is a separate turn.
    expect(new Set(times).size).toBeGreaterThan(400);
    expect(times.filter((tsMs) => !life.shown.has(tsMs))).toEqual([]);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(times.at(-1)).toBe(life.tsMs);
  });

  test('reading stops at a slot, a time, a sequence number and a count of turns', () => {
    const life = new JournalledLife();
    for (let step = 1; step <= 40; step += 1) life.step(step);
    life.take();
    const [file = Buffer.alloc(0)] = life.files;
    const readTo = (until: object): readonly number[] => {
      const core = new Core(PROGRAM, 'other');
      const reader = new JournalReader(PROGRAM);
      reader.push(file);
      expect(reader.readTo(core, until)).toBe(2);
      const code = reader.readTo(core, until);
      const { slot, tsMs, turns } = reader.position();
      expect(turns === 0 || shownBy(core) === life.shown.get(tsMs)).toBe(true);
      const version = new Float64Array(4);
      core.version(0, Buffer.from(version.buffer));
      return [code, slot, tsMs, turns, version[0] ?? 0];
    };
    expect(readTo({})[0]).toBe(0);
    expect(readTo({ slotMax: 33 }).slice(0, 2)).toEqual([3, 33]);
    expect(readTo({ tsMsMax: START_MS + 109 }).slice(0, 3)).toEqual([3, 32, START_MS + 100]);
    expect(readTo({ turnsMax: 7 }).at(3)).toBe(7);
    expect(readTo({ market: 0, seq: 9 }).at(4)).toBe(9);
  });

  test('a replay that departs from the book stops at the next hashes', () => {
    const life = new JournalledLife();
    for (let step = 1; step <= 150; step += 1) life.step(step);
    life.take();
    const core = new Core(PROGRAM, 'other');
    const reader = new JournalReader(PROGRAM);
    reader.push(life.files[1] ?? Buffer.alloc(0));
    expect([reader.readTo(core, {}), reader.readTo(core, { turnsMax: 3 })]).toEqual([2, 3]);
    const quote = { bid: { price: 90_000_000n, size: 5_000_000_000n }, ask: null };
    const quotes = packQuotes([{ ...quote, isOracleOffset: false }]);
    expect(core.setIndicative(0, PROGRAM, quotes, reader.position().tsMs)).toBe(1);
    expect(reader.readTo(core, {})).toBe(-1);
    expect(reader.problem()).toMatchObject({ code: 'JOURNAL_HASH_MISMATCH' });
    expect(reader.problem()?.message).toMatch(/at slot \d+, \d+ ms/);
    expect(reader.readTurn(core, report)).toBe(-1);
  });

  test('a log is of a book from its first account on, and none is kept without one', () => {
    const life = new JournalledLife();
    expect(life.core.startJournal()).toBe(false);
    life.core.stopJournal();
    life.step(1);
    expect([life.core.journalBytes(), life.core.takeJournal(out)]).toEqual([0, 0]);
    expect(life.files).toEqual([]);
  });

  test('a turn without input leaves nothing behind, but for what it publishes', () => {
    const core = new Core(PROGRAM, 'e1');
    core.startJournal();
    core.takeJournal(out);
    core.setClock(5, 6);
    core.endTurn(Buffer.alloc(0), 0, 7, report);
    expect(core.takeJournal(out)).toBeGreaterThan(0);
    core.setClock(5, 6);
    core.endTurn(Buffer.alloc(0), 0, 8, report);
    expect(core.takeJournal(out)).toBe(0);
    core.markPublished(Buffer.from([1, 0, 2]));
    expect(core.takeJournal(Buffer.alloc(3))).toBeLessThan(-3);
    expect(core.takeJournal(out)).toBeGreaterThan(0);
    expect(core.journalBytes()).toBe(0);
  });

  test('a segment of another program is refused, and a spoilt one says where', () => {
    const life = new JournalledLife();
    life.take();
    const [file = Buffer.alloc(0)] = life.files;
    const problemOf = (program: string, bytes: Buffer) => {
      const reader = new JournalReader(program);
      reader.push(bytes);
      const core = new Core(program, 'e1');
      while (reader.readTurn(core, report) > 0);
      return reader.finish();
    };
    expect(problemOf(PROGRAM, file)).toBeNull();
    expect(problemOf(MAKER, file)?.code).toBe('JOURNAL_PROGRAM_MISMATCH');
    const spoilt = Buffer.from(file);
    spoilt.writeUInt8(file.readUInt8(file.length - 1) ^ 1, file.length - 1);
    expect(problemOf(PROGRAM, spoilt)?.code).toBe('JOURNAL_CRC_MISMATCH');
    expect(problemOf(PROGRAM, spoilt)?.position).toBeGreaterThan(20);
  });
});
