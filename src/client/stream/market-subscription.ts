/**
 * Common parts of candle and trade subscriptions: the states of one subscription on a shared
 * socket, and the repair of missed messages.
 */
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Connection } from './connection.js';

/** The used part of a connection. */
export type MarketConnection = Pick<Connection, 'clock' | 'sendMessage' | 'restart'>;

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
