import { CodedError } from '../contract/coded-error.js';

/** The failures of a venue or of requests to it; a code is never renamed. */
export type VenueErrorCode =
  | 'VENUE_UNREACHABLE'
  | 'VENUE_TIMEOUT'
  | 'VENUE_ABORTED'
  | 'VENUE_HTTP_STATUS'
  | 'VENUE_RATE_EXCEEDED'
  | 'VENUE_BODY_EXCEEDED'
  | 'MALFORMED_VENUE_ANSWER'
  | 'VENUE_QUOTE_MISMATCH'
  | 'VENUE_PRICE_OUT_OF_RANGE'
  | 'VENUE_LEVELS_STALE';

/** Details of an error: numbers and short texts, no text from the venue. */
type VenueErrorContext = Readonly<Record<string, string | number>>;

/**
 * The one error class of this room. Its message contains no key of a URL and no text from the
 * venue.
 */
export class VenueError extends CodedError<VenueErrorCode, VenueErrorContext> {
  override readonly name = 'VenueError';
}
