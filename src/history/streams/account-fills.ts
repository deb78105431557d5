/**
 * The fills of followed accounts: each is told when it is stored, and again when it is final or a
 * fork has removed it. A fill may be told twice in one state, as after the store was opened again.
 */
import type { MarketFrame } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import { readLogged } from '../../engine/events.js';
import { HistoryError } from '../model/error.js';
import { ACCOUNT_FILLS_MAX } from '../model/limits.js';
import type { HistoryMarket, RecordRow } from '../model/records.js';
import { decodeBase58 } from '../store/base58.js';
import { marketCode, marketKeyOfCode } from '../store/columns.js';
import { accountPage } from '../store/record-pages.js';
import { accountCode } from '../store/record-rows.js';
import { renderRows } from '../store/render-rows.js';
import type { HistoryStore } from '../store/store.js';

/** What became of a fill. */
type FillStatus = 'confirmed' | 'finalized' | 'reverted';

/** The dependencies of account fills. */
interface AccountFillsOptions {
  readonly store: () => Pick<HistoryStore, 'runRead'>;
  /** The served markets. */
  readonly markets: ReadonlyMap<MarketKey, HistoryMarket>;
  /** The slot before which the history is final; 0 while that is unknown. */
  readonly finalisedSlot: () => number;
  readonly post: (frames: readonly MarketFrame[]) => void;
  readonly onFault: (error: unknown) => void;
}

interface FollowedAccount {
  readonly account: string;
  readonly key: Buffer;
  /** Fills before this slot are not told; undefined while the account is not read. */
  sinceSlot: number | undefined;
  /** Fills that are not final, by transaction and index; the newest `ACCOUNT_FILLS_MAX`. */
  readonly pending: Map<string, RecordRow>;
}

const topicPattern = /^user:([1-9A-HJ-NP-Za-km-z]{32,44})$/;

/** The followed accounts. */
export class AccountFills {
  readonly #options: AccountFillsOptions;
  readonly #accounts = new Map<string, FollowedAccount>();
  /** The same by the numbers by which records name them. */
  readonly #byCode = new Map<bigint, Set<FollowedAccount>>();

  constructor(options: AccountFillsOptions) {
    this.#options = options;
  }

  /** Follows the account of a topic; returns false for a topic of another kind. */
  joinTopic(topic: string): boolean {
    const [, account = ''] = topicPattern.exec(topic) ?? [];
    const key = decodeBase58(account, 32);
    if (key === null) return false;
    if (this.#accounts.has(topic)) return true;
    const followed = { account, key: Buffer.from(key), sinceSlot: undefined, pending: new Map() };
    this.#accounts.set(topic, followed);
    const code = accountCode(key);
    this.#byCode.set(code, (this.#byCode.get(code) ?? new Set()).add(followed));
    return true;
  }

  leaveTopic(topic: string): void {
    const followed = this.#accounts.get(topic);
    if (followed === undefined) return;
    this.#accounts.delete(topic);
    const code = accountCode(followed.key);
    const others = this.#byCode.get(code);
    others?.delete(followed);
    if (others?.size === 0) this.#byCode.delete(code);
  }

  /** Tells the new trades of a commit. */
  publishRecords(records: readonly RecordRow[]): void {
    if (this.#accounts.size === 0) return;
    for (const row of records.filter(({ kind }) => kind === 'trade')) {
      const [head] = readLogged(row.program, [row.bytes]);
      const parties = head?.parties.flatMap(({ key }) => [...(this.#byCode.get(key) ?? [])]) ?? [];
      for (const followed of parties) {
        const { sinceSlot = Number.POSITIVE_INFINITY, key } = followed;
        // Two accounts may have the same number.
        if (row.slot >= sinceSlot && Buffer.from(row.bytes).includes(key))
          this.#tellNew(followed, row);
      }
    }
  }

  /** Reads accounts that were not read yet, and tells what became of fills; call it each second. */
  publishStates(): void {
    const since = this.#options.finalisedSlot();
    if (this.#accounts.size === 0 || since === 0) return;
    try {
      for (const followed of this.#accounts.values()) {
        if (followed.sinceSlot === undefined) this.#readAccount(followed, since);
        if (followed.pending.size > 0) this.#tellStates(followed);
      }
    } catch (error) {
      if (!(error instanceof HistoryError)) this.#options.onFault(error);
    }
  }

  /** Has all accounts read again, after the store was opened or replaced. */
  reopenAll(): void {
    for (const followed of this.#accounts.values()) followed.sinceSlot = undefined;
  }

  #readAccount(followed: FollowedAccount, since: number): void {
    const { store, markets } = this.#options;
    const { account } = followed;
    const codes = [...markets.keys()].map(marketCode);
    const query = { account, kind: 'trade', markets: codes, limit: ACCOUNT_FILLS_MAX } as const;
    const rows = store().runRead((parts) => accountPage(parts, query));
    followed.sinceSlot = since;
    for (const row of rows.toReversed()) if (row.slot >= since) this.#tellNew(followed, row);
  }

  #tellNew(followed: FollowedAccount, row: RecordRow): void {
    const { pending } = followed;
    pending.set(`${row.txSig}:${row.index}`, row);
    const [oldest] = pending.keys();
    if (pending.size > ACCOUNT_FILLS_MAX && oldest !== undefined) pending.delete(oldest);
    this.#tellFill(followed, row, 'confirmed');
  }

  #tellStates(followed: FollowedAccount): void {
    const pending = [...followed.pending];
    const signatures = pending.map(([, { txSig }]) => txSig);
    const finality = this.#options
      .store()
      .runRead(({ transactions }) =>
        transactions.expectSignatures(signatures, () =>
          signatures.map((signature) => transactions.findTransaction(signature)?.isFinal),
        ),
      );
    for (const [at, [name, row]] of pending.entries()) {
      if (finality[at] === false) continue;
      followed.pending.delete(name);
      this.#tellFill(followed, row, finality[at] === true ? 'finalized' : 'reverted');
    }
  }

  #tellFill({ account }: FollowedAccount, row: RecordRow, status: FillStatus): void {
    const { markets, post } = this.#options;
    const market = markets.get(marketKeyOfCode(row.market));
    if (market === undefined) return;
    const trade = renderRows([row], 'records', { markets: [market], user: account });
    const message = `{"status":"${status}","trade":${trade}}`;
    post([{ topic: `user:${account}`, kind: 'update', message }]);
  }
}
