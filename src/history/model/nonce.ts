/** A text that is unique to this run. */
export function newNonce(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(36);
}
