/** The rules of a stream by the names that docs/streaming.md gives them. */
export const RULES = [
  'malformed',
  'noSnapshot',
  'epoch',
  'gap',
  'repeated',
  'seq',
  'order',
  'absent',
  'empty',
  'depth',
  'queue',
  'crc',
  'silence',
] as const;

/** A rule that a stream keeps. */
export type Rule = (typeof RULES)[number];

/** A frame that breaks a rule. The book of its reader is of no use until it is healed. */
export class Breach extends Error {
  override readonly name = 'Breach';

  constructor(
    readonly rule: Rule,
    message: string,
  ) {
    super(message);
  }
}
