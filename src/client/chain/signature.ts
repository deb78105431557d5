/** Signatures of signed orders. */
import { decodeAddress } from '../base58.js';

/** A message, its claimed signer, and the signature. */
export interface Signed {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** Base58. */
  readonly signer: string;
}

/** Verifies an ed25519 signature. */
export type Verify = (signed: Signed) => boolean | Promise<boolean>;

/** The part of WebCrypto that is used here; Node.js 20 and current browsers provide it. */
interface Subtle {
  importKey(
    format: 'raw',
    key: Uint8Array,
    algorithm: 'Ed25519',
    extractable: boolean,
    usages: readonly ['verify'],
  ): Promise<unknown>;
  verify(
    algorithm: 'Ed25519',
    key: unknown,
    signature: Uint8Array,
    data: Uint8Array,
  ): Promise<boolean>;
}

/**
 * Verifies a signature with WebCrypto. Rejects when WebCrypto has no Ed25519, as in older browsers.
 */
export const verifyWithWebCrypto: Verify = async ({ message, signature, signer }) => {
  const { subtle } = (globalThis as unknown as { crypto: { subtle: Subtle } }).crypto;
  const key = await subtle.importKey('raw', decodeAddress(signer), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signature, message);
};
