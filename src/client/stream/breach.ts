/** The rules of docs/streaming.md that a client checks; how a breach of each is mended follows from it. */
export type Rule =
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
export class Breach extends Error {
  constructor(
    readonly rule: Rule,
    message: string,
  ) {
    super(message);
  }

  /** Whether the book before the frame is as good as it was, so that what was missed mends it. */
  get isHarmless(): boolean {
    return this.rule === 'gap' || this.rule === 'repeated' || this.rule === 'silence';
  }
}
