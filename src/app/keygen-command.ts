/** `keygen`: a key that signs the log of the books. */
import { writeFileSync } from 'node:fs';
import { newSigningKey, Signer } from '../proof/note.js';

/** Writes a new key to a file that must not exist; prints the key that checks its signatures. */
export function writeSigningKey(
  name: string,
  file: string,
  output: { write(text: string): unknown },
): true {
  const key = newSigningKey(name);
  writeFileSync(file, `${key}\n`, { flag: 'wx', mode: 0o600 });
  output.write(`${Signer.read(key).verifierKey}\n`);
  return true;
}
