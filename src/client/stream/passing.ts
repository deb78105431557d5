const PASSING = ['NOT_READY', 'RATE_LIMITED', 'INTERNAL', 'LIMIT_EXCEEDED'];

/** Whether the same subscription may be asked for again after a refusal with this code. */
export function isPassing(code: string): boolean {
  return PASSING.includes(code);
}
