/** A proxy between a service and one client of one topic that spoils frames, one way after the other. */
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Random } from '../../src/sim/random.js';

/** Changes of a delta, or of the connection before it. */
const INJECTIONS = ['hole', 'duplicate', 'crc', 'content', 'epoch', 'swap', 'cut'] as const;

type Injection = (typeof INJECTIONS)[number];

/** An injection that the client has not answered is missed after this: heartbeats come each second. */
const SEEN_MS_MAX = 30_000;
/** Deltas that pass between the answer of the client and the next injection. */
const WHOLE_DELTAS_MAX = 8;

/** Counts the outcomes of one kind of injection. */
interface InjectionCounts {
  injected: number;
  seen: number;
  resumed: number;
  restarted: number;
}

interface Pending {
  readonly kind: Injection;
  readonly atMs: number;
}

/** Passes messages on; of those that come it spoils a delta now and then. */
export class FrameProxy {
  readonly counts: Record<Injection, InjectionCounts>;
  /** Injections to which the client said nothing. */
  readonly missed: string[] = [];
  /** Times that the client asked anew though nothing had been spoilt. */
  falseAlarms = 0;
  #isSpoiling = true;
  #wholeLeft = WHOLE_DELTAS_MAX;
  /** Not answered yet, and answered but not healed yet. */
  #pending: Pending | undefined;
  #healing: Injection | undefined;
  /** The acknowledgement of a healing subscription has passed. */
  #isAnswered = false;
  #held: string | undefined;
  /** The kinds that are left before each has had its turn again. */
  readonly #deck: Injection[] = [];
  #subscriptions = 0;

  private constructor(
    private readonly server: WebSocketServer,
    private readonly upstreamUrl: string,
    private readonly random: Random,
  ) {
    const none = () => ({ injected: 0, seen: 0, resumed: 0, restarted: 0 });
    this.counts = Object.fromEntries(INJECTIONS.map((kind) => [kind, none()])) as never;
    server.on('connection', (client) => this.#connect(client));
  }

  static async start(upstreamUrl: string, random: Random): Promise<FrameProxy> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    return new FrameProxy(server, upstreamUrl, random);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Spoils nothing more. Whether everything that was spoilt is healed. */
  settle(): boolean {
    this.#isSpoiling = false;
    this.#look();
    return this.#pending === undefined && this.#healing === undefined;
  }

  async stop(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #connect(client: WebSocket): void {
    const upstream = new WebSocket(this.upstreamUrl);
    const waiting: string[] = [];
    upstream.on('open', () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    });
    client.on('message', (data: Buffer) => {
      const text = data.toString();
      this.#hearClient(text);
      if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    upstream.on('message', (data: Buffer) => {
      if (client.readyState === WebSocket.OPEN) this.#pass(data.toString(), client);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.terminate());
    }
  }

  /** A client subscribes once of itself; after that only because it has seen something. */
  #hearClient(text: string): void {
    if (JSON.parse(text).type !== 'subscribe') return;
    this.#subscriptions += 1;
    if (this.#subscriptions === 1) return;
    this.#held = undefined;
    if (this.#pending === undefined) {
      this.falseAlarms += 1;
      return;
    }
    this.#healing = this.#pending.kind;
    this.counts[this.#healing].seen += 1;
    this.#pending = undefined;
  }

  #pass(text: string, client: WebSocket): void {
    const { type } = JSON.parse(text) as { type: string };
    this.#look();
    if (this.#healing !== undefined && this.#isAnswered) this.#noteHealed(type, this.#healing);
    if (type === 'subscribed') this.#isAnswered = true;
    const kind = type === 'delta' ? this.#next() : undefined;
    const sent = kind === undefined ? [text] : this.#spoil(kind, text, client);
    for (const one of sent) client.send(one);
    this.#release(kind, client);
  }

  /** A client that resumes without missed deltas first receives a heartbeat. */
  #noteHealed(type: string, kind: Injection): void {
    if (type !== 'snapshot' && type !== 'delta' && type !== 'heartbeat') return;
    this.counts[kind][type === 'snapshot' ? 'restarted' : 'resumed'] += 1;
    this.#healing = undefined;
    this.#isAnswered = false;
  }

  /** Chooses the change of this delta. */
  #next(): Injection | undefined {
    if (!this.#isSpoiling || this.#pending !== undefined || this.#healing !== undefined) return;
    this.#wholeLeft -= 1;
    if (this.#wholeLeft > 0) return;
    this.#wholeLeft = 1 + this.random.nextBelow(WHOLE_DELTAS_MAX);
    if (this.#deck.length === 0) this.#deck.push(...INJECTIONS);
    return this.#deck.splice(this.random.nextBelow(this.#deck.length), 1)[0];
  }

  /** The frames that replace this frame. */
  #spoil(kind: Injection, text: string, client: WebSocket): readonly string[] {
    const spoilt = spoiltText(kind, text);
    // Nothing in it can be spoilt like this, as in a delta that only removes.
    if (spoilt === undefined) return [text];
    this.#isAnswered = false;
    this.#pending = { kind, atMs: performance.now() };
    this.counts[kind].injected += 1;
    if (kind === 'swap') this.#held = text;
    if (kind === 'cut') client.terminate();
    return spoilt;
  }

  /** Sends the swapped frame after the next one. */
  #release(kind: Injection | undefined, client: WebSocket): void {
    if (this.#held === undefined || kind === 'swap') return;
    client.send(this.#held);
    this.#held = undefined;
  }

  #look(): void {
    if (this.#pending === undefined) return;
    if (performance.now() - this.#pending.atMs < SEEN_MS_MAX) return;
    this.missed.push(this.#pending.kind);
    this.#pending = undefined;
  }
}

const LEVEL_SIZE = /(\["\d+",")([1-9]\d*)(")/;
const ORDER_SIZE = /("size":")([1-9]\d*)(")/;

function spoiltText(kind: Injection, text: string): readonly string[] | undefined {
  switch (kind) {
    case 'hole':
    case 'swap':
    case 'cut':
      return [];
    case 'duplicate':
      return [text, text];
    case 'crc':
      return [text.replace(/"crc":(\d+)/, (_, crc) => `"crc":${(Number(crc) + 1) % 2 ** 32}`)];
    case 'epoch':
      return [text.replace(/"epoch":"[^"]*"/, '"epoch":"of-before"')];
    case 'content': {
      const pattern = text.includes('"channel":"l3"') ? ORDER_SIZE : LEVEL_SIZE;
      if (!pattern.test(text)) return undefined;
      return [text.replace(pattern, (_, head, size, tail) => `${head}${BigInt(size) + 1n}${tail}`)];
    }
  }
}
