import { CodedError } from '../contract/coded-error.js';

/** The codes of the signed log. */
export type ProofErrorCode =
  /** A key, a note or a checkpoint has another form. */
  | 'MALFORMED_PROOF'
  /** The files of the log are not those that the key has signed, or have fewer leaves. */
  | 'PROOF_LOG_MISMATCH'
  /** Another process signs with the key. */
  | 'PROOF_KEY_USED';

/** A failure of the signed log. */
export class ProofError extends CodedError<ProofErrorCode> {
  override readonly name = 'ProofError';
}
