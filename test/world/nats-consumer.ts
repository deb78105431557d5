/** The consumers of the model of a NATS server: they send what a stream has, as it is asked for or as it comes. */
import type { PlannedEvent } from '../simulation/virtual-time.js';
import { headersOf, type NatsMessage } from './nats-protocol.js';
import type { StoredMessage, Stream } from './nats-stream.js';

/** What a consumer needs of its server. */
export interface ConsumerParts {
  /** Sends a message to those who listen to its subject, or to another one. */
  publish(message: NatsMessage, to?: string): void;
  hasInterest(subject: string): boolean;
  after(delayMs: number, run: () => void): PlannedEvent;
}

interface ConsumerConfig {
  readonly name: string;
  readonly deliver_policy?: 'all' | 'new' | 'by_start_sequence' | 'last_per_subject';
  readonly opt_start_seq?: number;
  readonly filter_subject?: string;
  /** Of one that sends by itself. */
  readonly deliver_subject?: string;
  /** Nanoseconds. */
  readonly idle_heartbeat?: number;
}

interface PullRequest {
  readonly reply: string;
  left: number;
  readonly timers: PlannedEvent[];
}

const NANOS = 1_000_000;

/** A consumer whose messages need no acknowledgement. */
export class Consumer {
  readonly #parts: ConsumerParts;
  readonly #stream: Stream;
  readonly #config: ConsumerConfig;
  readonly #requests: PullRequest[] = [];
  /** Of `last_per_subject`: those of the past that it sends. */
  readonly #chosen: ReadonlySet<number> | null;
  readonly #beganAt: number;
  /** The next message is one of this sequence number or above. */
  #next: number;
  #sent = 0;
  #lastSent = 0;
  #heartbeat: PlannedEvent | null = null;

  constructor(stream: Stream, config: ConsumerConfig, parts: ConsumerParts) {
    const { deliver_policy: policy, opt_start_seq: from = 1, filter_subject: filter } = config;
    this.#parts = parts;
    this.#stream = stream;
    this.#config = config;
    this.#beganAt = stream.lastSeq;
    const end = stream.lastSeq + 1;
    // One beyond the end, as of a stream that was deleted, begins at the end.
    this.#next = policy === 'by_start_sequence' ? Math.min(from, end) : policy === 'new' ? end : 1;
    const newest = new Map(stream.kept(filter).map(({ subject, seq }) => [subject, seq]));
    this.#chosen = policy === 'last_per_subject' ? new Set(newest.values()) : null;
  }

  get info(): object {
    const delivered = { consumer_seq: this.#sent, stream_seq: this.#lastSent };
    return {
      ...{ stream_name: this.#stream.config.name, name: this.#config.name },
      ...{ created: this.#stream.created, config: this.#config, delivered, ack_floor: delivered },
      ...{ num_ack_pending: 0, num_redelivered: 0, num_waiting: this.#requests.length },
      num_pending: this.#pending().length,
    };
  }

  /** Somebody asks for more. */
  pull(reply: string, ask: { batch?: number; expires?: number; idle_heartbeat?: number }): void {
    const { batch = 1, expires = 0, idle_heartbeat: heartbeat = 0 } = ask;
    const request: PullRequest = { reply, left: batch, timers: [] };
    this.#requests.push(request);
    const { after } = this.#parts;
    if (expires > 0) request.timers.push(after(expires / NANOS, () => this.#expire(request)));
    if (heartbeat > 0) this.#beatFor(request, heartbeat / NANOS);
    this.deliver();
  }

  /** Sends what it may. */
  deliver(): void {
    const { deliver_subject: subject } = this.#config;
    const isWanted =
      subject === undefined ? this.#nextRequest() !== undefined : this.#parts.hasInterest(subject);
    for (const message of isWanted ? this.#pending() : []) {
      const request = this.#nextRequest();
      const to = subject ?? request?.reply;
      if (to === undefined || !this.#parts.hasInterest(to)) break;
      this.#send(message, to);
      if (request === undefined) continue;
      request.left -= 1;
      if (request.left === 0) this.#end(request);
    }
    const { idle_heartbeat: heartbeat = 0 } = this.#config;
    if (subject !== undefined && heartbeat > 0) this.#beatOn(subject, heartbeat / NANOS);
  }

  /** Ends all, with words for those who wait. */
  close(status: string | null): void {
    this.#heartbeat?.cancel();
    for (const request of [...this.#requests]) {
      if (status !== null) this.#say(request.reply, status);
      this.#end(request);
    }
  }

  #pending(): readonly StoredMessage[] {
    return this.#stream.kept(this.#config.filter_subject, this.#next).filter(({ seq }) => {
      return this.#chosen === null || seq > this.#beganAt || this.#chosen.has(seq);
    });
  }

  /** The first whose client is still there. */
  #nextRequest(): PullRequest | undefined {
    for (const request of [...this.#requests]) {
      if (this.#parts.hasInterest(request.reply)) return request;
      this.#end(request);
    }
    return undefined;
  }

  #send({ seq, subject, headers, data, timeMs }: StoredMessage, to: string): void {
    this.#next = seq + 1;
    this.#sent += 1;
    this.#lastSent = seq;
    const { name } = this.#stream.config;
    const left = this.#pending().length;
    const reply = `$JS.ACK.${name}.${this.#config.name}.1.${seq}.${this.#sent}.${timeMs * NANOS}.${left}`;
    this.#parts.publish({ subject, reply, headers, data }, to);
  }

  #beatFor(request: PullRequest, everyMs: number): void {
    const beat = this.#parts.after(everyMs, () => {
      if (!this.#requests.includes(request)) return;
      this.#sayIdle(request.reply);
      this.#beatFor(request, everyMs);
    });
    request.timers.push(beat);
  }

  #beatOn(subject: string, everyMs: number): void {
    this.#heartbeat?.cancel();
    this.#heartbeat = this.#parts.after(everyMs, () => {
      this.#sayIdle(subject);
      this.#beatOn(subject, everyMs);
    });
  }

  #sayIdle(to: string): void {
    const lines = [`Nats-Last-Consumer: ${this.#sent}`, `Nats-Last-Stream: ${this.#lastSent}`];
    this.#say(to, '100 Idle Heartbeat', lines);
  }

  #expire(request: PullRequest): void {
    if (!this.#requests.includes(request)) return;
    const lines = [`Nats-Pending-Messages: ${request.left}`, 'Nats-Pending-Bytes: 0'];
    this.#say(request.reply, '408 Request Timeout', lines);
    this.#end(request);
  }

  #say(to: string, status: string, lines: readonly string[] = []): void {
    const data = Buffer.alloc(0);
    this.#parts.publish({ subject: to, reply: '', headers: headersOf(status, lines), data });
  }

  #end(request: PullRequest): void {
    for (const timer of request.timers) timer.cancel();
    const at = this.#requests.indexOf(request);
    if (at >= 0) this.#requests.splice(at, 1);
  }
}
