/**
 * Signed notes and checkpoints in the forms of C2SP (signed-note, tlog-checkpoint): a text, and an
 * Ed25519 signature of a named key.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { ProofError } from './error.js';

/** A checkpoint's tree: the number of leaves and the root hash. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** The type of Ed25519 in key ids and keys. Source: C2SP signed-note, "Signature types". */
const ED25519 = Buffer.of(1);
/** The bytes before a raw key in its DER form. Source: RFC 8410, sections 4 and 7. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;

/** Verifies the notes of one key. */
export class Verifier {
  readonly name: string;
  readonly #id: Buffer;
  readonly #key: KeyObject;

  constructor(name: string, key: Uint8Array) {
    this.name = name;
    this.#id = keyId(name, key);
    const der = Buffer.concat([SPKI_HEAD, key]);
    this.#key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  }

  /** Reads `NAME+ID+KEY`. Throws `MALFORMED_PROOF`. */
  static read(text: string): Verifier {
    const { name, id, key } = readKey(text.trim().split('+'));
    const verifier = new Verifier(name, key);
    if (verifier.#id.toString('hex') === id) return verifier;
    throw new ProofError('MALFORMED_PROOF', `the id of the key ${name} was ${id}, of another key`);
  }

  /** Returns the text of a note that the key has signed; null for any other note. */
  openNote(note: string): string | null {
    const end = note.lastIndexOf('\n\n');
    const text = note.slice(0, end + 1);
    for (const line of note.slice(end + 2).split('\n')) {
      const [dash, name, encoded = ''] = line.split(' ');
      const bytes = Buffer.from(encoded, 'base64');
      const isOurs =
        dash === '—' && name === this.name && bytes.length === SIGNATURE_BYTES + ID_BYTES;
      if (!isOurs || !bytes.subarray(0, ID_BYTES).equals(this.#id)) continue;
      const signature = bytes.subarray(ID_BYTES);
      return verify(null, Buffer.from(text), this.#key, signature) ? text : null;
    }
    return null;
  }

  /** Returns the tree of a checkpoint of this log. Throws `MALFORMED_PROOF`. */
  openCheckpoint(note: string): TreeHead {
    const text = this.openNote(note);
    const [origin, size = '', root = '', ...rest] = text?.split('\n') ?? [];
    const hash = Buffer.from(root, 'base64');
    const isForm = /^(0|[1-9]\d{0,14})$/.test(size) && hash.length === 32 && rest.length > 0;
    if (text !== null && origin === this.name && isForm) return { size: Number(size), root: hash };
    const message = `a checkpoint of ${this.name} is malformed, or its signature is wrong`;
    throw new ProofError('MALFORMED_PROOF', message);
  }
}

/** Signs checkpoints of the log that is named like the key. */
export class Signer {
  readonly name: string;
  /** The key that verifies, as a text. */
  readonly verifierKey: string;
  readonly verifier: Verifier;
  readonly #seed: Uint8Array;
  readonly #id: Buffer;
  readonly #key: KeyObject;

  /** `seed` is the private key, 32 bytes. */
  constructor(name: string, seed: Uint8Array) {
    this.name = name;
    this.#seed = seed;
    const der = Buffer.concat([PKCS8_HEAD, seed]);
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    const key = spki.subarray(SPKI_HEAD.length);
    this.#id = keyId(name, key);
    this.verifier = new Verifier(name, key);
    const encoded = Buffer.concat([ED25519, key]).toString('base64');
    this.verifierKey = `${name}+${this.#id.toString('hex')}+${encoded}`;
  }

  /** The key that signs, as a text. */
  get privateKey(): string {
    const encoded = Buffer.concat([ED25519, this.#seed]).toString('base64');
    return `PRIVATE+KEY+${this.name}+${this.#id.toString('hex')}+${encoded}`;
  }

  /** Reads `PRIVATE+KEY+NAME+ID+KEY`. Throws `MALFORMED_PROOF`, without the key. */
  static read(text: string): Signer {
    const [first, second, ...rest] = text.trim().split('+');
    const { name, id, key } = readKey(first === 'PRIVATE' && second === 'KEY' ? rest : []);
    const signer = new Signer(name, key);
    if (signer.#id.toString('hex') === id) return signer;
    throw new ProofError('MALFORMED_PROOF', `the id of the key ${name} was ${id}, of another key`);
  }

  /** Signs a text that ends with a line end. */
  signNote(text: string): string {
    const signature = sign(null, Buffer.from(text), this.#key);
    const encoded = Buffer.concat([this.#id, signature]).toString('base64');
    return `${text}\n— ${this.name} ${encoded}\n`;
  }

  signCheckpoint({ size, root }: TreeHead): string {
    return this.signNote(`${this.name}\n${size}\n${Buffer.from(root).toString('base64')}\n`);
  }
}

/** Returns a new signing key as text. Throws `MALFORMED_PROOF` for an invalid name. */
export function newSigningKey(name: string): string {
  checkName(name);
  return new Signer(name, randomBytes(KEY_BYTES)).privateKey;
}

/** The first four bytes of SHA-256 over name, line end, type and key. */
function keyId(name: string, key: Uint8Array): Buffer {
  const hash = createHash('sha256').update(`${name}\n`).update(ED25519).update(key).digest();
  return hash.subarray(0, ID_BYTES);
}

function checkName(name: string): void {
  if (/^[^\s+]{1,200}$/u.test(name)) return;
  const message = `the name of a key was ${JSON.stringify(name)}, must be 1 to 200 characters without blanks and +`;
  throw new ProofError('MALFORMED_PROOF', message);
}

/** Base64 has `+` as well, so the last part may be split. */
function readKey([name = '', id = '', ...encoded]: readonly string[]) {
  const bytes = Buffer.from(encoded.join('+'), 'base64');
  if (bytes.length !== 1 + KEY_BYTES || bytes[0] !== ED25519[0]) {
    const message = 'a key must be NAME+ID+KEY in base64, before it PRIVATE+KEY+ where it signs';
    throw new ProofError('MALFORMED_PROOF', message);
  }
  checkName(name);
  return { name, id, key: bytes.subarray(1) };
}
