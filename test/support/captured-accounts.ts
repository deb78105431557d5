/** Accounts that were captured from the chain, as the golden vectors hold them. */
import { readFileSync } from 'node:fs';

const folder = new URL('../golden/vectors/real-accounts/', import.meta.url);

/** The bytes of a captured account by its name in the manifest. */
export function capturedAccount(name: string): Uint8Array {
  const text = readFileSync(new URL(`accounts/${name}.b64`, folder), 'utf8');
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
