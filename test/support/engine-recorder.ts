import type { AccountSnapshot, LayoutSample, RawAccount } from '../../src/contract/accounts.js';
import type { Census, UserPage } from '../../src/contract/feed-engine.js';
import type { FeedState } from '../../src/contract/feed-status.js';
import type { IndicativeOutcome, MakerQuotes } from '../../src/contract/indicative.js';
import { Engine } from '../../src/engine/engine.js';
import type { EngineTurn } from '../../src/engine/types.js';

/** One call that reached the engine, with everything that is needed to make it again. */
type Call =
  | { readonly name: 'push'; readonly account: RawAccount }
  | { readonly name: 'pushClosed'; readonly pubkey: string; readonly slot: number }
  | { readonly name: 'setClock'; readonly slot: number; readonly unixSeconds: number }
  | { readonly name: 'setState'; readonly state: FeedState }
  | { readonly name: 'setIndicative'; readonly quotes: MakerQuotes }
  | { readonly name: 'endTurn'; readonly tsMs: number }
  | { readonly name: 'decode'; readonly body: Uint8Array }
  | { readonly name: 'beginSnapshot'; readonly snapshot: number }
  | {
      readonly name: 'applySnapshot';
      readonly snapshot: number;
      readonly from: number;
      readonly count: number;
    }
  | { readonly name: 'endSnapshot' };

/** An engine's output at a turn. */
export interface Shown {
  readonly turn: number;
  readonly stateHash: bigint;
  /** /l2 at full depth without and with all sources, and /l3, of every market in the order of its id. */
  readonly bodies: readonly string[];
}

/** Shows the whole engine as it is between two turns. */
function show(engine: Engine, turn: number): Shown {
  // A body is a view on the engine's own buffer until the next one.
  const text = (body: Uint8Array): string => Buffer.from(body).toString();
  const bodies = engine.markets().flatMap(({ id }) => {
    const l2 = { market: id, depth: 1_000 };
    const sources = { vamm: true, indicative: true };
    return [
      text(engine.l2(l2)),
      text(engine.l2({ ...l2, ...sources })),
      text(engine.l3({ market: id, indicative: true })),
    ];
  });
  return { turn, stateHash: engine.stateHash(), bodies };
}

/** An engine that records every call, and its output at every n-th turn. */
export class EngineRecorder {
  readonly calls: Call[] = [];
  readonly shown: Shown[] = [];
  readonly #engine: Engine;
  readonly #showEvery: number;
  readonly #snapshots = new Map<AccountSnapshot, number>();
  #turns = 0;

  constructor(options: {
    readonly programId: string;
    readonly epoch: string;
    readonly showEvery: number;
  }) {
    this.#engine = new Engine(options);
    this.#showEvery = options.showEvery;
  }

  get isFull(): boolean {
    return this.#engine.isFull;
  }

  applyAdded(): void {
    this.#engine.applyAdded();
  }

  get turns(): number {
    return this.#turns;
  }

  push(account: RawAccount): void {
    this.calls.push({ name: 'push', account });
    this.#engine.push(account);
  }

  pushClosed(pubkey: string, slot: number): void {
    this.calls.push({ name: 'pushClosed', pubkey, slot });
    this.#engine.pushClosed(pubkey, slot);
  }

  setClock(slot: number, unixSeconds: number): void {
    this.calls.push({ name: 'setClock', slot, unixSeconds });
    this.#engine.setClock(slot, unixSeconds);
  }

  setState(state: FeedState): void {
    this.calls.push({ name: 'setState', state });
    this.#engine.setState(state);
  }

  setIndicative(quotes: MakerQuotes): IndicativeOutcome {
    this.calls.push({ name: 'setIndicative', quotes });
    return this.#engine.setIndicative(quotes);
  }

  /** The engine's own number of a market. */
  marketId(symbol: string): number | undefined {
    return this.#engine.findMarket(symbol)?.id;
  }

  endTurn(tsMs: number): EngineTurn {
    this.calls.push({ name: 'endTurn', tsMs });
    const turn = this.#engine.endTurn(tsMs);
    this.#turns += 1;
    if (this.#turns % this.#showEvery === 0) this.shown.push(show(this.#engine, this.#turns));
    return turn;
  }

  async decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot> {
    if (keys !== undefined) return this.#engine.decodeSnapshot(body, keys);
    const copy = Uint8Array.from(body);
    const snapshot = await this.#engine.decodeSnapshot(body);
    this.#snapshots.set(snapshot, this.#snapshots.size);
    this.calls.push({ name: 'decode', body: copy });
    return snapshot;
  }

  beginSnapshot(snapshot: AccountSnapshot): void {
    this.calls.push({ name: 'beginSnapshot', snapshot: this.#numberOf(snapshot) });
    this.#engine.beginSnapshot(snapshot);
  }

  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    this.calls.push({ name: 'applySnapshot', snapshot: this.#numberOf(snapshot), from, count });
    return this.#engine.applySnapshot(snapshot, from, count);
  }

  endSnapshot(): ReturnType<Engine['endSnapshot']> {
    this.calls.push({ name: 'endSnapshot' });
    return this.#engine.endSnapshot();
  }

  oracleKeys(): readonly string[] {
    return this.#engine.oracleKeys();
  }

  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.lackingAccounts(snapshot);
  }

  goneAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.goneAccounts(snapshot);
  }

  foundAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.foundAccounts(snapshot);
  }

  layoutSamples(snapshot: AccountSnapshot, count: number): readonly LayoutSample[] {
    return this.#engine.layoutSamples(snapshot, count);
  }

  hasUser(pubkey: string): boolean {
    return this.#engine.hasUser(pubkey);
  }

  usersWithOrders(from: number, count: number): UserPage {
    return this.#engine.usersWithOrders(from, count);
  }

  readCensus(): Census {
    return this.#engine.readCensus();
  }

  checkIntegrity(): string | null {
    return this.#engine.checkIntegrity();
  }

  #numberOf(snapshot: AccountSnapshot): number {
    const number = this.#snapshots.get(snapshot);
    if (number === undefined) throw new Error('a snapshot was used that was not decoded here');
    return number;
  }
}

/** Repeats all calls on a new engine, and returns its output at every n-th turn. */
export async function replayCalls(
  calls: readonly Call[],
  options: { readonly programId: string; readonly epoch: string; readonly showEvery: number },
): Promise<Shown[]> {
  const engine = new Engine(options);
  const snapshots: AccountSnapshot[] = [];
  const shown: Shown[] = [];
  let turns = 0;
  const snapshotOf = (number: number): AccountSnapshot => {
    const snapshot = snapshots[number];
    if (snapshot === undefined) throw new Error(`snapshot ${number} is not decoded yet`);
    return snapshot;
  };
  for (const call of calls) {
    switch (call.name) {
      case 'push':
        engine.push(call.account);
        break;
      case 'pushClosed':
        engine.pushClosed(call.pubkey, call.slot);
        break;
      case 'setClock':
        engine.setClock(call.slot, call.unixSeconds);
        break;
      case 'setState':
        engine.setState(call.state);
        break;
      case 'setIndicative':
        engine.setIndicative(call.quotes);
        break;
      case 'decode':
        snapshots.push(await engine.decodeSnapshot(call.body));
        break;
      case 'beginSnapshot':
        engine.beginSnapshot(snapshotOf(call.snapshot));
        break;
      case 'applySnapshot':
        engine.applySnapshot(snapshotOf(call.snapshot), call.from, call.count);
        break;
      case 'endSnapshot':
        engine.endSnapshot();
        break;
      case 'endTurn':
        engine.endTurn(call.tsMs);
        turns += 1;
        if (turns % options.showEvery === 0) shown.push(show(engine, turns));
    }
  }
  return shown;
}
