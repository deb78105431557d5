/**
 * Names segment files by an increasing number: `000000000042.journal`. A segment that continues the
 * previous one has the next number; a gap skips a number.
 */
const PATTERN = /^(\d{12})\.journal$/;

/** The file name of a segment. */
export function segmentName(number: number): string {
  return `${String(number).padStart(12, '0')}.journal`;
}

/** Returns the number in a segment's file name; null for any other file. */
export function segmentNumber(name: string): number | null {
  const digits = PATTERN.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
