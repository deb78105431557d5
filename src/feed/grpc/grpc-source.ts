import { Backoff } from '../../rpc/backoff.js';
import { type Endpoint, parseEndpoint } from '../../rpc/redact.js';
import { systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import type { FeedSource, SourceListener } from '../model/feed-source.js';
import { ORACLES_MAX } from '../model/limits.js';
import { CLOCK_KEY } from '../model/queries.js';
import { AccountReader } from './account-reader.js';
import {
  GRPC_BACKOFF_CAP_MS,
  GRPC_BACKOFF_FIRST_MS,
  GRPC_OPEN_MS_MAX,
  GRPC_PING_INTERVAL_MS,
  GRPC_REFUSED_BACKOFF_CAP_MS,
  GRPC_RESUME_MS_MAX,
  GRPC_RESUME_SLOTS,
  GRPC_RESUMED_SLOTS_MAX,
  GRPC_SILENT_MS_MAX,
} from './limits.js';
import { decodeUpdate, encodePing, encodeRequest, type StreamUpdate } from './messages.js';
import { openCall, type SubscribeCall, UNAVAILABLE } from './subscribe-call.js';

/** Where to connect, and what a test may replace or shorten. */
export interface GrpcSourceOptions {
  /** `https://` for TLS, `http://` without. */
  readonly url: string;
  /** The `x-token` of the provider. */
  readonly token?: string | undefined;
  readonly programId: string;
  readonly timers?: Timers;
  readonly random?: () => number;
  readonly silentMsMax?: number;
}

const PROTOCOLS = ['http:', 'https:'] as const;

/** One stream with all that ends with it. */
interface StreamConnection {
  call: SubscribeCall | null;
  /** The slot from which it is to notify again; null for one with a gap before it. */
  readonly fromSlot: number | null;
  readonly startedAtMs: number;
  receivedAtMs: number;
  isOpen: boolean;
  watch: Timer | null;
}

/**
 * One stream of a Yellowstone server, over a client of gRPC that is loaded when the first one starts. It asks for
 * what was missed after a cut (`from_slot`), some slots more than that, so that writes come twice rather than never;
 * where the server cannot notify it, or not soon, the stream has a gap.
 */
export class GrpcSource implements FeedSource {
  readonly kind = 'grpc';
  readonly counters = { connects: 0, resumes: 0, malformed: 0, foreign: 0 };
  readonly #options: GrpcSourceOptions;
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  readonly #refusedBackoff: Backoff;
  readonly #accounts: AccountReader;
  #listener: SourceListener | null = null;
  #connection: StreamConnection | null = null;
  #retry: Timer | null = null;
  #keys: readonly string[] = [];
  #pings = 0;
  /** Who waits for the pong of this ping. */
  readonly #pongs = new Map<number, () => void>();
  /** The first and the newest slot that were notified since the last gap; 0 before the first. */
  #first = 0;
  #newest = 0;
  /** Since when the stream is interrupted; null while it is not. */
  #interruptedAtMs: number | null = null;

  constructor(options: GrpcSourceOptions) {
    const { url, programId, timers = systemTimers, random = Math.random } = options;
    this.#options = options;
    this.#endpoint = parseEndpoint(url, PROTOCOLS);
    this.#timers = timers;
    const firstMs = GRPC_BACKOFF_FIRST_MS;
    this.#backoff = new Backoff({ firstMs, capMs: GRPC_BACKOFF_CAP_MS, random });
    this.#refusedBackoff = new Backoff({ firstMs, capMs: GRPC_REFUSED_BACKOFF_CAP_MS, random });
    this.#accounts = new AccountReader(programId);
  }

  get name(): string {
    return this.#endpoint.host;
  }

  start(listener: SourceListener): void {
    this.#listener = listener;
    this.#connectNow(null);
  }

  stop(): void {
    this.#listener = null;
    this.#retry?.cancel();
    this.#retry = null;
    this.#endConnection();
  }

  dropConnection(reason: string): void {
    if (this.#connection === null) return;
    this.#endConnection();
    this.#closeStream(reason, this.#backoff.next());
  }

  /** Resolves when the server has taken the request, as a pong after it says. */
  async followKeys(keys: readonly string[]): Promise<void> {
    this.#keys = keys.slice(0, ORACLES_MAX);
    this.#accounts.followKeys(this.#keys);
    const connection = this.#connection;
    if (connection?.call == null) return;
    this.#requestFrom(connection, connection.isOpen ? null : connection.fromSlot);
    if (connection.isOpen) await this.#sendPing(connection);
  }

  #connectNow(fromSlot: number | null): void {
    const nowMs = this.#timers.nowMs();
    const connection: StreamConnection = {
      ...{ call: null, fromSlot, isOpen: false, watch: null },
      ...{ startedAtMs: nowMs, receivedAtMs: nowMs },
    };
    this.#connection = connection;
    this.#watchSilence(connection);
    this.#openStream(connection).catch((error: unknown) => {
      if (connection === this.#connection) this.#handleEnd(connection, textOf(error), UNAVAILABLE);
    });
  }

  async #openStream(connection: StreamConnection): Promise<void> {
    const opened = await openCall(this.#endpoint.url, this.#options.token, {
      onBytes: (bytes) => this.#handleBytes(connection, bytes),
      onEnd: (reason, code) => this.#handleEnd(connection, reason, code),
    });
    if (connection !== this.#connection) {
      opened.close();
      return;
    }
    connection.call = opened;
    this.#requestFrom(connection, connection.fromSlot);
    void this.#sendPing(connection);
  }

  #requestFrom({ call }: StreamConnection, fromSlot: number | null): void {
    const accounts = [CLOCK_KEY, ...this.#keys];
    call?.sendRequest(encodeRequest({ owner: this.#options.programId, accounts, fromSlot }));
  }

  /** Resolves with the pong, or with the end of the connection. */
  #sendPing({ call }: StreamConnection): Promise<void> {
    this.#pings = (this.#pings % 1_000_000) + 1;
    const id = this.#pings;
    call?.sendRequest(encodePing(id));
    return new Promise((resolve) => this.#pongs.set(id, resolve));
  }

  /** Any message counts as life; a server that is gone without a word is found by its silence. */
  #watchSilence(connection: StreamConnection): void {
    const { silentMsMax = GRPC_SILENT_MS_MAX } = this.#options;
    const intervalMs = Math.min(GRPC_PING_INTERVAL_MS, silentMsMax);
    connection.watch = this.#timers.after(intervalMs, () => {
      const nowMs = this.#timers.nowMs();
      const silentMs = nowMs - connection.receivedAtMs;
      const limitMs = connection.isOpen ? silentMsMax : GRPC_OPEN_MS_MAX;
      if (silentMs > limitMs) {
        const reason = `nothing was received for ${Math.round(silentMs)} ms`;
        this.#handleEnd(connection, reason, UNAVAILABLE);
        return;
      }
      if (connection.isOpen) void this.#sendPing(connection);
      this.#watchSilence(connection);
    });
  }

  #handleBytes(connection: StreamConnection, bytes: Buffer): void {
    if (connection !== this.#connection) return;
    connection.receivedAtMs = this.#timers.nowMs();
    let update: StreamUpdate;
    try {
      update = decodeUpdate(bytes);
    } catch {
      this.counters.malformed += 1;
      this.#listener?.onMalformed();
      return;
    }
    if (update.kind === 'ping') connection.call?.sendRequest(encodePing(1));
    if (update.kind === 'ping' || update.kind === 'other') return;
    if (!connection.isOpen && !this.#openWith(connection, update)) return;
    this.#handleUpdate(update);
  }

  /** The first message shows that the request was taken, and from which slot on. False where it cannot go on. */
  #openWith(connection: StreamConnection, update: StreamUpdate): boolean {
    const { fromSlot } = connection;
    // The pong may come before what is replayed, and says nothing of it.
    if (fromSlot !== null && update.kind === 'pong') return true;
    const isSlot = update.kind === 'slot' || update.kind === 'account';
    if (fromSlot !== null && isSlot && update.slot > fromSlot + GRPC_RESUMED_SLOTS_MAX) {
      this.#endConnection();
      this.#closeStream(`the server replayed from slot ${update.slot}, not from ${fromSlot}`, 0);
      return false;
    }
    connection.isOpen = true;
    this.counters.connects += 1;
    this.#backoff.reset();
    this.#refusedBackoff.reset();
    this.#interruptedAtMs = null;
    if (fromSlot === null) this.#listener?.onOpened();
    else {
      this.counters.resumes += 1;
      this.#listener?.onResumed();
    }
    return connection === this.#connection;
  }

  #handleUpdate(update: StreamUpdate): void {
    if (update.kind === 'pong') {
      this.#pongs.get(update.id)?.();
      this.#pongs.delete(update.id);
    } else if (update.kind === 'slot') {
      const { slot, parent, status } = update;
      if (status === 'begun' || status === 'processed') {
        if (this.#first === 0) this.#first = slot;
        this.#newest = Math.max(this.#newest, slot);
      }
      this.#listener?.onSlot({ slot, parent, status });
    } else if (update.kind === 'account') {
      const read = this.#accounts.readAccount(update);
      if (read === 'foreign') this.counters.foreign += 1;
      else if (read !== null) this.#listener?.onUpdate(read);
    }
  }

  #handleEnd(connection: StreamConnection, reason: string, code: number): void {
    if (connection !== this.#connection) return;
    const text = this.#endpoint.redact(reason);
    this.#endConnection();
    const isRefused = code !== UNAVAILABLE && !connection.isOpen;
    const waitMs = isRefused ? this.#refusedBackoff.next() : this.#backoff.next();
    if (!this.#canResume(connection, isRefused)) {
      this.#closeStream(text, waitMs);
      return;
    }
    if (this.#interruptedAtMs === null) {
      this.#interruptedAtMs = this.#timers.nowMs();
      this.#listener?.onInterrupted(text);
    }
    this.#planConnect(waitMs, Math.max(this.#first, this.#newest - GRPC_RESUME_SLOTS));
  }

  /** Whether what was missed may still be notified: not what was refused, and not after long. */
  #canResume({ isOpen, fromSlot }: StreamConnection, isRefused: boolean): boolean {
    if (isOpen) return this.#newest > 0;
    if (fromSlot === null || isRefused || this.#interruptedAtMs === null) return false;
    return this.#timers.nowMs() - this.#interruptedAtMs < GRPC_RESUME_MS_MAX;
  }

  #closeStream(reason: string, waitMs: number): void {
    this.#interruptedAtMs = null;
    this.#first = 0;
    this.#newest = 0;
    this.#planConnect(waitMs, null);
    this.#listener?.onClosed(reason);
  }

  #planConnect(waitMs: number, fromSlot: number | null): void {
    this.#retry?.cancel();
    this.#retry = this.#timers.after(waitMs, () => this.#connectNow(fromSlot));
  }

  #endConnection(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.watch?.cancel();
    connection?.call?.close();
    for (const resolve of this.#pongs.values()) resolve();
    this.#pongs.clear();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
