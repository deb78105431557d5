/** The text of an account's address. */
import { PublicKey } from '@solana/web3.js';
import { LIMITS } from './limits.js';

/** Whether a text is a key of 32 bytes as base58 writes it. */
export function isPublicKey(text: string): boolean {
  // The length comes first: decoding takes time by its square.
  if (text.length < LIMITS.keyCharsMin || text.length > LIMITS.keyCharsMax) return false;
  try {
    return new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}

/** The 32 bytes of a key. */
export function publicKeyBytes(text: string): Uint8Array {
  return new PublicKey(text).toBytes();
}
