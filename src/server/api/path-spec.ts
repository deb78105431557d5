/** The description of a path, and the prefixes of each kind of path. */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../../contract/error-codes.js';

/** A JSON body and its name in the API description. */
export interface Body {
  readonly name: string;
  readonly schema: TSchema;
}

/** The description of one path. */
export interface PathSpec {
  readonly summary: string;
  /**
   * The kind decides the prefixes: `book` paths are also served below /dlob, `data` and `history`
   * paths below /data, all below /v1. `history` paths need a history.
   */
  readonly kind: 'book' | 'data' | 'history' | 'socket' | 'service';
  /**
   * Parameters whose names the path has in braces are read from the path, all others from the
   * query.
   */
  readonly params?: TObject;
  /** How parameters are written: `lists` means comma-separated lists of the schema's values. */
  readonly style?: 'single' | 'lists';
  /** Whether the parameters of moment-params.ts can name a past moment. */
  readonly moment?: boolean;
  /** The JSON body, or the content type of a text body; null for a WebSocket. */
  readonly body: Body | { readonly contentType: string } | null;
  /** Whether the path can also reply with CSV, for requests that ask for CSV. */
  readonly csv?: boolean;
  /** Whether the path can also reply in binary, for requests that prefer binary. */
  readonly binary?: boolean;
  /** Whether errors also have the members of TradingView's UDF. */
  readonly udf?: boolean;
  /** Whether responses have an ETag, and a client with the same tag gets a 304; by default not. */
  readonly tagged?: boolean;
  /** Whether the response has a Link header to the next page. */
  readonly paged?: boolean;
  /**
   * Names of files below the path that the same route serves: parts of a page, which the API
   * description omits.
   */
  readonly files?: readonly string[];
  /** Whether the same route serves every path below it. */
  readonly below?: boolean;
  /**
   * Whether requests are exempt from rate limits: a load balancer whose probe is refused would take
   * a working service out of rotation.
   */
  readonly unlimited?: boolean;
  /** The errors of this path in addition to the common errors of all paths; none by default. */
  readonly errors?: readonly ErrorCode[];
}

/** The prefixes under which the paths of each kind are served. */
export const prefixesOf: Readonly<Record<PathSpec['kind'], readonly string[]>> = {
  book: ['', '/v1', '/dlob'],
  data: ['', '/v1', '/data'],
  history: ['', '/v1', '/data'],
  socket: ['', '/v1', '/dlob', '/data'],
  service: ['', '/v1'],
};
