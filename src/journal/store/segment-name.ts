/**
 * The files of segments are named by a number that grows: `000000000042.journal`. A segment that goes on
 * where the one before it ended has the next number; where something is missing between two, a number is missing.
 */
const PATTERN = /^(\d{12})\.journal$/;

/** The name of a segment's file. */
export function segmentName(number: number): string {
  return `${String(number).padStart(12, '0')}.journal`;
}

/** The number of a segment by the name of its file; null for any other file. */
export function segmentNumber(name: string): number | null {
  const digits = PATTERN.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
