/** The first slot of a node as it was: nothing compares it with the node before. */

/** A check that finds nothing. */
export async function requireLikelySlot(): Promise<void> {}
