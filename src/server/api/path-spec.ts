/** The description of a path, and the prefixes of each kind. */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../../contract/error-codes.js';

/** A JSON body, by its name in the API description. */
export interface Body {
  readonly name: string;
  readonly schema: TSchema;
}

/** The description of one path. */
export interface PathSpec {
  readonly summary: string;
  /**
   * `book` is also served under /dlob, `data` and `history` under /data, all under /v1; `history` only
   * where there is one.
   */
  readonly kind: 'book' | 'data' | 'history' | 'socket' | 'service';
  /** Those that the path has in braces are read from it, the others from the query. */
  readonly params?: TObject;
  /** How each parameter is written: `lists` of the schema's values, separated by commas. */
  readonly style?: 'single' | 'lists';
  /** Whether a past moment can be named, by the parameters of moment-params.ts. */
  readonly moment?: boolean;
  /** Its JSON body, or the type of a text; null for a WebSocket. */
  readonly body: Body | { readonly contentType: string } | null;
  /** Whether the body is CSV as well, for requests that ask for it. */
  readonly csv?: boolean;
  /** Whether the body is bytes as well, for requests that prefer them. */
  readonly binary?: boolean;
  /** Whether its errors have the form of TradingView's UDF as well. */
  readonly udf?: boolean;
  /** Whether the response has a tag, and is a 304 for clients that have it. */
  readonly tagged: boolean;
  /** Whether a header of the response leads to the next page. */
  readonly paged?: boolean;
  /** Names of files below the path, of the same route: parts of a page, which are not described. */
  readonly files?: readonly string[];
  /** Not counted against a client: a prober that is refused would take a working service out of rotation. */
  readonly unlimited?: boolean;
  /** The errors in addition to those of every path. */
  readonly errors: readonly ErrorCode[];
}

/** The prefixes under which the paths of each kind are served. */
export const prefixesOf: Readonly<Record<PathSpec['kind'], readonly string[]>> = {
  book: ['', '/v1', '/dlob'],
  data: ['', '/v1', '/data'],
  history: ['', '/v1', '/data'],
  socket: ['', '/v1', '/dlob', '/data'],
  service: ['', '/v1'],
};
