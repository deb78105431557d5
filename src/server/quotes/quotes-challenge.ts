/**
 * The proof that a maker holds its key: it signs a text that the service has made up, with ed25519 as
 * wallets do. Node's own crypto verifies.
 */
import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { publicKeyBytes } from '../../config/public-key.js';

/** What a maker has to sign. It names its purpose, so that it is good for nothing else. */
export function newNonce(): string {
  return `slotbook quotes ${randomBytes(NONCE_BYTES).toString('hex')}`;
}

const NONCE_BYTES = 32;

/** Whether a signature, as base64, is that of a key (base58) under the text of a nonce. */
export function isSigned(key: string, nonce: string, signature: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  return verify(null, Buffer.from(nonce), keyObject(key), Buffer.from(signature, 'base64'));
}

/** 64 bytes. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

function keyObject(key: string): KeyObject {
  const x = Buffer.from(publicKeyBytes(key)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
