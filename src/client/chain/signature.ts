/** Signatures of signed orders. */
import { decodeAddress } from '../base58.js';

/** A message, who should have signed it, and the signature. */
export interface Signed {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** Base58. */
  readonly signer: string;
}

/** Whether a signature holds, ed25519. */
export type Verify = (signed: Signed) => boolean | Promise<boolean>;

/** The part of WebCrypto that is used; Node.js 20 and current browsers have it. */
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

/** Verifies with WebCrypto. Rejects where it has no Ed25519: older browsers. */
export const verifyWithWebCrypto: Verify = async ({ message, signature, signer }) => {
  const { subtle } = (globalThis as unknown as { crypto: { subtle: Subtle } }).crypto;
  const key = await subtle.importKey('raw', decodeAddress(signer), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signature, message);
};
