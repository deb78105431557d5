import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { OtherMakerSockets } from '../../contract/indicative.js';
import type { Timers } from '../../contract/timers.js';
import { loggedFailure } from '../../rpc/error.js';
import type { Log } from '../../rpc/log.js';
import { sleep } from '../../rpc/timers.js';
import { LOG_RETRY_MS, QUOTE_REPLY_MS_MAX, QUOTES_IN_FLIGHT_MAX } from '../model/limits.js';
import type { LogPlace } from '../model/log-place.js';
import { connectLog } from './connect.js';

/** The options of a link. */
interface QuoteLinkOptions {
  readonly place: LogPlace;
  readonly log: Log;
  readonly timers: Timers;
}

/**
 * The reason for a missing reply: no reachable NATS or no core, a late core, or too many pending
 * requests.
 */
export type NoReply = 'noCore' | 'late' | 'tooMany';

/** The reply of a core, or the reason why there is none. */
type QuoteReply = { readonly text: string } | { readonly failed: NoReply };

/**
 * The subjects between services: `quotes` for the core, and `makers` with notices of signed makers.
 */
type SubjectName = 'quotes' | 'makers';

/** Returns the reply to a request; null leaves the request to another core. */
export type ReplyTo = (request: string) => Promise<string | null>;

/**
 * Forwards makers' quotes from edges to the active core by NATS requests and replies, which NATS does
 * not store. Services also tell each other which makers have signed in.
 */
export class QuoteLink implements OtherMakerSockets {
  readonly #options: QuoteLinkOptions;
  readonly #stop = new AbortController();
  #nats: NatsConnection | null = null;
  #isReachable = false;
  #inFlight = 0;
  #replyTo: ReplyTo | null = null;
  #closeSocket: (maker: string) => void = () => undefined;
  /** The reason why the last connection attempt failed; null while connected. */
  #reason: string | null = null;

  constructor(options: QuoteLinkOptions) {
    this.#options = options;
  }

  /** Connects, with reconnects. */
  async start(): Promise<void> {
    const { place, timers } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { nats } = await connectLog(place, 'slotbook quotes', { noEcho: true });
        await this.#use(nats);
      } catch (error) {
        this.#warnOnce(loggedFailure(error));
      }
      await sleep(timers, LOG_RETRY_MS, signal).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#nats?.close();
  }

  serveRequests(replyTo: ReplyTo): void {
    this.#replyTo = replyTo;
    if (this.#nats !== null) this.#subscribeToRequests(this.#nats);
  }

  /**
   * Sends a request to the core. Without NATS the request fails immediately, because a quote that
   * is sent later would be outdated.
   */
  async sendRequest(request: string): Promise<QuoteReply> {
    if (this.#nats === null || !this.#isReachable) return { failed: 'noCore' };
    if (this.#inFlight >= QUOTES_IN_FLIGHT_MAX) return { failed: 'tooMany' };
    this.#inFlight += 1;
    try {
      const options = { timeout: QUOTE_REPLY_MS_MAX };
      const reply = await this.#nats.request(this.#subject('quotes'), request, options);
      return { text: reply.string() };
    } catch (error) {
      return {
        failed: error instanceof Error && error.name === 'TimeoutError' ? 'late' : 'noCore',
      };
    } finally {
      this.#inFlight -= 1;
    }
  }

  announceMaker(maker: string): void {
    if (this.#isReachable) this.#nats?.publish(this.#subject('makers'), maker);
  }

  onMakerElsewhere(closeSocket: (maker: string) => void): void {
    this.#closeSocket = closeSocket;
  }

  #subject(name: SubjectName): string {
    return `${this.#options.place.stream}.${name}`;
  }

  /** Uses the connection; resolves when it has closed for good. */
  async #use(nats: NatsConnection): Promise<void> {
    this.#nats = nats;
    this.#isReachable = true;
    this.#reason = null;
    this.#subscribe(nats, 'makers', (message) => this.#closeSocket(message.string()));
    if (this.#replyTo !== null) this.#subscribeToRequests(nats);
    if (this.#stop.signal.aborted) await nats.close();
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') this.#isReachable = false;
      if (type === 'reconnect') this.#isReachable = true;
    }
    this.#isReachable = false;
    this.#nats = null;
  }

  #subscribeToRequests(nats: NatsConnection): void {
    this.#subscribe(nats, 'quotes', (message) => void this.#reply(message));
  }

  /**
   * Subscribes to a subject. When NATS denies access to it, the link continues without its
   * messages.
   */
  #subscribe(nats: NatsConnection, name: SubjectName, read: (message: Msg) => void): void {
    const subject = this.#subject(name);
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) read(message);
      else
        this.#options.log.warn(
          { reason: loggedFailure(error), subject },
          'a subscription of NATS failed',
        );
    };
    nats.subscribe(subject, { callback });
  }

  /**
   * Logs a reason only when it differs from the last one, because there are several attempts a
   * second.
   */
  #warnOnce(reason: string): void {
    if (reason !== this.#reason) this.#options.log.warn({ reason }, 'quotes cannot be forwarded');
    this.#reason = reason;
  }

  async #reply(message: Msg): Promise<void> {
    try {
      const text = await this.#replyTo?.(message.string());
      if (text != null) message.respond(text);
    } catch (error) {
      this.#options.log.warn({ reason: loggedFailure(error) }, 'forwarded quotes failed');
    }
  }
}
