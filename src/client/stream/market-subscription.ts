/**
 * Common parts of candle and trade subscriptions: the states of one subscription on a shared
 * socket, the repair of missed messages, and the liveness check of that socket.
 */
import type { Clock } from '../environment.js';
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Connection } from './connection.js';

/** The used part of a connection. */
export interface MarketConnection {
  readonly clock: Clock;
  sendMessage(message: object): void;
  restart(): void;
}

/** How a repair ends. */
interface RepairOutcome<Missed> {
  readonly onRead: (missed: Missed) => void;
  /**
   * Called when the repair failed; {@link MarketSubscription.retries} emits the error after this
   * call.
   */
  readonly onFailure: () => void;
}

/** One subscription; its state is `off` without a connection, and until a retry. */
export class MarketSubscription {
  /** The service refuses it for good. */
  readonly ends = new Listeners<ClientError>();
  /** Emits the temporary errors of the subscription or of a repair, which are retried. */
  readonly retries = new Listeners<ClientError>();
  readonly #connection: MarketConnection;
  readonly #topic: object;
  readonly #onInterrupt: () => void;
  #state: 'off' | 'subscribing' | 'on' | 'ended' = 'off';
  #repair: AbortController | undefined;
  #cancelTimer: () => void = () => {};

  /** `onInterrupt` is called when the subscription turns off or ends. */
  constructor(connection: MarketConnection, topic: object, onInterrupt: () => void) {
    this.#connection = connection;
    this.#topic = topic;
    this.#onInterrupt = onInterrupt;
  }

  /** Whether a subscription was requested and is not yet acknowledged. */
  get isSubscribing(): boolean {
    return this.#state === 'subscribing';
  }

  get isOn(): boolean {
    return this.#state === 'on';
  }

  subscribe(): void {
    if (this.#state === 'ended') return;
    this.#state = 'subscribing';
    this.#schedule(limits.RESPONSE_MS_MAX, () => this.#connection.restart());
    this.#connection.sendMessage({ type: 'subscribe', ...this.#topic });
  }

  /** Ends it for good. */
  unsubscribe(): void {
    if (this.#state === 'subscribing' || this.#state === 'on') {
      this.#connection.sendMessage({ type: 'unsubscribe', ...this.#topic });
    }
    this.#interrupt('ended');
  }

  handleDisconnect(): void {
    if (this.#state !== 'ended') this.#interrupt('off');
  }

  /**
   * Handles an acknowledgement, or the first message. Returns whether the subscription was pending.
   */
  handleAcknowledged(): boolean {
    if (this.#state !== 'subscribing') return false;
    this.#cancelTimer();
    this.#state = 'on';
    return true;
  }

  /** Handles a refusal; a temporary one is retried. */
  handleError(error: ClientError, transience: 'transient' | 'final'): void {
    if (this.#state === 'ended') return;
    if (transience === 'final') {
      this.#interrupt('ended');
      this.ends.emit(error);
      return;
    }
    this.#interrupt('off');
    this.#schedule(limits.RESUBSCRIBE_MS, () => this.subscribe());
    this.retries.emit(error);
  }

  /** Reads the missed messages; replaces a running repair. */
  startRepair<Missed>(
    read: (signal: AbortSignal) => Promise<Missed>,
    { onRead, onFailure }: RepairOutcome<Missed>,
  ): void {
    const repair = new AbortController();
    this.#repair?.abort();
    this.#repair = repair;
    this.#cancelTimer();
    read(repair.signal).then(
      (missed) => {
        if (!repair.signal.aborted) onRead(missed);
      },
      (cause: unknown) => {
        if (repair.signal.aborted) return;
        onFailure();
        this.retries.emit(codedError(cause));
      },
    );
  }

  /** Schedules a call after the pause between two attempts; an interruption cancels the call. */
  scheduleRetry(call: () => void): void {
    this.#schedule(limits.RESUBSCRIBE_MS, call);
  }

  #interrupt(state: 'off' | 'ended'): void {
    this.#state = state;
    this.#cancelTimer();
    this.#repair?.abort();
    this.#repair = undefined;
    this.#onInterrupt();
  }

  #schedule(ms: number, call: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#connection.clock.after(ms, call);
  }
}

function codedError(cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  return new ClientError('UNREACHABLE', 'what was missed could not be read', {}, { cause });
}

/** Pings a silent socket, and restarts the socket when no reply comes. */
export class Liveness {
  readonly #connection: Connection;
  readonly #isNeeded: () => boolean;
  #receivedAtMs = 0;
  #isWatching = false;

  constructor(connection: Connection, isNeeded: () => boolean) {
    this.#connection = connection;
    this.#isNeeded = isNeeded;
  }

  /** Records a received message, or an opened connection. */
  noteReceived(): void {
    this.#receivedAtMs = this.#connection.clock.monotonicMs();
  }

  /** Starts to check the socket, for as long as it is needed. */
  startWatch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock } = this.#connection;
    const startedAtMs = clock.monotonicMs();
    clock.after(limits.PONG_MS_MAX, () => {
      this.#isWatching = false;
      if (!this.#isNeeded()) {
        this.#connection.close();
        return;
      }
      const nowMs = clock.monotonicMs();
      const isLate = nowMs - startedAtMs > limits.PONG_MS_MAX + limits.WATCH_LATE_MS_MAX;
      if (this.#connection.state === 'open' && !isLate)
        this.#checkSilence(nowMs - this.#receivedAtMs);
      this.startWatch();
    });
  }

  #checkSilence(silenceMs: number): void {
    if (silenceMs >= limits.PING_MS + limits.PONG_MS_MAX) this.#connection.restart();
    else if (silenceMs >= limits.PING_MS) {
      this.#connection.sendMessage({ type: 'ping', id: 'alive' });
    }
  }
}
