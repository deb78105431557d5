/** The names that docs/streaming-rules.md gives to its rules. */
export const STREAM_RULES = [
  'malformed',
  'noSnapshot',
  'epoch',
  'gap',
  'repeated',
  'seq',
  'absent',
  'depth',
  'empty',
  'order',
  'queue',
  'crc',
  'silence',
] as const;

/** A rule of docs/streaming-rules.md; `seq` and `queue` are checked in strict mode only. */
export type StreamRule = (typeof STREAM_RULES)[number];

/**
 * The error of a frame that breaks a rule. The book must not be displayed until it is repaired.
 *
 * @example
 * const onRepair = ({ rule, message }: ProtocolViolation) => console.warn(rule, message);
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080', onRepair });
 */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
  readonly rule: StreamRule;

  constructor(rule: StreamRule, message: string) {
    super(message);
    this.rule = rule;
  }

  /** Whether the book is still that of the previous frame, so that the missed frames repair it. */
  get isResumable(): boolean {
    return this.rule === 'gap' || this.rule === 'repeated' || this.rule === 'silence';
  }
}
