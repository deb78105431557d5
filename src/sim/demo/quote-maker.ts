/**
 * A maker of off-chain quotes, so that a demo has indicative quotes.
 *
 * It is an ordinary client of the service: it uses the public address and docs/quotes.md, "Indicative
 * quotes".
 */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { WebSocket } from 'ws';
import { PERP_PRESETS, type PerpPreset } from '../bytes/market-presets.js';
import { Random } from '../random.js';

/**
 * Interval of quotes, milliseconds. A quote lives for a second, and existing makers repeat theirs
 * after half of that.
 */
const SEND_MS = 500;
const RECONNECT_MS = 1_000;
/** Distances of the quotes from the oracle price, basis points. */
const DISTANCES_BPS = [4n, 8n, 15n];
const BPS = 10_000n;
/** Maximum size of a quote, in minimum orders of the market. */
const SIZE_MAX = 2_000;

/** Sends quotes at oracle offsets in each perp market, with varying sizes. */
export class QuoteMaker {
  /** The key for `--quote-makers` (base58). */
  readonly publicKey: string;
  readonly #key: KeyObject;
  readonly #random: Random;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** Equal seeds give equal makers. */
  constructor(seed: number) {
    const secret = createHash('sha256').update(`slotbook quote maker ${seed}`).digest();
    const pair = Keypair.fromSeed(secret);
    this.publicKey = pair.publicKey.toBase58();
    this.#key = createPrivateKey({
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        d: secret.toString('base64url'),
        x: Buffer.from(pair.publicKey.toBytes()).toString('base64url'),
      },
      format: 'jwk',
    });
    this.#random = new Random(seed);
  }

  /** Sends quotes to the service at `url` (http) until {@link QuoteMaker.stop}, with reconnects. */
  start(url: string): void {
    if (this.#isStopped) return;
    const address = `${url.replace('http', 'ws')}/quotes/ws?pubkey=${this.publicKey}`;
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.on('message', (data: Buffer) =>
      this.#handleMessage(JSON.parse(data.toString()), socket),
    );
    // A close follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(this.#timer);
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(url), RECONNECT_MS);
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#socket?.terminate();
  }

  #handleMessage(
    message: { channel?: string; nonce?: string; message?: string },
    socket: WebSocket,
  ): void {
    if (message.channel !== 'auth') return;
    if (message.nonce !== undefined) {
      const signature = sign(null, Buffer.from(message.nonce), this.#key).toString('base64');
      socket.send(JSON.stringify({ pubkey: this.publicKey, signature }));
    } else if (message.message === 'Authenticated') {
      this.#sendQuotes(socket);
      this.#timer = setInterval(() => this.#sendQuotes(socket), SEND_MS);
    }
  }

  #sendQuotes(socket: WebSocket): void {
    for (const preset of PERP_PRESETS) {
      const quotes = DISTANCES_BPS.map((distance) => this.#quoteOf(preset, distance));
      const market = { market_index: preset.marketIndex, market_type: 'perp' };
      socket.send(JSON.stringify({ ...market, quotes }));
    }
  }

  #quoteOf({ startPrice, minOrderSize }: PerpPreset, distance: bigint): object {
    const offset = (startPrice * distance) / BPS;
    const size = (): string => String(minOrderSize * BigInt(this.#random.nextBetween(1, SIZE_MAX)));
    return {
      bid_price: String(-offset),
      bid_size: size(),
      ask_price: String(offset),
      ask_size: size(),
      is_oracle_offset: true,
    };
  }
}
