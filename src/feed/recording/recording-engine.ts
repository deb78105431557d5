import type {
  FeedEngine,
  FeedQuotePolicy,
  FeedQuotes,
  FeedSnapshot,
  FeedSnapshotReport,
  FeedState,
  FeedTurn,
  QuoteEngine,
  RawAccount,
} from '../model/feed-engine.js';
import type { RecordedCall } from './recorded-call.js';

/** An engine whose source can become another chain. */
export interface EpochEngine<Outcome extends string = string>
  extends FeedEngine,
    QuoteEngine<Outcome> {
  readonly epoch: string;
  setEpoch(epoch: string): void;
}

/**
 * An engine that tells each call that moves its book before it makes it. The core reads no clock
 * and uses no chance, so the same calls on another engine give the same bytes.
 */
export class RecordingEngine<Outcome extends string = string> implements EpochEngine<Outcome> {
  readonly #engine: EpochEngine<Outcome>;
  readonly #record: (call: RecordedCall) => void;
  /** The raw answer behind each decoded snapshot: only those that are applied are recorded. */
  readonly #bodies = new WeakMap<FeedSnapshot, Uint8Array>();

  constructor(engine: EpochEngine<Outcome>, record: (call: RecordedCall) => void) {
    this.#engine = engine;
    this.#record = record;
  }

  get epoch(): string {
    return this.#engine.epoch;
  }

  push(account: RawAccount): void {
    this.#record({ name: 'push', account });
    this.#engine.push(account);
  }

  close(pubkey: string, slot: number): void {
    this.#record({ name: 'close', pubkey, slot });
    this.#engine.close(pubkey, slot);
  }

  setClock(slot: number, unixSeconds: number): void {
    this.#record({ name: 'setClock', slot, unixSeconds });
    this.#engine.setClock(slot, unixSeconds);
  }

  setState(state: FeedState): void {
    this.#record({ name: 'setState', state });
    this.#engine.setState(state);
  }

  setEpoch(epoch: string): void {
    this.#record({ name: 'setEpoch', epoch });
    this.#engine.setEpoch(epoch);
  }

  setIndicativePolicy(policy: FeedQuotePolicy): void {
    this.#record({ name: 'setIndicativePolicy', policy });
    this.#engine.setIndicativePolicy(policy);
  }

  setIndicative(quotes: FeedQuotes): Outcome {
    this.#record({ name: 'setIndicative', quotes });
    return this.#engine.setIndicative(quotes);
  }

  indicativeDueMs(): number | null {
    return this.#engine.indicativeDueMs();
  }

  endTurn(tsMs: number): FeedTurn {
    this.#record({ name: 'endTurn', tsMs });
    return this.#engine.endTurn(tsMs);
  }

  async decodeSnapshot(body: Uint8Array): Promise<FeedSnapshot> {
    const snapshot = await this.#engine.decodeSnapshot(body);
    this.#bodies.set(snapshot, body);
    return snapshot;
  }

  beginSnapshot(snapshot: FeedSnapshot): void {
    const body = this.#bodies.get(snapshot);
    if (body === undefined) throw new Error('Invariant: a snapshot is decoded before it begins');
    // Kept by the recording now, until it is written.
    this.#bodies.delete(snapshot);
    this.#record({ name: 'beginSnapshot', body });
    this.#engine.beginSnapshot(snapshot);
  }

  applySnapshot(snapshot: FeedSnapshot, from: number, count: number): number {
    this.#record({ name: 'applySnapshot', from, count });
    return this.#engine.applySnapshot(snapshot, from, count);
  }

  endSnapshot(): FeedSnapshotReport {
    this.#record({ name: 'endSnapshot' });
    return this.#engine.endSnapshot();
  }

  oracleKeys(): readonly string[] {
    return this.#engine.oracleKeys();
  }
}
