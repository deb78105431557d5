/** Validates account addresses. */
import { PublicKey } from '@solana/web3.js';
import { LIMITS } from './limits.js';

/** Returns whether a text is the base58 encoding of 32 bytes. */
export function isPublicKey(text: string): boolean {
  // The length is checked first, because decoding takes quadratic time.
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
