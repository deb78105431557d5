/**
 * The coded errors of the HTTP interface. The codes are public: listed in docs/api.md, never renamed.
 */
import { LIMITS } from '../../config/limits.js';

/** Every code that HTTP answers with, and its status. */
export const STATUS_BY_CODE = {
  MISSING_PARAM: 400,
  INVALID_PARAM: 400,
  OUT_OF_RANGE: 400,
  UNKNOWN_MARKET: 404,
  UNKNOWN_PATH: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  LIMIT_EXCEEDED: 503,
  NOT_READY: 503,
} as const;

/** A code of STATUS_BY_CODE. */
export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** A request that cannot be answered with what it asked for. */
export class ServerError extends Error {
  override readonly name = 'ServerError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** The parameter that is to blame; null when none is. */
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get status(): number {
    return STATUS_BY_CODE[this.code];
  }

  /** The one shape of all error bodies. */
  body(): string {
    const { code, message, param } = this;
    return JSON.stringify({ error: { code, message, param } });
  }
}

/** A client's value as an error message quotes it: bounded, whatever was sent. */
export function quoteValue(value: string): string {
  const max = LIMITS.errorValueCharsMax;
  return value.length <= max ? value : `${value.slice(0, max)}...`;
}
