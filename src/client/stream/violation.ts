/** The rules of docs/streaming.md that a client checks; how a breach of each is mended follows from it. */
export type StreamRule =
  | 'malformed'
  | 'noSnapshot'
  | 'epoch'
  | 'gap'
  | 'repeated'
  | 'absent'
  | 'depth'
  | 'empty'
  | 'order'
  | 'crc'
  | 'silence';

/** A frame that breaks a rule; the book is not to be shown until it is mended. */
export class ProtocolViolation extends Error {
  constructor(
    readonly rule: StreamRule,
    message: string,
  ) {
    super(message);
  }

  /** Whether the book before the frame is as good as it was, so that what was missed mends it. */
  get isResumable(): boolean {
    return this.rule === 'gap' || this.rule === 'repeated' || this.rule === 'silence';
  }
}
