import { DEFAULTS } from '../config.js';
import { type Log, silentLog } from '../rpc/log.js';
import { systemTimers, type Timer, type Timers } from '../rpc/timers.js';
import { ChainClock } from './chain-clock.js';
import { failureText } from './failure.js';
import type { FeedEngine, FeedState, FeedTurn } from './feed-engine.js';
import { type FeedTiming, freshness } from './freshness.js';
import {
  CLOCK_POLL_INTERVAL_MS,
  LAGGING_AFTER_MS,
  REPLAY_UPDATES_MAX,
  STALE_AFTER_MS,
  WATCH_INTERVAL_MS,
} from './limits.js';
import {
  type FeedCounters,
  type FeedParts,
  type FeedRpc,
  type FeedSocket,
  newCounters,
} from './parts.js';
import { ProblemLog } from './problem-log.js';
import { Session } from './session.js';
import { TroubleLog } from './trouble-log.js';
import { Turns } from './turns.js';

/** The parts of a live feed; what is optional is for tests and settings. */
export interface LiveFeedOptions {
  readonly rpc: FeedRpc;
  /** Another node for the scan of all users; the same one by default. */
  readonly snapshotRpc?: FeedRpc;
  readonly socket: FeedSocket;
  readonly engine: FeedEngine;
  readonly programId: string;
  readonly log?: Log;
  /** After each turn of the engine: `dirty` names the markets to publish. */
  readonly onTurn?: (turn: FeedTurn) => void;
  /** Once, when the book is live for the first time. */
  readonly onFirstLive?: () => void;
  /** The connection leads to another chain than the one before. */
  readonly onGenesisChanged?: (hash: string) => void;
  readonly timing?: FeedTiming;
  /** Time between two audits of the live book; 0 for none. */
  readonly auditIntervalMs?: number;
  readonly timers?: Timers;
  readonly wallMs?: () => number;
  readonly random?: () => number;
  readonly replayUpdatesMax?: number;
}

/** How far the feed is. */
export interface FeedStatus {
  readonly everLive: boolean;
  readonly state: FeedState | 'starting';
  /** Why it is not live; null when it is. */
  readonly reason: string | null;
  readonly slot: number;
}

/** What the feed did, for metrics. */
export interface FeedStats extends Readonly<FeedCounters> {
  readonly slot: number;
  readonly slotAgeMs: number;
  readonly unixSeconds: number;
  readonly genesisHash: string | null;
}

/**
 * Keeps the engine's book equal to the chain over a Solana RPC: subscribes, buffers, reads all
 * accounts, replays what is not older, and is live; after every reconnect again. The book is never
 * `live` with a hole: from the loss of the connection until the end of the reading it is
 * `rebuilding`, and without slots it is `lagging`, then `stale`.
 *
 * The feed holds every market of the program. A filter by market names limits what is listed and
 * served, and is not applied here: a name is inside the account's bytes, which are not opened here.
 *
 * ```ts
 * const feed = new LiveFeed({ rpc, socket, engine, programId, onTurn: publish });
 * await feed.start();
 * ```
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #parts: FeedParts;
  readonly #problems: ProblemLog;
  readonly #timing: FeedTiming;
  #session: Session | null = null;
  #watch: Timer | null = null;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #slotAtMs = 0;
  #everLive = false;
  #reason: string | null = 'not connected yet';
  /** What the present or the last session failed of; null since it was live. */
  #failure: string | null = null;
  #firstLive: () => void = () => undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.#timing = options.timing ?? {
      laggingAfterMs: LAGGING_AFTER_MS,
      staleAfterMs: STALE_AFTER_MS,
    };
    const { rpc, socket, engine, programId } = options;
    const log = options.log ?? silentLog;
    const timers = options.timers ?? systemTimers;
    const wallMs = options.wallMs ?? Date.now;
    const clock = new ChainClock({ monotonicMs: () => timers.nowMs(), wallMs });
    const onTurn = (turn: FeedTurn): void => this.#turned(turn);
    this.#problems = new ProblemLog(log);
    this.#parts = {
      rpc,
      snapshotRpc: options.snapshotRpc ?? rpc,
      socket,
      engine,
      programId,
      timers,
      random: options.random ?? Math.random,
      clock,
      turns: new Turns({ engine, clock, wallMs, onTurn }),
      log,
      trouble: new TroubleLog(log, timers),
      counters: newCounters(),
      memory: { users: 0, markets: new Set(), genesisHash: null },
      replayUpdatesMax: options.replayUpdatesMax ?? REPLAY_UPDATES_MAX,
      auditIntervalMs: options.auditIntervalMs ?? DEFAULTS.auditIntervalMs,
    };
  }

  /** Begins to connect. Resolves when the book is live for the first time. */
  start(): Promise<void> {
    const firstLive = new Promise<void>((resolve) => {
      this.#firstLive = resolve;
    });
    this.#parts.turns.changeState('rebuilding');
    this.#planWatch();
    this.#parts.socket.start({
      opened: () => this.#opened(),
      closed: (reason) => this.#closed(reason),
      malformed: () => this.#malformed(),
    });
    return firstLive;
  }

  /** Ends the connection, all timers and all readings. The engine keeps its last book. */
  stop(): void {
    this.#watch?.cancel();
    this.#session?.end();
    this.#session = null;
    this.#parts.turns.cancel();
    this.#parts.socket.stop();
  }

  status(): FeedStatus {
    const state = this.#parts.turns.state ?? 'rebuilding';
    return {
      everLive: this.#everLive,
      state: this.#everLive ? state : 'starting',
      reason: state === 'live' ? null : this.#reason,
      slot: this.#parts.clock.slot,
    };
  }

  stats(): FeedStats {
    const { clock, timers, counters, memory } = this.#parts;
    return {
      ...counters,
      slot: clock.slot,
      slotAgeMs: timers.nowMs() - this.#slotAtMs,
      unixSeconds: clock.unixSeconds(),
      genesisHash: memory.genesisHash,
    };
  }

  #opened(): void {
    const { clock, trouble } = this.#parts;
    clock.forgetSlot();
    this.#slotAtMs = this.#parts.timers.nowMs();
    const after = this.#failure === null ? '' : `, after ${this.#failure}`;
    this.#reason = `the accounts are being read${after}`;
    trouble.info('connected', '');
    const session = new Session(this.#parts, {
      live: () => this.#live(session),
      rebuilding: (reason) => this.#rebuilding(reason),
      unreadable: () => this.#malformed(),
      failed: (error) => {
        const outcome = 'the accounts could not be read';
        this.#rebuilding(`${outcome}: ${this.#failed(error, outcome)}`);
      },
      slot: () => {
        this.#slotAtMs = this.#parts.timers.nowMs();
      },
      genesis: (hash) => this.#genesisRead(hash),
    });
    this.#session = session;
    this.#watchOver(session, session.run());
  }

  /** A session that fails is of no use: its socket is cut, and the next one begins anew. */
  #watchOver(session: Session, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (session !== this.#session) return;
      this.#parts.socket.drop(this.#failed(error, 'the connection is given up'));
    });
  }

  /** Logs what failed and what came of it, and keeps the failure; answers it. */
  #failed(error: unknown, outcome: string): string {
    const failure = failureText(error);
    this.#failure = failure;
    this.#parts.trouble.warn(outcome, failure, { err: error });
    return failure;
  }

  #closed(reason: string): void {
    this.#session?.end();
    this.#session = null;
    // A later trouble than the session's own.
    if (reason !== this.#failure) this.#failure = null;
    this.#parts.trouble.warn('connection lost', reason, { reason });
    this.#rebuilding(`no connection: ${reason}`);
  }

  #malformed(): void {
    if (this.#session !== null) this.#watchOver(this.#session, this.#session.resync());
  }

  #rebuilding(reason: string): void {
    this.#reason = reason;
    this.#parts.turns.changeState('rebuilding');
  }

  #live(session: Session): void {
    this.#parts.socket.settled();
    this.#parts.trouble.clear();
    this.#failure = null;
    this.#updateFreshness();
    // A market that was replayed may have brought an oracle that was not read.
    this.#watchOver(session, session.followOracles());
    this.#parts.log.info({ slot: this.#parts.clock.slot }, 'the book is live');
    if (this.#everLive) return;
    this.#everLive = true;
    this.#firstLive();
    this.#options.onFirstLive?.();
  }

  #genesisRead(hash: string): void {
    const { memory, clock, log } = this.#parts;
    const before = memory.genesisHash;
    memory.genesisHash = hash;
    if (before === null || before === hash) return;
    memory.users = 0;
    clock.forgetSlot();
    log.warn({ before, hash }, 'this is another chain');
    this.#options.onGenesisChanged?.(hash);
  }

  #turned(turn: FeedTurn): void {
    this.#problems.add(turn.problems);
    this.#options.onTurn?.(turn);
    const session = this.#session;
    if (turn.marketsChanged && session?.live === true) {
      this.#watchOver(session, session.followOracles());
    }
  }

  #planWatch(): void {
    this.#watch = this.#parts.timers.after(WATCH_INTERVAL_MS, () => {
      this.#planWatch();
      this.#look();
    });
  }

  #look(): void {
    const session = this.#session;
    if (session?.live !== true) return;
    this.#updateFreshness();
    if (this.#parts.turns.clockMoved()) this.#parts.turns.request();
    this.#watchOver(session, session.audit());
    const nowMs = this.#parts.timers.nowMs();
    if (nowMs - this.#polledAtMs < CLOCK_POLL_INTERVAL_MS) return;
    this.#polledAtMs = nowMs;
    this.#watchOver(session, session.pollClock());
  }

  #updateFreshness(): void {
    const sinceMs = this.#parts.timers.nowMs() - this.#slotAtMs;
    const state = freshness(sinceMs, this.#timing);
    this.#reason = state === 'live' ? null : `no slot for ${Math.round(sinceMs)} ms`;
    if (this.#parts.turns.changeState(state) && state !== 'live') {
      this.#parts.log.warn({ state, sinceMs }, 'slots are missing');
    }
  }
}
