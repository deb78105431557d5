import type {
  AccountProblem,
  AccountSnapshot,
  LayoutSample,
  RawAccount,
  SnapshotReport,
} from '../src/contract/accounts.js';
import type {
  Census,
  FeedEngine,
  QuoteEngine,
  TurnChanges,
  UserPage,
} from '../src/contract/feed-engine.js';
import type { FeedState } from '../src/contract/feed-status.js';
import type {
  IndicativeOutcome,
  IndicativePolicy,
  MakerQuotes,
} from '../src/contract/indicative.js';

/** The data of an account whose entry in a snapshot cannot be decoded. */
export const UNREADABLE = 'unreadable';

interface FakeSnapshot extends AccountSnapshot {
  readonly rows: readonly { readonly pubkey: string; readonly data: string }[];
}

interface FakeAnswer {
  readonly result: {
    readonly context: { readonly slot: number };
    readonly value: readonly (FakeRow | null)[];
  };
}

interface FakeRow {
  readonly pubkey?: string;
  readonly account?: { readonly data: [string, string] };
  readonly data?: [string, string];
}

/**
 * Stands in for the engine behind the feed's interface: keeps the data text of each account and
 * writes every call down. An account whose data begins with `market:` names its oracle behind it.
 */
export class FakeEngine implements FeedEngine, QuoteEngine {
  readonly calls: string[] = [];
  readonly accounts = new Map<string, string>();
  readonly turns: { readonly state: FeedState | null; readonly accounts: number }[] = [];
  readonly problems: AccountProblem[] = [];
  /** The markets that each turn changes from now on. */
  dirty: readonly number[] = [];
  /** Times at which a turn of the loop began with a part of a snapshot applied and the turn not ended. */
  turnsLeftOpen = 0;
  state: FeedState | null = null;
  slot = 0;
  quotesDueMs: number | null = null;
  unixSeconds = 0;
  /** Runs while a snapshot is decoded, on the other thread of the real engine. */
  whileDecoding: () => Promise<void> | void = () => undefined;
  #marketsChanged = false;
  #isTurnOpen = false;
  /** What markets and State count, where a test says so. */
  census: Partial<Census> = {};
  readonly #slots = new Map<string, number>();
  #unseen = new Set<string>();
  #snapshotSlot = 0;
  #report = { seen: 0, added: 0, changed: 0, removed: 0 };

  push({ pubkey, data, slot }: RawAccount): void {
    this.calls.push(`push ${pubkey} ${data} @${slot}`);
    if (data.startsWith('market:') && this.accounts.get(pubkey) !== data) {
      this.#marketsChanged = true;
    }
    this.accounts.set(pubkey, data);
    this.#slots.set(pubkey, slot);
    this.#unseen.delete(pubkey);
  }

  pushClosed(pubkey: string, slot: number): void {
    this.calls.push(`close ${pubkey} @${slot}`);
    this.accounts.delete(pubkey);
  }

  isFull = false;

  applyAdded(): void {
    this.calls.push('apply');
  }

  setIndicativePolicy(policy: IndicativePolicy): void {
    this.calls.push(`policy ${policy}`);
  }

  setIndicative({ market, maker, quotes, tsMs }: MakerQuotes): IndicativeOutcome {
    this.calls.push(`quotes ${market} ${maker} ${quotes.length} @${tsMs}`);
    this.quotesDueMs = quotes.length === 0 ? null : tsMs + 1_000;
    return 'changed';
  }

  indicativeDueMs(): number | null {
    return this.quotesDueMs;
  }

  setClock(slot: number, unixSeconds: number): void {
    this.slot = slot;
    this.unixSeconds = unixSeconds;
  }

  setState(state: FeedState): void {
    this.calls.push(`state ${state}`);
    this.state = state;
  }

  endTurn(): TurnChanges {
    this.turns.push({ state: this.state, accounts: this.accounts.size });
    this.#isTurnOpen = false;
    const marketsChanged = this.#marketsChanged;
    this.#marketsChanged = false;
    const { dirty, problems } = this;
    return { dirty, requoted: [], indicated: [], allChanged: false, problems, marketsChanged };
  }

  /** No user of this chain contradicts a layout. */
  layoutSamples(): readonly LayoutSample[] {
    return [];
  }

  async decodeSnapshot(body: Uint8Array, keys: readonly string[] = []): Promise<FakeSnapshot> {
    const { result } = JSON.parse(Buffer.from(body).toString()) as FakeAnswer;
    if (keys.length === 0) await this.whileDecoding();
    const all = result.value.map((row, index) => {
      const [data] = row?.account?.data ?? row?.data ?? [''];
      return { pubkey: row?.pubkey ?? keys[index] ?? '', data };
    });
    const rows = all.filter(({ data }) => data !== UNREADABLE);
    const problems = all
      .filter(({ data }) => data === UNREADABLE)
      .map(({ pubkey }) => ({ pubkey, code: 'INVALID_BASE64', message: 'data was no base64' }));
    const problemCount = problems.length;
    const count = rows.length;
    return { slot: result.context.slot, count, positions: count, problemCount, problems, rows };
  }

  beginSnapshot({ slot, count }: AccountSnapshot): void {
    this.calls.push(`begin ${count} @${slot}`);
    this.#report = { seen: 0, added: 0, changed: 0, removed: 0 };
    this.#snapshotSlot = slot;
    this.#unseen = new Set([...this.accounts.keys()].filter((key) => key.startsWith('user')));
  }

  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    const rows = (snapshot as FakeSnapshot).rows.slice(from, from + count);
    for (const { pubkey, data } of rows) {
      const had = this.accounts.get(pubkey);
      this.#report.seen += 1;
      if (had === undefined) this.#report.added += 1;
      else if (had !== data) this.#report.changed += 1;
      this.accounts.set(pubkey, data);
      this.#slots.set(pubkey, snapshot.slot);
      this.#unseen.delete(pubkey);
    }
    this.#openTurn();
    return rows.length;
  }

  /** As the core: a live book keeps what it has of the slot of the snapshot or a later one. */
  endSnapshot(): SnapshotReport {
    this.calls.push('end');
    const isGone = (pubkey: string): boolean =>
      this.state === 'rebuilding' || (this.#slots.get(pubkey) ?? 0) < this.#snapshotSlot;
    const gone = [...this.#unseen].filter(isGone);
    for (const pubkey of gone) this.accounts.delete(pubkey);
    this.#openTurn();
    return { ...this.#report, removed: gone.length };
  }

  /** What is pushed waits for the end of the turn; a snapshot changes what a reader is shown at once. */
  #openTurn(): void {
    this.#isTurnOpen = true;
    setImmediate(() => {
      if (this.#isTurnOpen) this.turnsLeftOpen += 1;
    });
  }

  oracleKeys(): readonly string[] {
    const markets = [...this.accounts.values()].filter((data) => data.startsWith('market:'));
    return markets.map((data) => data.slice('market:'.length));
  }

  /** As the core: not of accounts that are closed, and not of what is no newer than the book's. */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    const { rows, slot } = snapshot as FakeSnapshot;
    const isLacking = ({ pubkey, data }: FakeSnapshot['rows'][number]): boolean =>
      data !== '' && this.accounts.get(pubkey) !== data && slot > (this.#slots.get(pubkey) ?? 0);
    return rows.filter(isLacking).map(({ pubkey }) => pubkey);
  }

  /** As the core: of accounts that a later reading has without data. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[] {
    const { rows, slot } = snapshot as FakeSnapshot;
    const isGone = ({ pubkey, data }: FakeSnapshot['rows'][number]): boolean =>
      data === '' && this.accounts.has(pubkey) && slot > (this.#slots.get(pubkey) ?? 0);
    return rows.filter(isGone).map(({ pubkey }) => pubkey);
  }

  foundAccounts(snapshot: AccountSnapshot): readonly string[] {
    const { rows } = snapshot as FakeSnapshot;
    return rows.filter(({ data }) => data !== '').map(({ pubkey }) => pubkey);
  }

  hasUser(pubkey: string): boolean {
    return this.accounts.has(pubkey);
  }

  usersInTurn(from: number, count: number): UserPage {
    const users = [...this.accounts.keys()].filter((key) => key.startsWith('user'));
    const end = from + count;
    return { keys: users.slice(from, end), next: end < users.length ? end : 0 };
  }

  /** A position a user, and as many of them as a test says. */
  readCensus(): Census {
    const accounts = this.accounts.size;
    return { subAccounts: 0, positions: 1, accounts, quarantined: 0, ...this.census };
  }
}
