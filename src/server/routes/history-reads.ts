/**
 * Bodies asked of the history, so that no flood of requests becomes a flood of queries: equal ones under
 * way are one, few are asked at once, and those whose clients have all left are never asked.
 */
import { LIMITS } from '../../config/limits.js';
import type { HistoryAnswer, HistoryQuery, MarketDataSource } from '../ports/market-data-source.js';
import { type ErrorCode, ServerError } from '../transport/errors.js';

/** One query, and who waits for it. */
export interface Wanted {
  /** Equal for equal queries of one version. */
  readonly name: string;
  readonly query: HistoryQuery;
  /** Whether the client has left. */
  readonly isGone: () => boolean;
}

/** The limits that tests make smaller. */
export type ReadLimits = {
  readonly [Name in 'historyReadsMax' | 'historyReadsWaitingMax' | 'historyReadMsMax']:
    | (typeof LIMITS)[Name]
    | number;
};

interface Read {
  readonly query: HistoryQuery;
  readonly clients: (() => boolean)[];
  readonly answer: Settled;
  readonly timer: NodeJS.Timeout;
  isAsked: boolean;
}

/** A promise, and who settles it. */
interface Settled {
  readonly promise: Promise<HistoryAnswer>;
  readonly resolve: (answer: HistoryAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounded queries of the history. */
export class HistoryReads {
  /** Those that wait, in their order, and those under way. */
  readonly #reads = new Map<string, Read>();
  #underWay = 0;

  constructor(
    private readonly history: Pick<MarketDataSource, 'query'>,
    private readonly limits: ReadLimits = LIMITS,
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
  get({ name, query, isGone }: Wanted): Promise<HistoryAnswer> {
    const known = this.#reads.get(name);
    if (known !== undefined) {
      known.clients.push(isGone);
      return known.answer.promise;
    }
    const { historyReadsMax, historyReadsWaitingMax, historyReadMsMax } = this.limits;
    if (this.#reads.size >= historyReadsMax + historyReadsWaitingMax) this.#forgetGone();
    if (this.#reads.size >= historyReadsMax + historyReadsWaitingMax) {
      throw new ServerError('LIMIT_EXCEEDED', 'too many answers of the history are waited for');
    }
    const timer = setTimeout(() => {
      const message = `the history did not answer within ${historyReadMsMax} ms`;
      this.#end(name, () => read.answer.reject(new ServerError('NOT_READY', message)));
    }, historyReadMsMax).unref();
    const answer = unsettled();
    const read: Read = { query, clients: [isGone], answer, timer, isAsked: false };
    this.#reads.set(name, read);
    this.#askNext();
    return answer.promise;
  }

  #askNext(): void {
    for (const [name, read] of this.#reads) {
      if (this.#underWay >= this.limits.historyReadsMax) return;
      if (read.isAsked) continue;
      if (isLeft(read)) this.#forget(name, read);
      else this.#ask(name, read);
    }
  }

  #ask(name: string, read: Read): void {
    read.isAsked = true;
    this.#underWay += 1;
    const { answer, query } = read;
    const isCurrent = (): boolean => this.#reads.get(name) === read;
    // An answer that comes after its time is over finds nobody.
    this.history.query(query).then(
      (found) => isCurrent() && this.#end(name, () => answer.resolve(found)),
      (error: unknown) => isCurrent() && this.#end(name, () => answer.reject(meant(error))),
    );
  }

  #end(name: string, settle: () => void): void {
    const read = this.#reads.get(name);
    if (read === undefined) return;
    this.#reads.delete(name);
    clearTimeout(read.timer);
    if (read.isAsked) this.#underWay -= 1;
    settle();
    this.#askNext();
  }

  #forgetGone(): void {
    for (const [name, read] of this.#reads) {
      if (!read.isAsked && isLeft(read)) this.#forget(name, read);
    }
  }

  /** Nobody is told: the promise is only of clients that have left. */
  #forget(name: string, { timer }: Read): void {
    clearTimeout(timer);
    this.#reads.delete(name);
  }
}

function unsettled(): Settled {
  let resolve: Settled['resolve'] = () => {};
  let reject: Settled['reject'] = () => {};
  const promise = new Promise<HistoryAnswer>((onAnswer, onError) => {
    resolve = onAnswer;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function isLeft({ clients }: Read): boolean {
  return clients.every((isGone) => isGone());
}

/** What a history may refuse with, in its own words. */
const MEANT: ReadonlySet<unknown> = new Set<ErrorCode>([
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_MARKET',
  'LIMIT_EXCEEDED',
  'NOT_READY',
]);

/** A code of ours is told with its text; anything else is a fault. */
function meant(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, context } = error as {
    readonly code?: unknown;
    readonly context?: { readonly param?: unknown };
  };
  if (!MEANT.has(code)) return error;
  const param = context?.param;
  return new ServerError(
    code as ErrorCode,
    error.message,
    typeof param === 'string' ? param : null,
  );
}
