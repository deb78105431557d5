/** A text that no other run has. */
export function newNonce(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(36);
}
