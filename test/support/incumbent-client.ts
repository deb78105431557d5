import { WebSocket } from 'ws';

/** Without a heartbeat for this long the clients in use connect again. */
const HEARTBEAT_MS_MAX = 11_000;

/** A book as these clients read it, with amounts as big integers. */
interface IncumbentBook {
  readonly slot: number;
  readonly bids: readonly { readonly price: bigint; readonly size: bigint }[];
  readonly asks: readonly { readonly price: bigint; readonly size: bigint }[];
  readonly bestBidPrice: bigint | undefined;
  readonly markPrice: bigint | undefined;
}

interface Message {
  readonly channel?: string;
  readonly data?: string;
  readonly message?: string;
  readonly error?: string;
}

interface Body {
  readonly slot: number;
  readonly bids: readonly { readonly price: string; readonly size: string }[];
  readonly asks: readonly { readonly price: string; readonly size: string }[];
  readonly bestBidPrice?: string;
  readonly markPrice?: string;
}

/**
 * A client as they were written for the system whose channels these are: it subscribes without a
 * grouping and waits for the old channel name, parses `data` once more, takes a book only when its
 * slot is not lower than the last one's, and connects again after eleven seconds without a heartbeat.
 */
export class IncumbentClient {
  readonly books: IncumbentBook[] = [];
  /** Messages that it could make nothing of. */
  readonly ignored: string[] = [];
  /** Books dropped because their slot was lower. */
  dropped = 0;
  reconnects = 0;
  heartbeats = 0;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastSlot = -1;
  readonly #channels: readonly string[];

  constructor(
    private readonly url: string,
    private readonly market: { readonly symbol: string; readonly index: number },
  ) {
    const name = `orderbook_perp_${market.index}`;
    this.#channels = [name, `last_update_${name}`];
  }

  start(): void {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#expectHeartbeat();
    socket.on('open', () => this.#send('subscribe'));
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString())));
    socket.on('error', () => {});
  }

  unsubscribe(): void {
    this.#send('unsubscribe');
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  #send(type: string): void {
    const { symbol } = this.market;
    const message = { type, channel: 'orderbook', marketType: 'perp', market: symbol };
    this.#socket?.send(JSON.stringify(message));
  }

  #take(message: Message): void {
    if (message.channel === 'heartbeat') {
      this.heartbeats += 1;
      this.#expectHeartbeat();
    } else if (message.channel !== undefined && this.#channels.includes(message.channel)) {
      this.#takeBook(JSON.parse(message.data ?? ''));
    } else if (message.message === undefined || message.error !== undefined) {
      this.ignored.push(JSON.stringify(message));
    }
  }

  #takeBook(body: Body): void {
    if (body.slot < this.#lastSlot) {
      this.dropped += 1;
      return;
    }
    this.#lastSlot = body.slot;
    const rows = (levels: Body['bids']) =>
      levels.map(({ price, size }) => ({ price: BigInt(price), size: BigInt(size) }));
    const optional = (text: string | undefined) => (text === undefined ? undefined : BigInt(text));
    this.books.push({
      slot: body.slot,
      bids: rows(body.bids),
      asks: rows(body.asks),
      bestBidPrice: optional(body.bestBidPrice),
      markPrice: optional(body.markPrice),
    });
  }

  #expectHeartbeat(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.reconnects += 1;
      this.#socket?.terminate();
      this.start();
    }, HEARTBEAT_MS_MAX);
  }
}
