import { CodedError } from '../contract/coded-error.js';

/** Codes of {@link EngineError}. They are public: a code is never renamed. */
export type EngineErrorCode =
  | 'INVALID_PROGRAM_ID'
  | 'MARKET_NOT_FOUND'
  | 'INVALID_MAKER'
  | 'INVALID_MATCH'
  | 'MATCH_OUT_OF_RANGE'
  | 'BODY_BYTES_EXCEEDED'
  | 'TOPIC_NOT_FOUND'
  | 'TOPICS_EXCEEDED'
  | 'RECORD_BYTES_EXCEEDED'
  | 'INVALID_RECORD'
  | 'REPORT_BYTES_EXCEEDED'
  | 'MALFORMED_SNAPSHOT'
  | 'RPC_ERROR'
  | 'SNAPSHOT_KEYS_MISMATCH'
  | 'SNAPSHOT_BYTES_EXCEEDED'
  | 'MALFORMED_JOURNAL'
  | 'JOURNAL_VERSION_MISMATCH'
  | 'JOURNAL_PROGRAM_MISMATCH'
  | 'JOURNAL_CRC_MISMATCH'
  | 'JOURNAL_BYTES_EXCEEDED'
  | 'JOURNAL_HASH_MISMATCH';

/** The only error class of the engine. `context` contains values, never account bytes. */
export class EngineError extends CodedError<EngineErrorCode> {
  override readonly name = 'EngineError';
}
