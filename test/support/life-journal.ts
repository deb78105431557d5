/** A journal of a seeded life without a chain, for `slotbook replay`. */
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../src/engine/engine.js';
import { JournalWriter } from '../../src/engine/journal-writer.js';
import { PublishMarks } from '../../src/feed/model/publish-marks.js';
import { segmentName } from '../../src/journal/store/segment-name.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import {
  type AccountWrite,
  MarketSimulator,
  type SimulatorClock,
} from '../../src/sim/market/market-simulator.js';

const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
const SLOT_MS = 400;
const WRITE_BYTES = 16 * 1024 * 1024;
/** The default of a service. */
const STREAM_INTERVAL_MS = 10;
const MAKERS = 10;

/** A journal's folder while it is written; the owner sets the time. */
export class LifeJournal {
  /** When the next turn ends, since the beginning. */
  atMs = 0;
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: 'first' });
  readonly life: MarketSimulator;
  readonly #folder: string;
  readonly #writer = new JournalWriter(PROGRAM_ID);
  readonly #marks: PublishMarks;

  private constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.life = new MarketSimulator({ seed, makers: MAKERS, statusChanges: 'some' });
    this.#marks = new PublishMarks({
      streamIntervalMs: STREAM_INTERVAL_MS,
      // Waiting data is written in a later turn, and another turn always follows.
      timers: { nowMs: () => this.atMs, after: () => ({ cancel: () => undefined }) },
      onDue: () => undefined,
    });
  }

  /** Begins with the first state of a life, live, in a folder that it makes. */
  static begin(folder: string, seed: number): LifeJournal {
    mkdirSync(folder);
    const journal = new LifeJournal(folder, seed);
    journal.engine.turnLog.start();
    journal.engine.setState('live');
    journal.turn(journal.life.createGenesis(journal.clock));
    return journal;
  }

  /** The chain's time now. */
  get clock(): SimulatorClock {
    const slots = Math.floor(this.atMs / SLOT_MS);
    return { slot: START_SLOT + slots, unixSeconds: START_S + Math.floor(this.atMs / 1_000) };
  }

  /** One turn with these accounts. */
  turn(writes: readonly AccountWrite[]): void {
    const { slot, unixSeconds } = this.clock;
    this.engine.setClock(slot, unixSeconds);
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      this.engine.push({ pubkey, owner, slot, data: text, encoding: 'base64' });
    }
    const changes = this.engine.endTurn(START_S * 1_000 + Math.floor(this.atMs));
    this.engine.turnLog.markPublished(this.#marks.takeMark(changes));
    if (this.engine.turnLog.waitingBytes() > WRITE_BYTES) this.write();
  }

  /** Time in which only slots come. */
  pause(ms: number): void {
    for (const endMs = this.atMs + ms; this.atMs < endMs; ) {
      this.atMs = Math.min(endMs, this.atMs + SLOT_MS / 2);
      this.turn([]);
    }
  }

  /** Writes all turns that wait. */
  write(): void {
    const { turnLog } = this.engine;
    for (let log = turnLog.take(); log !== null; log = turnLog.take()) this.#writer.append(log, 0);
    this.#writer.flush();
    for (const { segment, bytes } of this.#writer.takePieces()) {
      appendFileSync(path.join(this.#folder, segmentName(segment)), bytes);
    }
  }
}
