import { Backoff } from '../rpc/backoff.js';
import { sleep } from '../rpc/timers.js';
import {
  type AccountUpdate,
  parseAccountNotification,
  parseProgramNotification,
  parseSlotNotification,
} from './account-update.js';
import { Auditor } from './auditor.js';
import { FeedError, throwIfStopped } from './error.js';
import {
  BOOTSTRAP_BACKOFF_CAP_MS,
  BOOTSTRAP_BACKOFF_FIRST_MS,
  CLOCK_SILENT_AFTER_MS,
  RESYNC_INTERVAL_MIN_MS,
} from './limits.js';
import { Oracles } from './oracles.js';
import type { FeedParts } from './parts.js';
import {
  accountSubscribeParams,
  CLOCK_KEY,
  PROGRAM_KINDS,
  type ProgramKind,
  programSubscribeParams,
} from './queries.js';
import { type ReadingWish, readClockAndOracles } from './readings.js';
import { applyUpdate, readEverything, replay } from './rebuild.js';
import { ReplayBuffer } from './replay-buffer.js';

/** What the feed is told by its present connection. */
export interface SessionListener {
  /** The book is complete, in the turn that is about to end. */
  live(): void;
  /** The book is complete no more. */
  rebuilding(reason: string): void;
  /** A notification was unreadable: what it told is missing. */
  unreadable(): void;
  /** A reading failed; the next one is planned. */
  failed(error: unknown): void;
  /** A slot arrived. */
  slot(): void;
  /** The chain that this connection leads to. */
  genesis(hash: string): void;
}

/** `waiting` drops updates: a full reading begins after it. */
type Phase = 'waiting' | 'reading' | 'live';

/**
 * One connection, from its subscriptions over the full reading to the live stream. It ends with its
 * connection; the next one begins anew, because nothing is known about the time between.
 */
export class Session {
  readonly #parts: FeedParts;
  readonly #listener: SessionListener;
  readonly #stop = new AbortController();
  readonly #oracles: Oracles;
  readonly #buffer: ReplayBuffer;
  readonly #auditor: Auditor;
  /** The slot of the newest notification of each market and State account. */
  readonly #marketSlots = new Map<string, number>();
  #phase: Phase = 'waiting';
  #failure: FeedError | null = null;
  #genesis: string | null = null;
  #slot = 0;
  #slotFirst = 0;
  #clockHeardAtMs = Number.NEGATIVE_INFINITY;
  #liveAtMs = Number.NEGATIVE_INFINITY;
  #pollRunning = false;
  #followAgain = false;
  #followRunning = false;

  constructor(parts: FeedParts, listener: SessionListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#oracles = new Oracles(parts, (update) => this.#received(update));
    this.#buffer = new ReplayBuffer(parts.replayUpdatesMax);
    this.#auditor = new Auditor(parts, {
      slot: () => this.#slot,
      isNews: ({ pubkey, slot }) => slot > (this.#marketSlots.get(pubkey) ?? 0),
      wish: (signal) => this.#wish(signal),
    });
  }

  get live(): boolean {
    return this.#phase === 'live';
  }

  /** Subscribes and reads until the book is live. Fails when a subscription does. */
  async run(): Promise<void> {
    await this.#subscribe();
    await this.#rebuildUntilLive();
  }

  /** The connection is gone: nothing of this session reaches the engine any more. */
  end(): void {
    this.#phase = 'waiting';
    this.#auditor.stop();
    this.#stop.abort();
  }

  /** A notification may be missing: everything is read again, at most once in a while. */
  async resync(): Promise<void> {
    if (this.#phase !== 'live') {
      const message = 'a message was unreadable while the accounts were read';
      this.#failure ??= new FeedError('NOTIFICATION_GAP', message);
      return;
    }
    this.#parts.counters.resyncs += 1;
    this.#phase = 'waiting';
    this.#auditor.stop();
    this.#listener.rebuilding('a message was unreadable');
    const sinceMs = this.#parts.timers.nowMs() - this.#liveAtMs;
    await this.#sleep(Math.max(0, RESYNC_INTERVAL_MIN_MS - sinceMs));
    await this.#rebuildUntilLive();
  }

  /** After a turn in which markets changed: their oracles may be others. */
  async followOracles(): Promise<void> {
    this.#followAgain = true;
    if (this.#followRunning || this.#phase !== 'live') return;
    this.#followRunning = true;
    try {
      while (this.#followAgain && this.#phase === 'live') {
        this.#followAgain = false;
        const added = await this.#oracles.follow();
        if (added.length > 0) await this.#readOracles(added);
      }
    } finally {
      this.#followRunning = false;
    }
  }

  /** Reads the Clock, and the oracles with it, where its subscription is silent. */
  async pollClock(): Promise<void> {
    const silentMs = this.#parts.timers.nowMs() - this.#clockHeardAtMs;
    if (this.#phase !== 'live' || this.#pollRunning || silentMs < CLOCK_SILENT_AFTER_MS) return;
    this.#pollRunning = true;
    this.#parts.counters.clockPolls += 1;
    try {
      await this.#readOracles(this.#oracles.keys());
    } catch (error) {
      this.#parts.counters.clockPollFailures += 1;
      if (!this.#stop.signal.aborted) this.#parts.log.warn({ err: error }, 'clock was not read');
    } finally {
      this.#pollRunning = false;
    }
  }

  /** Audits the book when it is time. */
  audit(): Promise<void> {
    return this.#auditor.look();
  }

  async #subscribe(): Promise<void> {
    const { socket } = this.#parts;
    await Promise.all([
      socket.subscribe('slotSubscribe', [], (result) => this.#slotReceived(result)),
      ...PROGRAM_KINDS.map((kind) => this.#subscribeProgram(kind)),
      socket.subscribe('accountSubscribe', accountSubscribeParams(CLOCK_KEY), (result) => {
        this.#clockHeardAtMs = this.#parts.timers.nowMs();
        this.#received(parseAccountNotification('clock', CLOCK_KEY, result));
      }),
    ]);
  }

  #subscribeProgram(kind: ProgramKind): Promise<unknown> {
    const params = programSubscribeParams(this.#parts.programId, kind);
    return this.#parts.socket.subscribe('programSubscribe', params, (result) => {
      const update = parseProgramNotification(kind, result);
      if (update !== null && kind !== 'user') this.#marketSlots.set(update.pubkey, update.slot);
      this.#received(update);
    });
  }

  #slotReceived(result: unknown): void {
    const slot = parseSlotNotification(result);
    if (slot === null || this.#stop.signal.aborted) return;
    if (this.#slot === 0) this.#slotFirst = slot;
    this.#slot = Math.max(this.#slot, slot);
    this.#parts.clock.tick(slot);
    this.#listener.slot();
    if (this.#phase === 'live') this.#parts.turns.request();
  }

  #received(update: AccountUpdate | null): void {
    if (this.#stop.signal.aborted) return;
    this.#parts.counters.notifications += 1;
    if (update === null) this.#unreadable();
    else if (this.#phase === 'live') this.#apply(update);
    else if (this.#phase === 'reading') this.#keep(update);
  }

  /** What it told is not in the book, and nothing says which account it was about. */
  #unreadable(): void {
    this.#parts.counters.malformedNotifications += 1;
    this.#listener.unreadable();
  }

  #apply(update: AccountUpdate): void {
    applyUpdate(this.#parts, update);
    this.#parts.turns.request();
  }

  /** Overflow makes this reading useless; the next one begins with an empty buffer. */
  #keep(update: AccountUpdate): void {
    try {
      this.#buffer.add(update);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.#failure ??= error;
      this.#buffer.take();
    }
  }

  async #rebuildUntilLive(): Promise<void> {
    const backoff = new Backoff({
      firstMs: BOOTSTRAP_BACKOFF_FIRST_MS,
      capMs: BOOTSTRAP_BACKOFF_CAP_MS,
      random: this.#parts.random,
    });
    while (!(await this.#rebuild())) await this.#sleep(backoff.next());
  }

  async #rebuild(): Promise<boolean> {
    this.#parts.counters.rebuilds += 1;
    this.#buffer.take();
    this.#failure = null;
    this.#phase = 'reading';
    try {
      await this.#readAndReplay();
    } catch (error) {
      this.#phase = 'waiting';
      if (this.#stop.signal.aborted || isOtherChain(error)) throw error;
      this.#parts.counters.rebuildFailures += 1;
      this.#listener.failed(error);
      return false;
    }
    this.#phase = 'live';
    this.#liveAtMs = this.#parts.timers.nowMs();
    this.#auditor.start();
    this.#listener.live();
    return true;
  }

  async #readAndReplay(): Promise<void> {
    const { signal } = this.#stop;
    const genesis = await this.#parts.rpc.call('getGenesisHash', [], String, { signal });
    throwIfStopped(signal);
    this.#enterChain(genesis);
    const slots = await readEverything(this.#parts, this.#oracles, () => this.#wish());
    await replay(this.#parts, this.#buffer, slots, signal);
    if (this.#failure !== null) throw this.#failure;
  }

  /**
   * A connection stands for one chain. On another one its slots say nothing, and its subscriptions
   * may still be of the chain before: only a new connection is sure to be of the new chain.
   */
  #enterChain(genesis: string): void {
    const before = this.#genesis;
    this.#genesis = genesis;
    this.#listener.genesis(genesis);
    if (before === null || before === genesis) return;
    const message = `genesis hash was ${genesis}, must be ${before} on this connection`;
    throw new FeedError('GENESIS_MISMATCH', message);
  }

  /**
   * A reading from now on. A slot is announced when it begins, so what was processed last is the one
   * before. When none was announced yet the first one counts, which comes after the subscriptions.
   */
  #wish(signal = this.#stop.signal): ReadingWish {
    const from = this.#slot;
    const slotMin = (): number => Math.max(0, (from > 0 ? from : this.#slotFirst) - 1);
    return { slotMin, signal };
  }

  async #readOracles(keys: readonly string[]): Promise<void> {
    const readings = await readClockAndOracles(this.#parts, keys, this.#wish());
    if (this.#phase !== 'live') return;
    for (const update of readings.flatMap((reading) => reading.updates)) {
      if (update.kind === 'clock' || this.#oracles.accepts(update.pubkey, update.slot)) {
        this.#apply(update);
      }
    }
  }

  #sleep(delayMs: number): Promise<void> {
    return sleep(this.#parts.timers, delayMs, this.#stop.signal);
  }
}

function isOtherChain(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'GENESIS_MISMATCH';
}
