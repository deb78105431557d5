import type { Core } from '#addon';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../contract/book-requests.js';
import type { MarketVersion } from '../contract/book-source.js';
import type { FeedState } from '../contract/feed-status.js';
import { EngineError } from './errors.js';
import { matchOptions, refusal } from './match.js';
import { parseStrings } from './parse.js';
import { sourcesOf } from './sources.js';

/** The first size of the body buffer: /l2 at depth 1000 fits. */
const BODY_BYTES_START = 256 << 10;

/** No body may be larger: an /l3 of a hundred thousand orders is about 25 MB. */
const BODY_BYTES_MAX = 64 << 20;

/** By the state codes of the core. */
export const STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const satisfies FeedState[];

/** By the side codes of the core. */
const SIDES = ['bid', 'ask'] as const;

/** Asks the core for finished bodies, into one buffer that grows as far as a body may. */
export class Bodies {
  readonly #core: Core;
  readonly #version = new Float64Array(4);
  readonly #versionBytes = Buffer.from(this.#version.buffer);
  #body = Buffer.allocUnsafeSlow(BODY_BYTES_START);

  constructor(core: Core) {
    this.#core = core;
  }

  l2({ market, depth, grouping = 0, uncross = false, ...others }: L2Request): Uint8Array {
    const core = this.#core;
    const sources = sourcesOf(others);
    return this.#render(market, (out) =>
      uncross
        ? core.uncrossedL2(market, depth, grouping, sources, out)
        : core.l2(market, depth, grouping, sources, out),
    );
  }

  l3({ market, depth = 0, maker = '', uncross = false, ...others }: L3Request): Uint8Array {
    const core = this.#core;
    const sources = sourcesOf(others);
    return this.#render(market, (out) =>
      uncross
        ? core.uncrossedL3(market, depth, maker, sources, out)
        : core.l3(market, depth, maker, sources, out),
    );
  }

  auctions({ market }: AuctionsRequest): Uint8Array {
    return this.#render(market, (out) => this.#core.auctions(market, out));
  }

  orderbookFrame({ market, depth, grouping = 0, ...others }: OrderbookFrameRequest): Uint8Array {
    const core = this.#core;
    const sources = sourcesOf(others);
    return this.#render(market, (out) =>
      core.orderbookFrame(market, depth, grouping, sources, out),
    );
  }

  match(request: MatchRequest): Uint8Array {
    const core = this.#core;
    const options = matchOptions(request);
    return this.#render(
      request.market,
      (out) => core.matchOrder(options, out),
      () => refusal(core, options),
    );
  }

  topMakers({ market, side, limit }: TopMakersRequest): readonly string[] {
    const makers = this.#core.topMakers(market, SIDES.indexOf(side), limit);
    if (makers === null) throw marketNotFound(market);
    return parseStrings(makers);
  }

  version(market: number): MarketVersion {
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    const [seq = 0, slot = 0, state = 0, auctions = 0] = this.#version;
    return { seq, slot, state: STATES[state] ?? 'stale', auctions };
  }

  /** `refused` says why there is no body of a market that is there; a maker's body if it does not. */
  #render(
    market: number,
    render: (out: Buffer) => number,
    refused?: () => EngineError | undefined,
  ): Uint8Array {
    let length = render(this.#body);
    if (length < 0) {
      this.#grow(market, -length);
      length = render(this.#body);
    }
    if (length > 0) return this.#body.subarray(0, length);
    // A body is asked for by market and, in /l3, by maker: when the market is there it is the maker.
    if (!this.#core.version(market, this.#versionBytes)) throw marketNotFound(market);
    const reason = refused?.();
    if (reason !== undefined) throw reason;
    throw new EngineError('INVALID_MAKER', 'maker was no base58 of 32 bytes', { market });
  }

  #grow(market: number, bytes: number): void {
    if (bytes > BODY_BYTES_MAX) {
      const message = `body was ${bytes} bytes, must be at most ${BODY_BYTES_MAX}`;
      throw new EngineError('BODY_BYTES_EXCEEDED', message, { market, bytes });
    }
    this.#body = Buffer.allocUnsafeSlow(Math.min(BODY_BYTES_MAX, Math.ceil(bytes * 1.5)));
  }
}

function marketNotFound(market: number): EngineError {
  return new EngineError('MARKET_NOT_FOUND', `market id was ${market}, no such market`, { market });
}
