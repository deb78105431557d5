/** The subscriptions of a service, watched for some seconds. */

import { secrets } from '../config/secrets.js';
import type { ChainProgram } from '../contract/program.js';
import type { Timers } from '../contract/timers.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  type ProgramKind,
  programSubscribeParams,
} from '../feed/model/queries.js';
import { loggedFailure } from '../rpc/error.js';
import type { NodeSocket } from '../rpc/node-pool.js';
import { sleep } from '../rpc/timers.js';
import { ENVELOPE_BYTES, OPEN_MS_MAX } from './limits.js';

/** The notifications of one subscription. */
export interface WatchedStream {
  readonly method: string;
  /** The reason of a refusal; null without one. */
  readonly refusal: string | null;
  /** From the request to the first notification, milliseconds; null without one. */
  readonly firstMs: number | null;
  readonly count: number;
  readonly bytes: number;
  /** The longest time between two notifications, or from the last one to the end, milliseconds. */
  readonly gapMsMax: number;
}

/** The names of the watched subscriptions. */
export type StreamName = 'slots' | 'users' | 'perps' | 'spots' | 'clock' | 'oracle' | 'logs';

/** One subscription to watch. */
export interface StreamQuery {
  readonly name: StreamName;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Returns the subscriptions of a service; `oracle` is the key of one followed oracle. */
export function streamRequests(
  program: ChainProgram,
  oracle: string | null,
): readonly StreamQuery[] {
  const logs = [{ mentions: [program.programId] }, { commitment: 'confirmed' }];
  const ofProgram = (name: StreamName, kind: ProgramKind): StreamQuery => {
    const params = programSubscribeParams(program, kind, 'base64+zstd');
    return { name, method: 'programSubscribe', params };
  };
  const ofAccount = (name: StreamName, key: string): StreamQuery => {
    return { name, method: 'accountSubscribe', params: accountSubscribeParams(key) };
  };
  return [
    { name: 'slots', method: 'slotSubscribe', params: [] },
    ofProgram('users', 'user'),
    ofProgram('perps', 'perpMarket'),
    ofProgram('spots', 'spotMarket'),
    ofAccount('clock', CLOCK_KEY),
    ...(oracle === null ? [] : [ofAccount('oracle', oracle)]),
    { name: 'logs', method: 'logsSubscribe', params: logs },
  ];
}

/** Opens a connection; resolves with null, or with the reason why it did not open in time. */
export async function openSocket(socket: NodeSocket, timers: Timers): Promise<string | null> {
  const waiting = new AbortController();
  let reason: string | null = `it did not open within ${OPEN_MS_MAX / 1_000} s`;
  socket.start({
    onOpened: () => {
      reason = null;
      waiting.abort();
    },
    onClosed: (why) => {
      reason = why;
      waiting.abort();
    },
    onMalformed: () => undefined,
  });
  await sleep(timers, OPEN_MS_MAX, waiting.signal).catch(() => undefined);
  return reason;
}

/** Subscribes on an open connection, and counts for some milliseconds. */
export async function watchStreams(
  socket: NodeSocket,
  requests: readonly StreamQuery[],
  { timers, watchMs }: { readonly timers: Timers; readonly watchMs: number },
): Promise<ReadonlyMap<StreamName, WatchedStream>> {
  const counts = requests.map((request) => new StreamCount(request, timers));
  await Promise.all(counts.map((count) => count.subscribe(socket)));
  await sleep(timers, watchMs);
  return new Map(counts.map((count) => [count.name, count.end()]));
}

class StreamCount {
  readonly name: StreamName;
  readonly #request: StreamQuery;
  readonly #timers: Timers;
  readonly #sinceMs: number;
  #refusal: string | null = null;
  #firstMs: number | null = null;
  #lastMs: number | null = null;
  #gapMsMax = 0;
  #count = 0;
  #bytes = 0;

  constructor(request: StreamQuery, timers: Timers) {
    this.name = request.name;
    this.#request = request;
    this.#timers = timers;
    this.#sinceMs = timers.nowMs();
  }

  async subscribe(socket: NodeSocket): Promise<void> {
    const { method, params } = this.#request;
    try {
      await socket.subscribe(method, params, (result) => this.#add(result));
    } catch (error) {
      this.#refusal = secrets.mask(loggedFailure(error));
    }
  }

  end(): WatchedStream {
    this.#closeGap();
    return {
      method: this.#request.method,
      refusal: this.#refusal,
      firstMs: this.#firstMs,
      count: this.#count,
      bytes: this.#bytes,
      gapMsMax: this.#gapMsMax,
    };
  }

  #add(result: unknown): void {
    this.#firstMs ??= this.#timers.nowMs() - this.#sinceMs;
    this.#closeGap();
    this.#count += 1;
    this.#bytes += JSON.stringify(result).length + ENVELOPE_BYTES;
  }

  #closeGap(): void {
    const nowMs = this.#timers.nowMs();
    if (this.#lastMs !== null) this.#gapMsMax = Math.max(this.#gapMsMax, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
}
