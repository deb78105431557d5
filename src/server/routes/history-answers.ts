/**
 * Bodies asked of the history, so that no flood of requests becomes a flood of queries: equal ones under
 * way are one, few are asked at once, and those whose clients have all left are never asked.
 */
import { LIMITS } from '../../config/limits.js';
import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import { type ErrorCode, ServerError } from '../transport/errors.js';

/** One query, and who waits for it. */
export interface QueuedQuery {
  /** Equal for equal queries of one version. */
  readonly name: string;
  readonly query: HistoryQuery;
  /** Whether the client has left. */
  readonly isGone: () => boolean;
}

/** The limits that tests make smaller. */
export type QueueLimits = {
  readonly [Name in 'historyReadsMax' | 'historyReadsWaitingMax' | 'historyReadMsMax']:
    | (typeof LIMITS)[Name]
    | number;
};

interface PendingQuery {
  readonly query: HistoryQuery;
  readonly clients: (() => boolean)[];
  readonly answer: Deferred;
  readonly timer: NodeJS.Timeout;
  isStarted: boolean;
}

/** A promise, and who settles it. */
interface Deferred {
  readonly promise: Promise<HistoryBody>;
  readonly resolve: (answer: HistoryBody) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounded queries of the history. */
export class HistoryQueue {
  /** Those that wait, in their order, and those under way. */
  readonly #reads = new Map<string, PendingQuery>();
  #underWay = 0;

  constructor(
    private readonly history: Pick<MarketDataSource, 'query'>,
    private readonly limits: QueueLimits = LIMITS,
  ) {}

  /** Queries that wait and that are under way. */
  get size(): number {
    return this.#reads.size;
  }

  /**
   * The answer, which is one for all who want it meanwhile. Throws LIMIT_EXCEEDED when too many wait;
   * rejects with a ServerError for what is meant by it, NOT_READY when it takes too long, and with
   * what the history threw otherwise.
   */
  runQuery({ name, query, isGone }: QueuedQuery): Promise<HistoryBody> {
    const known = this.#reads.get(name);
    if (known !== undefined) {
      known.clients.push(isGone);
      return known.answer.promise;
    }
    const { historyReadsMax, historyReadsWaitingMax, historyReadMsMax } = this.limits;
    if (this.#reads.size >= historyReadsMax + historyReadsWaitingMax) this.#dropAbandoned();
    if (this.#reads.size >= historyReadsMax + historyReadsWaitingMax) {
      throw new ServerError('LIMIT_EXCEEDED', 'too many answers of the history are waited for');
    }
    const timer = setTimeout(() => {
      const message = `the history did not answer within ${historyReadMsMax} ms`;
      this.#settleQuery(name, () => read.answer.reject(new ServerError('NOT_READY', message)));
    }, historyReadMsMax).unref();
    const answer = newDeferred();
    const read: PendingQuery = { query, clients: [isGone], answer, timer, isStarted: false };
    this.#reads.set(name, read);
    this.#startNext();
    return answer.promise;
  }

  #startNext(): void {
    for (const [name, read] of this.#reads) {
      if (this.#underWay >= this.limits.historyReadsMax) return;
      if (read.isStarted) continue;
      if (isAbandoned(read)) this.#dropQuery(name, read);
      else this.#startQuery(name, read);
    }
  }

  #startQuery(name: string, read: PendingQuery): void {
    read.isStarted = true;
    this.#underWay += 1;
    const { answer, query } = read;
    const isCurrent = (): boolean => this.#reads.get(name) === read;
    // An answer that comes after its time is over finds nobody.
    this.history.query(query).then(
      (found) => isCurrent() && this.#settleQuery(name, () => answer.resolve(found)),
      (error: unknown) =>
        isCurrent() && this.#settleQuery(name, () => answer.reject(toServerError(error))),
    );
  }

  #settleQuery(name: string, settle: () => void): void {
    const read = this.#reads.get(name);
    if (read === undefined) return;
    this.#reads.delete(name);
    clearTimeout(read.timer);
    if (read.isStarted) this.#underWay -= 1;
    settle();
    this.#startNext();
  }

  #dropAbandoned(): void {
    for (const [name, read] of this.#reads) {
      if (!read.isStarted && isAbandoned(read)) this.#dropQuery(name, read);
    }
  }

  /** Nobody is told: the promise is only of clients that have left. */
  #dropQuery(name: string, { timer }: PendingQuery): void {
    clearTimeout(timer);
    this.#reads.delete(name);
  }
}

function newDeferred(): Deferred {
  let resolve: Deferred['resolve'] = () => {};
  let reject: Deferred['reject'] = () => {};
  const promise = new Promise<HistoryBody>((onAnswer, onError) => {
    resolve = onAnswer;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function isAbandoned({ clients }: PendingQuery): boolean {
  return clients.every((isGone) => isGone());
}

/** What a history may refuse with, in its own words. */
const CLIENT_ERRORS: ReadonlySet<unknown> = new Set<ErrorCode>([
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_MARKET',
  'LIMIT_EXCEEDED',
  'NOT_READY',
]);

/** A code of ours is told with its text; anything else is a fault. */
function toServerError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, context } = error as {
    readonly code?: unknown;
    readonly context?: { readonly param?: unknown };
  };
  if (!CLIENT_ERRORS.has(code)) return error;
  const param = context?.param;
  return new ServerError(
    code as ErrorCode,
    error.message,
    typeof param === 'string' ? param : null,
  );
}

/** Bodies of the history, kept for their version. */

/** An answer, and what it is an answer of. */
export interface CachedAnswer {
  readonly version: string;
  readonly answer: HistoryBody;
}

/** Bounded by bytes; what was not wanted for longest goes first. */
export class HistoryCache {
  readonly #kept = new Map<string, CachedAnswer>();
  #bytes = 0;

  constructor(private readonly bytesMax: number = LIMITS.historyCacheBytesMax) {}

  /** Bytes of all keys and bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer of this version, or one that no version can change. */
  findAnswer(key: string, version: string): HistoryBody | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.version !== version && kept.answer.isFinal !== true) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.answer;
  }

  /** Keeps an answer in place of an older one of the same key. */
  cacheAnswer(key: string, entry: CachedAnswer): void {
    this.#dropAnswer(key);
    this.#kept.set(key, entry);
    this.#bytes += bytesOf(key, entry);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.bytesMax) break;
      this.#dropAnswer(oldest);
    }
  }

  #dropAnswer(key: string): void {
    const entry = this.#kept.get(key);
    if (entry === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(key, entry);
  }
}

/** An entry without a byte of body takes room as well. */
const ENTRY_BYTES = 512;

function bytesOf(key: string, { answer }: CachedAnswer): number {
  return ENTRY_BYTES + key.length + answer.body.length;
}
