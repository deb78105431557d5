/** The streaming channel of slotbook as `watchOrderBook`, on top of its paths. */
import {
  BadRequest,
  BadSymbol,
  ChecksumError,
  ExchangeNotAvailable,
  RateLimitExceeded,
  RequestTimeout,
} from 'ccxt';
import { FollowedBook } from './followed-book.mjs';
import { SlotbookRest } from './rest.mjs';

/** A topic has a frame at least each second, and the transport is pinged as often: longer is a dead wire. */
const SILENCE_MS_MAX = 3_000;
const PING_MS = 1_000;
/** For so long a book may be old, crossed or broken before those who wait for it are told. */
const UNFIT_MS_MAX = 3_000;
/** The depths of the streaming channel. */
const DEPTHS = [10, 20, 50, 100, 500];
const DEPTH_DEFAULT = 50;
const FRAMES = new Set(['snapshot', 'delta', 'heartbeat']);

/** `new Slotbook({ url: 'http://127.0.0.1:8080' })`, with any other option of ccxt. */
export class Slotbook extends SlotbookRest {
  #requests = 0;

  describe() {
    return this.deepExtend(super.describe(), {
      pro: true,
      has: { ws: true, watchOrderBook: true },
      streaming: { keepAlive: PING_MS, maxPingPongMisses: SILENCE_MS_MAX / PING_MS },
      options: { ws: { backoff: { base: 250, max: 5_000, stableAfter: 5_000 } } },
    });
  }

  /**
   * The next book of a market: after a change, and at least each second, so that what is returned is of now. A
   * book that is old, crossed or broken is never returned. Rejects with a NetworkError where the connection has
   * ended (ask again), and with an ExchangeNotAvailable, which is one, while there is no such book for three seconds.
   */
  async watchOrderBook(symbol, limit = undefined, params = {}) {
    await this.loadMarkets();
    const depth = DEPTHS.find((one) => one >= (limit ?? DEPTH_DEFAULT));
    if (depth === undefined)
      throw new BadRequest(`${this.id} limit was ${limit}, must be at most 500`);
    const { includeVamm } = this.options;
    const market = this.market(symbol).id;
    const wish = { type: 'subscribe', channel: 'book', market, depth, includeVamm, ...params };
    const hash = `orderbook:${JSON.stringify(wish)}`;
    const url = this.urls.api.ws;
    // What ccxt wants for addresses without TLS.
    await this.loadHttpProxyAgent();
    // What is followed lives and dies with its connection.
    const followed = this.clients[url]?.subscriptions[hash] ?? {
      ...{ symbol, wish, hash, id: this.#nextId(), topic: undefined, book: new FollowedBook() },
      ...{ heardMs: performance.now(), unfit: undefined, unfitSinceMs: 0 },
    };
    const { id } = followed;
    const book = await this.watch(url, hash, { ...wish, id }, hash, followed);
    return { ...book, bids: book.bids.slice(0, limit), asks: book.asks.slice(0, limit) };
  }

  onConnected(client) {
    for (const followed of followedOf(client)) followed.heardMs = performance.now();
  }

  handleMessage(client, message) {
    // A connection that was given up may still bring frames.
    if (client.error !== undefined) return;
    const { type, id, topic } = message;
    if (type === 'subscribed') {
      const asked = followedOf(client).find((one) => one.id === id);
      if (asked !== undefined) asked.topic = topic;
    } else if (type === 'error') {
      this.#handleRefusal(client, message);
    } else if (FRAMES.has(type)) {
      for (const followed of followedOf(client)) {
        if (followed.topic === topic) this.#handleFrame(client, followed, message);
      }
    }
  }

  /** Each second: gives up a connection that is silent, and tells of books that are unfit for long. */
  ping(client) {
    const nowMs = performance.now();
    for (const { symbol, hash, heardMs, unfit, unfitSinceMs } of followedOf(client)) {
      if (nowMs - heardMs > SILENCE_MS_MAX) {
        this.#giveUp(client, new RequestTimeout(`${this.id} nothing was heard of ${symbol}`));
        return undefined;
      }
      const isLong = unfit !== undefined && nowMs - unfitSinceMs > UNFIT_MS_MAX;
      if (isLong && hash in client.futures) {
        client.reject(
          new ExchangeNotAvailable(`${this.id} the book of ${symbol} is ${unfit}`),
          hash,
        );
      }
    }
    return undefined;
  }

  onError(client, error) {
    this.#forgetBooks(client);
    super.onError(client, error);
  }

  onClose(client, error) {
    this.#forgetBooks(client);
    super.onClose(client, error);
  }

  #handleFrame(client, followed, frame) {
    const { symbol, hash, book } = followed;
    followed.heardMs = performance.now();
    const unfit = book.applyFrame(frame) ? unfitnessOf(book) : 'broken';
    if (unfit === undefined) {
      followed.unfit = undefined;
      const side = (rows) => rows.map(([price, size]) => this.parseLevel(price, size));
      const shown = { ...book.stamp, bids: side(book.rows('bids')), asks: side(book.rows('asks')) };
      this.orderbooks[symbol] = this.makeOrderBook(symbol, shown);
      client.resolve(this.orderbooks[symbol], hash);
      return;
    }
    delete this.orderbooks[symbol];
    if (followed.unfit === undefined) followed.unfitSinceMs = performance.now();
    followed.unfit = unfit;
    if (unfit === 'broken') this.#beginAgain(client, followed, frame);
  }

  /** Subscribes anew, which brings a snapshot; frames until then belong to the subscription before. */
  #beginAgain(client, followed, { type }) {
    const { symbol, wish } = followed;
    if (type === 'snapshot') {
      this.#giveUp(client, new ChecksumError(`${this.id} a snapshot of ${symbol} is broken`));
      return;
    }
    followed.id = this.#nextId();
    followed.topic = undefined;
    client.send({ ...wish, id: followed.id }).catch((error) => client.onError(error));
  }

  #handleRefusal(client, { code, message, id, topic }) {
    const refused = followedOf(client).find((one) => one.id === id || one.topic === topic);
    if (code === 'RATE_LIMITED' || refused === undefined) {
      // The message was not read, and nothing says which one it was.
      this.#giveUp(client, new RateLimitExceeded(`${this.id} ${code}: ${message}`));
      return;
    }
    const Kind = code === 'UNKNOWN_MARKET' ? BadSymbol : ExchangeNotAvailable;
    delete client.subscriptions[refused.hash];
    delete this.orderbooks[refused.symbol];
    client.reject(new Kind(`${this.id} ${code}: ${message}`), refused.hash);
  }

  #giveUp(client, error) {
    client.onError(error);
    client.close();
  }

  #forgetBooks(client) {
    for (const { symbol } of followedOf(client)) delete this.orderbooks[symbol];
  }

  #nextId() {
    this.#requests += 1;
    return this.#requests;
  }
}

function followedOf(client) {
  return Object.values(client.subscriptions);
}

/** Why a book may not be traded on; undefined where it may. */
function unfitnessOf(book) {
  if (book.stamp.state !== 'live') return book.stamp.state;
  return book.isCrossed ? 'crossed' : undefined;
}
