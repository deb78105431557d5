// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** Lists that the service and the client library share. */

/** The seconds of the longest candle of each length, by its name; `1440` is another name of `D`. */
export const RESOLUTION_SECONDS_MAX = {
  '1': 60,
  '5': 300,
  '15': 900,
  '60': 3600,
  '240': 14400,
  'D': 86400,
  'W': 604800,
  'M': 2678400,
  '1440': 86400,
} as const;

/** Lengths of candles, as the interface names them: minutes; then a day, a week and a month of UTC. */
export type Resolution =
  | '1'
  | '5'
  | '15'
  | '60'
  | '240'
  | 'D'
  | 'W'
  | 'M'
  | '1440';

/** What the service may answer; docs/codes.md says when. */
export type ServiceErrorCode =
  | 'INTERNAL'
  | 'INVALID_PARAM'
  | 'INVALID_REQUEST'
  | 'LIMIT_EXCEEDED'
  | 'MALFORMED_MESSAGE'
  | 'METHOD_NOT_ALLOWED'
  | 'MISSING_PARAM'
  | 'MOMENT_NOT_KEPT'
  | 'NOT_READY'
  | 'NOT_SUBSCRIBED'
  | 'NO_HISTORY'
  | 'NO_JOURNAL'
  | 'NO_PROOF'
  | 'OUT_OF_RANGE'
  | 'RATE_LIMITED'
  | 'TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'UNKNOWN_ACCOUNT'
  | 'UNKNOWN_CHANNEL'
  | 'UNKNOWN_MARKET'
  | 'UNKNOWN_PATH'
  | 'UPGRADE_REQUIRED';
