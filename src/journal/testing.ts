/** Helpers of journal tests: a running engine, the thread's service under manual control, and its folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { Engine } from '../engine/engine.js';
import { JournalReader } from '../engine/journal-reader.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { FEW_MARKETS, type MarketPresets } from '../sim/bytes/market-presets.js';
import { type AccountWrite, MarketSimulator } from '../sim/market/market-simulator.js';
import { SEGMENT_MS_MAX } from './model/limits.js';
import type { FromJournal, JournalSetup } from './model/messages.js';
import { readSegments } from './store/segment-index.js';
import { segmentName } from './store/segment-name.js';
import { DiskWriter } from './worker/disk-writer.js';
import { JournalService } from './worker/service.js';

const START_SLOT = 350_000_000;
const START_S = 1_750_000_000;
const SLOT_MS = 400;

const folders: string[] = [];

/** A new folder, until {@link cleanUp}. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-journal-'));
  folders.push(folder);
  return folder;
}

/** Removes all folders of a test. */
export function cleanUp(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** An engine with seeded random updates, and its shown bodies at the end of each turn. */
export class LiveBook {
  engine: Engine;
  /** The shown bodies, by `slot ts`. */
  readonly shown = new Map<string, string>();
  readonly #life: MarketSimulator;
  readonly #parts: number;
  readonly #unread: AccountWrite[] = [];
  #slots = 0;

  constructor(options: {
    readonly seed: number;
    readonly epoch?: string;
    readonly slot?: number;
    readonly makers?: number;
    readonly presets?: MarketPresets | undefined;
    /** Turns for the first accounts, markets before users: until the last of them the book is rebuilding. */
    readonly parts?: number;
  }) {
    const { seed, makers = 8, presets = FEW_MARKETS, parts = 1 } = options;
    this.engine = new Engine({ programId: PROGRAM_ID, epoch: options.epoch ?? 'first' });
    this.#slots = options.slot ?? 0;
    this.#life = new MarketSimulator({ seed, makers, statusChanges: 'some', presets });
    this.#parts = parts;
    this.engine.turnLog.start();
    this.engine.setState(parts > 1 ? 'rebuilding' : 'live');
  }

  get slot(): number {
    return START_SLOT + this.#slots;
  }

  /** Passes one slot, with some account writes. */
  step(): void {
    const clock = { slot: this.slot, unixSeconds: this.#tsMs() / 1_000 };
    const writes =
      this.shown.size === 0
        ? this.#life.createGenesis({ ...clock, unixSeconds: Math.floor(clock.unixSeconds) })
        : this.#life.nextStep({ ...clock, unixSeconds: Math.floor(clock.unixSeconds) }).writes;
    this.engine.setClock(this.slot, Math.floor(clock.unixSeconds));
    this.#unread.push(...writes);
    const left = Math.max(this.#parts - this.shown.size, 1);
    for (const write of this.#unread.splice(0, Math.ceil(this.#unread.length / left))) {
      const { pubkey, owner, data } = write;
      const text = data.toString('base64');
      this.engine.push({ pubkey, owner, slot: this.slot, data: text, encoding: 'base64' });
    }
    if (this.#parts > 1 && this.shown.size + 1 === this.#parts) this.engine.setState('live');
    this.engine.endTurn(this.#tsMs());
    this.shown.set(`${this.slot} ${this.#tsMs()}`, shownBy(this.engine));
    this.#slots += 1;
  }

  /** Passes slots. */
  steps(count: number): void {
    for (let at = 0; at < count; at += 1) this.step();
  }

  #tsMs(): number {
    return START_S * 1_000 + this.#slots * SLOT_MS;
  }
}

/** All bodies of an engine as one text. */
export function shownBy(engine: Engine): string {
  const texts = engine.markets().flatMap(({ id }) => {
    const l2 = Buffer.from(engine.l2({ market: id, depth: 20, vamm: true, indicative: true }));
    return [l2.toString(), Buffer.from(engine.l3({ market: id })).toString()];
  });
  return [engine.epoch, ...texts].join('\n');
}

/** The journal thread's service on this thread, with manual time. */
export class JournalRig {
  readonly timers = Object.assign(new ManualTimers(), { unixMs: () => START_S * 1_000 });
  readonly messages: FromJournal[] = [];
  readonly service: JournalService;
  readonly #book: Pick<LiveBook, 'engine' | 'step'>;

  constructor(
    book: Pick<LiveBook, 'engine' | 'step'>,
    setup: Partial<JournalSetup> & Pick<JournalSetup, 'folder'>,
  ) {
    this.#book = book;
    const whole = { programId: PROGRAM_ID, days: 0, bytesMax: 0, ...setup };
    this.service = new JournalService({
      setup: whole,
      createSink: (parts) => new DiskWriter({ ...parts, setup: whole }),
      timers: this.timers,
      post: (message) => this.#receive(message),
    });
    void this.service.start();
  }

  /** Passes on pending turns, and waits until they are written or dropped. */
  async flush(): Promise<void> {
    const log = this.#book.engine.turnLog.take();
    if (log !== null) await this.service.receiveMessage({ kind: 'turns', log });
    await this.service.receiveMessage({ kind: 'flush', id: 1 });
  }

  async write(slots: number): Promise<void> {
    for (let at = 0; at < slots; at += 1) {
      this.#book.step();
      await this.flush();
    }
  }

  /** The newest message of a kind. */
  last<Kind extends FromJournal['kind']>(kind: Kind): Extract<FromJournal, { kind: Kind }> {
    const found = this.messages.findLast((message) => message.kind === kind);
    if (found === undefined) throw new Error(`there is no message ${kind}`);
    return found as Extract<FromJournal, { kind: Kind }>;
  }

  /** The thread's log lines. */
  get logged(): readonly string[] {
    return this.messages.flatMap((message) => (message.kind === 'log' ? [message.message] : []));
  }

  #receive(message: FromJournal): void {
    this.messages.push(message);
    if (message.kind === 'checkpointDue') this.#book.engine.turnLog.markCheckpoint();
  }
}

/** A journalled run; each test gets a copy. */
interface Kept {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly book: LiveBook;
}

const lives = new Map<MarketPresets, Map<number, Promise<Kept>>>();

/** A folder with three segments of twenty slots each, and the final book. */
export async function journalOfLife(
  options: { readonly seed?: number; readonly presets?: MarketPresets } = {},
): Promise<{ readonly folder: string; readonly book: LiveBook }> {
  const { seed = 3, presets = FEW_MARKETS } = options;
  const ofPresets = lives.get(presets) ?? new Map<number, Promise<Kept>>();
  lives.set(presets, ofPresets);
  const living = ofPresets.get(seed) ?? liveInFiles(new LiveBook({ seed, presets }));
  ofPresets.set(seed, living);
  const { files, book } = await living;
  const folder = newFolder();
  for (const [name, bytes] of files) writeFileSync(path.join(folder, name), bytes);
  return { folder, book };
}

async function liveInFiles(book: LiveBook): Promise<Kept> {
  const folder = newFolder();
  const rig = new JournalRig(book, { folder });
  for (let segment = 0; segment < 3; segment += 1) {
    await rig.write(20);
    rig.timers.advance(SEGMENT_MS_MAX);
  }
  await rig.service.stop();
  const names = [1, 2, 3].map(segmentName);
  const files = names.map((name) => [name, readFileSync(path.join(folder, name))] as const);
  return { files: new Map(files), book };
}

/** The shown bodies of each moment in a folder's segments, by `slot ts`, each segment read separately. */
export function readShown(folder: string): Map<string, string> {
  const shown = new Map<string, string>();
  for (const { number } of readSegments(folder, PROGRAM_ID).segments) {
    const engine = new Engine({ programId: PROGRAM_ID, epoch: '' });
    const reader = new JournalReader(PROGRAM_ID);
    reader.pushBytes(readFileSync(path.join(folder, segmentName(number))));
    for (;;) {
      const { kind } = engine.readJournal(reader);
      if (kind === 'moreBytes') break;
      const { slot, tsMs } = reader.position();
      if (slot > 0) shown.set(`${slot} ${tsMs}`, shownBy(engine));
    }
  }
  return shown;
}
