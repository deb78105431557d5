import type { AccountSnapshot, RawAccount, SnapshotReport } from '../../contract/accounts.js';
import type {
  Census,
  FeedEngine,
  QuoteEngine,
  TurnChanges,
  UserPage,
} from '../../contract/feed-engine.js';
import type { FeedState } from '../../contract/feed-status.js';
import type {
  IndicativeOutcome,
  IndicativePolicy,
  MakerQuotes,
} from '../../contract/indicative.js';
import type { RecordedCall } from './recorded-call.js';

/** An engine whose source can become another chain. */
export interface EpochEngine extends FeedEngine, QuoteEngine {
  readonly epoch: string;
  setEpoch(epoch: string): void;
}

/**
 * An engine that records each call that moves its book before it makes it. The core reads no clock
 * and uses no chance, so the same calls on another engine give the same bytes.
 */
export class RecordingEngine implements EpochEngine {
  readonly #engine: EpochEngine;
  readonly #record: (call: RecordedCall) => void;
  /** The raw response behind each decoded snapshot: only those that are applied are recorded. */
  readonly #bodies = new WeakMap<AccountSnapshot, Uint8Array>();

  constructor(engine: EpochEngine, record: (call: RecordedCall) => void) {
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

  setIndicativePolicy(policy: IndicativePolicy): void {
    this.#record({ name: 'setIndicativePolicy', policy });
    this.#engine.setIndicativePolicy(policy);
  }

  setIndicative(quotes: MakerQuotes): IndicativeOutcome {
    this.#record({ name: 'setIndicative', quotes });
    return this.#engine.setIndicative(quotes);
  }

  indicativeDueMs(): number | null {
    return this.#engine.indicativeDueMs();
  }

  endTurn(tsMs: number): TurnChanges {
    this.#record({ name: 'endTurn', tsMs });
    return this.#engine.endTurn(tsMs);
  }

  async decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot> {
    const snapshot = await this.#engine.decodeSnapshot(body, keys);
    this.#bodies.set(snapshot, body);
    return snapshot;
  }

  beginSnapshot(snapshot: AccountSnapshot): void {
    const body = this.#bodies.get(snapshot);
    if (body === undefined) throw new Error('Invariant: a snapshot is decoded before it begins');
    // Kept by the recording now, until it is written.
    this.#bodies.delete(snapshot);
    this.#record({ name: 'beginSnapshot', body });
    this.#engine.beginSnapshot(snapshot);
  }

  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    this.#record({ name: 'applySnapshot', from, count });
    return this.#engine.applySnapshot(snapshot, from, count);
  }

  endSnapshot(): SnapshotReport {
    this.#record({ name: 'endSnapshot' });
    return this.#engine.endSnapshot();
  }

  oracleKeys(): readonly string[] {
    return this.#engine.oracleKeys();
  }

  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.lackingAccounts(snapshot);
  }

  usersWithOrders(from: number, count: number): UserPage {
    return this.#engine.usersWithOrders(from, count);
  }

  readCensus(): Census {
    return this.#engine.readCensus();
  }
}
