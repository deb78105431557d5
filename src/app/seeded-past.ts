/** Writes a made-up past of the demo into the files of a journal and of a history. */
import path from 'node:path';
import type { DemoConfig } from '../config/config.js';
import { PROGRAM_IDS } from '../contract/program.js';
import { Engine } from '../engine/engine.js';
import { LogDecoder } from '../engine/events.js';
import { JournalWriter } from '../engine/journal-writer.js';
import { candleRules } from '../history/candles/rules.js';
import type { TransactionRecords } from '../history/model/records.js';
import { encodeBase58 } from '../history/store/base58.js';
import { openStore } from '../history/store/store.js';
import { DiskWriter } from '../journal/worker/disk-writer.js';
import { systemTimers } from '../rpc/timers.js';
import type { SeededSpan } from '../server/routes/path.js';
import { DEMO_MARKETS, type MarketPresets } from '../sim/bytes/market-presets.js';
import type { LoggedEvent } from '../sim/chain/program-call.js';
import { type PastStep, SeededPast } from '../sim/demo/seeded-past.js';
import { type DataFolder, dataFolder } from './data-folder.js';
import { JOURNAL_FOLDER } from './journal-origin.js';
import type { Runtime } from './runtime.js';

/** Decimals of every market of the default demo. */
const DECIMALS = 9;
/** The epoch of the past's book. */
const EPOCH = 'seeded';

/** The written past of a service. */
interface WrittenPast {
  readonly folder: DataFolder;
  readonly seeded: SeededSpan;
}

/** A made-up past that a demo continues. */
interface DemoPast {
  /** The markets of the demo. */
  readonly presets: MarketPresets;
  /** Writes the past for a service on this chain; rejects with the errors of the files. */
  write(genesisHash: string, runtime: Runtime): Promise<WrittenPast>;
}

/** Makes the past of a demo of the default markets that keeps nothing; undefined for other demos. */
export function demoPast(
  config: DemoConfig,
  presets: MarketPresets,
  { recordTo }: { readonly recordTo?: string | undefined },
): DemoPast | undefined {
  const { history, journal, seed } = config;
  const kept = history ?? journal;
  const isKept = recordTo !== undefined || kept?.dataDir !== undefined;
  if (isKept || presets !== DEMO_MARKETS || kept === undefined) return undefined;
  const untilTs = Math.floor(systemTimers.unixMs() / 1_000);
  const past = new SeededPast({ presets, seed, untilTs });
  const played = playPast(past, PROGRAM_IDS[presets.program]);
  return {
    presets: past.continuedPresets(),
    write: async (genesisHash, runtime) => {
      const folder = dataFolder({ dataDir: undefined });
      const place = { folder: folder.path, programId: played.programId };
      if (journal !== undefined) await writeTurns(played.logs, { ...place, untilTs }, runtime);
      if (history !== undefined) await writeTransactions(played, { ...place, genesisHash });
      return { folder, seeded: { fromMs: past.fromTs * 1_000, untilMs: untilTs * 1_000 } };
    },
  };
}

async function writeTransactions(
  { transactions }: PlayedPast,
  place: { readonly folder: string; readonly programId: string; readonly genesisHash: string },
): Promise<void> {
  const store = await openStore({ ...place, rules: candleRules, decimalsOf: () => DECIMALS });
  store.writeBatch({ transactions });
  store.close();
}

interface PlayedPast {
  readonly programId: string;
  readonly logs: readonly Uint8Array[];
  readonly transactions: readonly TransactionRecords[];
}

function playPast(past: SeededPast, programId: string): PlayedPast {
  const turns = new PastTurns(programId);
  const decoder = new LogDecoder(programId);
  const transactions: TransactionRecords[] = [];
  for (const step of past.steps()) {
    turns.addStep(step);
    for (const events of step.transactions) {
      const { records } = decoder.decode(linesOf(events, programId));
      const place = transactions.length;
      const at = { signature: signatureOf(place), slot: step.slot, place };
      transactions.push({ ...at, isFinal: true, isTruncated: false, records });
    }
  }
  return { programId, logs: turns.logs, transactions };
}

/** The logged turns of a past. */
class PastTurns {
  readonly logs: Uint8Array[] = [];
  readonly #engine: Engine;

  constructor(programId: string) {
    this.#engine = new Engine({ programId, epoch: EPOCH });
    this.#engine.turnLog.start();
    this.#engine.setState('live');
  }

  addStep({ ts, slot, writes }: PastStep): void {
    this.#engine.setClock(slot, ts);
    for (const { pubkey, owner, data } of writes) {
      const text = data.toString('base64');
      this.#engine.push({ pubkey, owner, slot, data: text, encoding: 'base64' });
    }
    this.#engine.endTurn(ts * 1_000);
    const log = this.#engine.turnLog.take();
    if (log !== null) this.logs.push(log);
  }
}

async function writeTurns(
  logs: readonly Uint8Array[],
  place: { readonly folder: string; readonly programId: string; readonly untilTs: number },
  { timers, log }: Runtime,
): Promise<void> {
  const { programId, untilTs } = place;
  const folder = path.join(place.folder, JOURNAL_FOLDER);
  const setup = { folder, programId, days: 0, bytesMax: 0 };
  const ignore = (): void => undefined;
  const events = { onHealed: ignore, onChanged: ignore };
  const disk = new DiskWriter({ setup, timers, log, ...events });
  disk.open();
  const writer = new JournalWriter(programId);
  for (const turns of logs) writer.append(turns, untilTs * 1_000);
  writer.flush();
  for (const piece of writer.takePieces()) disk.pushPiece(piece);
  await disk.end(null);
}

function linesOf(events: readonly LoggedEvent[], programId: string): readonly string[] {
  return [
    `Program ${programId} invoke [1]`,
    ...events.map(({ bytes }) => `Program data: ${bytes.toString('base64')}`),
    `Program ${programId} success`,
  ];
}

/** No transaction of a chain has it. */
function signatureOf(index: number): string {
  const bytes = new Uint8Array(64).fill(1);
  new DataView(bytes.buffer).setUint32(60, index);
  return encodeBase58(bytes);
}
