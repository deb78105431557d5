import type { Timer, Timers } from '../../contract/timers.js';
import { Backoff } from '../backoff.js';
import { type Endpoint, parseEndpoint } from '../endpoint.js';
import type { Log } from '../log.js';
import { type CallEnd, RESOURCE_EXHAUSTED, UNAVAILABLE } from './call-end.js';
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
  GRPC_STABLE_MS,
} from './limits.js';
import { decodeUpdate, encodePing, type StreamUpdate } from './messages.js';
import { UnansweredPings } from './pings.js';
import type { GrpcStreamListener } from './stream-listener.js';
import { openCall, type SubscribeCall } from './subscribe-call.js';

/** One Yellowstone gRPC server. */
export interface GrpcServer {
  /** `https://` for TLS, `http://` without. */
  readonly url: string;
  /** The `x-token` of the provider. */
  readonly token?: string | undefined;
}

/** The server, and dependencies that a test may replace. */
interface GrpcStreamOptions extends GrpcServer {
  readonly encodeRequest: (fromSlot: number | null) => Buffer;
  readonly timers: Timers;
  readonly random?: () => number;
  readonly silentMsMax?: number;
  /** Logs the server's message at the end of a stream; listeners get this program's text. */
  readonly log?: Log;
}

const PROTOCOLS = ['http:', 'https:'] as const;

interface StreamConnection {
  readonly call: SubscribeCall;
  /** The slot from which to replay; null for a connection after a gap. */
  readonly fromSlot: number | null;
  readonly startedAtMs: number;
  receivedAtMs: number;
  isOpen: boolean;
  watch: Timer | null;
}

/**
 * One stream of a Yellowstone server. After an interruption the stream requests a replay
 * (`from_slot`) with some overlap, so that messages repeat rather than get lost; if the server
 * cannot replay soon enough, the stream reports a gap.
 */
export class GrpcStream {
  readonly counters = { connects: 0, resumes: 0, malformed: 0 };
  readonly #options: GrpcStreamOptions;
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  readonly #refusedBackoff: Backoff;
  #listener: GrpcStreamListener | null = null;
  #connection: StreamConnection | null = null;
  #retry: Timer | null = null;
  readonly #pings = new UnansweredPings();
  #lastText: string | undefined;
  /** The first and (`#newest`) the newest slot since the last gap; 0 before the first slot. */
  #first = 0;
  #newest = 0;
  /** Start of the interruption; null without one. */
  #interruptedAtMs: number | null = null;

  constructor(options: GrpcStreamOptions) {
    const { url, timers, random = Math.random } = options;
    this.#options = options;
    this.#endpoint = parseEndpoint(url, PROTOCOLS);
    this.#timers = timers;
    const firstMs = GRPC_BACKOFF_FIRST_MS;
    this.#backoff = new Backoff({ firstMs, capMs: GRPC_BACKOFF_CAP_MS, random });
    this.#refusedBackoff = new Backoff({ firstMs, capMs: GRPC_REFUSED_BACKOFF_CAP_MS, random });
  }

  /** Host and port of the server, the part of its address that may be published. */
  get name(): string {
    return this.#endpoint.host;
  }

  start(listener: GrpcStreamListener): void {
    this.#listener = listener;
    this.#connectNow(null);
  }

  stop(): void {
    this.#listener = null;
    this.#retry?.cancel();
    this.#retry = null;
    this.#endConnection();
  }

  /** Ends an unusable connection; there is a gap before the next connection. */
  dropConnection(reason: string): void {
    if (this.#connection === null) return;
    this.#endConnection();
    this.#closeStream(reason, this.#backoff.next());
  }

  /**
   * Sends the changed request. Resolves when the server has accepted it, which its pong confirms.
   */
  async renewRequest(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    this.#sendRequest(connection, connection.isOpen ? null : connection.fromSlot);
    if (connection.isOpen) await this.#sendPing(connection);
  }

  #connectNow(fromSlot: number | null): void {
    const nowMs = this.#timers.nowMs();
    const connection: StreamConnection = {
      call: openCall(this.#endpoint.url, this.#options.token, {
        onBytes: (bytes) => this.#handleBytes(connection, bytes),
        onEnd: (end) => this.#handleEnd(connection, end),
      }),
      fromSlot,
      isOpen: false,
      watch: null,
      startedAtMs: nowMs,
      receivedAtMs: nowMs,
    };
    this.#connection = connection;
    this.#watchSilence(connection);
    this.#sendRequest(connection, fromSlot);
    void this.#sendPing(connection);
  }

  #sendRequest({ call }: StreamConnection, fromSlot: number | null): void {
    call.sendRequest(this.#options.encodeRequest(fromSlot));
  }

  /** Sends a ping; resolves with its pong, or with the end of the connection. */
  #sendPing({ call }: StreamConnection): Promise<void> {
    const { id, pong } = this.#pings.add(this.#timers.nowMs());
    call.sendRequest(encodePing(id));
    return pong;
  }

  /** Detects a server that is silent, and a server that ignores requests and pings. */
  #watchSilence(connection: StreamConnection): void {
    const { silentMsMax = GRPC_SILENT_MS_MAX } = this.#options;
    const intervalMs = Math.min(GRPC_PING_INTERVAL_MS, silentMsMax);
    connection.watch = this.#timers.after(intervalMs, () => {
      const reason = this.#silenceOf(connection, silentMsMax);
      if (reason !== null) return this.#handleEnd(connection, { reason, code: UNAVAILABLE });
      if (connection.isOpen) void this.#sendPing(connection);
      this.#watchSilence(connection);
    });
  }

  /** Returns the reason why the connection counts as silent; null when it does not. */
  #silenceOf(connection: StreamConnection, silentMsMax: number): string | null {
    const { isOpen, receivedAtMs, startedAtMs } = connection;
    const nowMs = this.#timers.nowMs();
    const silentMs = nowMs - (isOpen ? receivedAtMs : startedAtMs);
    if (silentMs > (isOpen ? silentMsMax : GRPC_OPEN_MS_MAX))
      return `nothing was received for ${Math.round(silentMs)} ms`;
    const pongMs = nowMs - (this.#pings.oldestAtMs ?? nowMs);
    return isOpen && pongMs > silentMsMax ? `no pong for ${Math.round(pongMs)} ms` : null;
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
    if (update.kind === 'ping') connection.call.sendRequest(encodePing(1));
    if (update.kind === 'ping' || update.kind === 'other') return;
    if (!connection.isOpen && !this.#openWith(connection, update)) return;
    this.#handleUpdate(update);
  }

  /** Handles the first message, which confirms the request. Returns false after a hole. */
  #openWith(connection: StreamConnection, update: StreamUpdate): boolean {
    const { fromSlot } = connection;
    // The pong may arrive before the replay, so it does not confirm the replay.
    if (fromSlot !== null && update.kind === 'pong') return true;
    if (fromSlot !== null && isOfThePast(update)) return false;
    if (fromSlot !== null && 'slot' in update && update.slot > fromSlot + GRPC_RESUMED_SLOTS_MAX) {
      this.#endConnection();
      this.#closeStream(`the server replayed from slot ${update.slot}, not from ${fromSlot}`, 0);
      return false;
    }
    connection.isOpen = true;
    this.counters.connects += 1;
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
    if (update.kind === 'pong') this.#pings.handlePong(update.id);
    if (update.kind === 'pong' || update.kind === 'ping' || update.kind === 'other') return;
    if (update.kind === 'slot' && !isOfThePast(update)) {
      if (this.#first === 0) this.#first = update.slot;
      this.#newest = Math.max(this.#newest, update.slot);
    }
    this.#listener?.onContent(update);
  }

  #handleEnd(connection: StreamConnection, { reason, code, serverText }: CallEnd): void {
    if (connection !== this.#connection) return;
    this.#logText(serverText);
    this.#endConnection();
    // The delay grows for a server that ends each stream after its first message.
    const stableFromMs = connection.startedAtMs + GRPC_STABLE_MS;
    if (connection.isOpen && this.#timers.nowMs() >= stableFromMs) this.#backoff.reset();
    const isRefused = code !== UNAVAILABLE && !connection.isOpen;
    const waitMs = isRefused ? this.#refusedBackoff.next() : this.#backoff.next();
    if (code === RESOURCE_EXHAUSTED || !this.#canResume(connection, isRefused)) {
      this.#closeStream(reason, waitMs);
      return;
    }
    if (this.#interruptedAtMs === null) {
      this.#interruptedAtMs = this.#timers.nowMs();
      this.#listener?.onInterrupted(reason);
    }
    this.#planConnect(waitMs, Math.max(this.#first, this.#newest - GRPC_RESUME_SLOTS));
  }

  /** Logs the server's message once for each text, because a refusing server repeats it. */
  #logText(serverText: string | undefined): void {
    if (serverText === undefined || serverText === this.#lastText) return;
    this.#lastText = serverText;
    this.#options.log?.warn({ server: this.name, serverText }, 'a stream of gRPC failed');
  }

  /** Returns whether a replay is possible: not after a refusal, nor after a long time. */
  #canResume({ isOpen, fromSlot }: StreamConnection, isRefused: boolean): boolean {
    // A replay of a young stream cannot be distinguished from new messages.
    if (isOpen) return this.#newest - this.#first > GRPC_RESUMED_SLOTS_MAX;
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
    connection?.call.close();
    this.#pings.clear();
  }
}

/** Servers report finalised and dead slots long after the writes of these slots. */
function isOfThePast(update: StreamUpdate): boolean {
  return update.kind === 'slot' && (update.status === 'finalized' || update.status === 'dead');
}
