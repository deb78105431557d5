import { Backoff } from '../../rpc/backoff.js';
import { readGenesisHash } from '../../rpc/methods.js';
import { sleep } from '../../rpc/timers.js';
import { type AccountUpdate, parseSlotNotification } from '../model/account-update.js';
import { FeedError, isOtherChain, throwIfStopped } from '../model/error.js';
import {
  BOOTSTRAP_BACKOFF_CAP_MS,
  BOOTSTRAP_BACKOFF_FIRST_MS,
  READING_SLOTS_HEARD_AFTER,
  RESYNC_BACKOFF_CAP_MS,
  RESYNC_BACKOFF_FIRST_MS,
} from '../model/limits.js';
import { Auditor } from './auditor.js';
import { ClockPoller } from './clock-poller.js';
import { untilFirstHeard, untilHeard } from './heard.js';
import { Oracles } from './oracles.js';
import type { FeedParts } from './parts.js';
import { type ReadingWish, readClockAndOracles } from './readings.js';
import { applyUpdate, readEverything, replay } from './rebuild.js';
import { ReplayBuffer } from './replay-buffer.js';
import { subscribeAll } from './subscribe-all.js';
import { ToldSlots } from './told-slots.js';

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
  readonly #clockPoller: ClockPoller;
  readonly #resyncs: Backoff;
  readonly #told = new ToldSlots();
  #phase: Phase = 'waiting';
  #failure: FeedError | null = null;
  #genesis: string | null = null;
  #slot = 0;
  #slotFirst = 0;
  #liveAtMs = Number.NEGATIVE_INFINITY;
  #followAgain = false;
  #followRunning = false;

  constructor(parts: FeedParts, listener: SessionListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#oracles = new Oracles(parts, (update) => this.#received(update));
    this.#buffer = new ReplayBuffer(parts.replayUpdatesMax);
    this.#auditor = new Auditor(parts, {
      slot: () => this.#slot,
      isNews: (state) => this.#told.isNews(state),
      oracleKeys: () => this.#oracles.keys(),
      wish: (signal) => this.#wish(signal),
    });
    this.#clockPoller = new ClockPoller(parts, () => this.#readOracles(this.#oracles.keys()));
    this.#resyncs = new Backoff({
      firstMs: RESYNC_BACKOFF_FIRST_MS,
      capMs: RESYNC_BACKOFF_CAP_MS,
      random: parts.random,
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

  /** A notification may be missing: everything is read again, each time after a longer wait. */
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
    if (sinceMs >= RESYNC_BACKOFF_CAP_MS) this.#resyncs.reset();
    await this.#sleep(Math.max(0, this.#resyncs.next() - sinceMs));
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
  pollClock(): Promise<void> {
    return this.#clockPoller.look(this.#stop.signal);
  }

  /** Audits the book when it is time. */
  audit(): Promise<void> {
    return this.#auditor.look();
  }

  #subscribe(): Promise<void> {
    return subscribeAll(this.#parts, {
      slot: (result) => this.#slotReceived(result),
      account: (update) => this.#received(update),
      clock: (update) => {
        this.#clockPoller.heard();
        this.#received(update);
      },
    });
  }

  #slotReceived(result: unknown): void {
    const slot = parseSlotNotification(result);
    if (slot === null || this.#stop.signal.aborted) return;
    if (this.#slot === 0) this.#slotFirst = slot;
    this.#slot = Math.max(this.#slot, slot);
    this.#noteNewest(slot);
    this.#parts.clock.tick(slot);
    this.#listener.slot();
    if (this.#phase === 'live') this.#parts.turns.request();
  }

  /** How far the nodes are, so that a book of another one that is behind is known to be. */
  #noteNewest(slot: number): void {
    const { memory, node } = this.#parts;
    if (slot > memory.newest.slot) memory.newest = { slot, node };
  }

  #received(update: AccountUpdate | null): void {
    if (this.#stop.signal.aborted) return;
    this.#parts.counters.notifications += 1;
    // What is being read may be of the fork that is gone.
    if (update !== null && this.#told.notified(update)) this.#auditor.interrupt();
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
    const genesis = await readGenesisHash(this.#parts.rpc, { signal });
    throwIfStopped(signal);
    this.#enterChain(genesis);
    // Only then is it known which readings are too old: a node may lag behind its own socket.
    await untilFirstHeard(this.#parts, () => this.#slot, signal);
    const slots = await readEverything(this.#parts, this.#oracles, () => this.#wish());
    this.#noteNewest(slots.slotMax);
    await this.#untilHeard(slots.slotMax);
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

  /** Until the socket has told what a reading of this slot holds; a socket without slots cannot. */
  async #untilHeard(slotRead: number): Promise<void> {
    const wanted = { slot: slotRead + READING_SLOTS_HEARD_AFTER, signal: this.#stop.signal };
    if (this.#slot > 0) await untilHeard(this.#parts, () => this.#slot, wanted);
  }

  async #readOracles(keys: readonly string[]): Promise<void> {
    const [liveAtMs, reverts] = [this.#liveAtMs, this.#told.reverts];
    const isCurrent = (): boolean => this.#phase === 'live' && this.#liveAtMs === liveAtMs;
    const readings = await readClockAndOracles(this.#parts, keys, this.#wish());
    const updates = readings.flatMap((reading) => reading.updates);
    const isClock = ({ kind }: AccountUpdate): boolean => kind === 'clock';
    if (isCurrent()) for (const update of updates.filter(isClock)) this.#apply(update);
    // The book would have these prices beside orders from before them, while the socket is behind.
    await this.#untilHeard(Math.max(...readings.map(({ slot }) => slot)));
    if (!isCurrent()) return;
    for (const update of updates) {
      const mayBeReverted = reverts !== this.#told.reverts && this.#told.has(update.pubkey);
      if (isClock(update) || mayBeReverted || !this.#told.isNews(update)) continue;
      this.#told.applied(update);
      this.#apply(update);
    }
  }

  #sleep(delayMs: number): Promise<void> {
    return sleep(this.#parts.timers, delayMs, this.#stop.signal);
  }
}
