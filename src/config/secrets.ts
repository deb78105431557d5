/**
 * Collects the secrets of all settings of the process. The log and a command's final error pass
 * through {@link Secrets.mask}. Responses to clients are not masked: they contain no text from
 * other systems, and masking would reveal whether a word in a request is a secret.
 */
import { SECRET_FORMS_MAX } from './limits.js';

/**
 * Minimum length of a masked part of an address: shorter parts (`rpc`, `v1`) are not keys, and
 * masking them would garble every text.
 */
const ADDRESS_PART_CHARS_MIN = 8;
/**
 * Minimum length of a token, user or password that is masked within words; shorter secrets are
 * masked only as whole words.
 */
const ANYWHERE_CHARS_MIN = 4;
const MASK = '***';
/**
 * The user names of the documentation and of `ops`: masking them would garble the program's own
 * words.
 */
const PUBLIC_USERS: ReadonlySet<string> = new Set(['slotbook', 'core', 'edge']);

/** The secrets to mask. */
export class Secrets {
  /** All encodings of the secrets. Above the limit, the oldest are removed. */
  readonly #forms = new Set<string>();
  #masks: readonly ((text: string) => string)[] = [];

  /** Adds a token, a user or a password. */
  addSecret(secret: string): void {
    this.#addForms([secret]);
  }

  /** Adds the secrets of an address; the whole text when it is not an address. */
  addAddress(text: string): void {
    this.#addForms(URL.canParse(text) ? secretParts(new URL(text)) : [text]);
  }

  mask(text: string): string {
    return this.#masks.reduce((masked, mask) => mask(masked), text);
  }

  #addForms(secrets: readonly string[]): void {
    const before = this.#forms.size;
    for (const form of secrets.flatMap(formsOf)) this.#forms.add(form);
    this.#forms.delete('');
    if (this.#forms.size === before) return;
    for (const oldest of this.#forms) {
      if (this.#forms.size <= SECRET_FORMS_MAX) break;
      this.#forms.delete(oldest);
    }
    // The masks are sorted by length, longest first, so that a secret within another does not split
    // it.
    this.#masks = [...this.#forms].sort((a, b) => b.length - a.length).map(maskOf);
  }
}

/** The secrets of this process. */
export const secrets = new Secrets();

function maskOf(form: string): (text: string) => string {
  if (form.length >= ANYWHERE_CHARS_MIN) return (text) => text.replaceAll(form, MASK);
  const escaped = form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'gu');
  return (text) => text.replace(word, MASK);
}

/**
 * Returns the user info, and the parts in which providers put keys. The path of a database address
 * is only its name.
 */
function secretParts(url: URL): readonly string[] {
  const isDatabase = url.protocol.startsWith('postgres');
  const path = isDatabase ? [] : url.pathname.split('/');
  // A user alone is a token, but not of a database.
  const isPublic = PUBLIC_USERS.has(url.username) && (isDatabase || url.password !== '');
  const parts = [...path, ...url.searchParams.values(), url.search.slice(1), url.hash.slice(1)];
  return [
    ...parts.filter((part) => part.length >= ADDRESS_PART_CHARS_MIN),
    ...(isPublic ? [] : [url.username]),
    url.password,
    // Postgres also accepts user and password as query parameters, with any length.
    ...['user', 'password'].map((name) => url.searchParams.get(name) ?? ''),
    ...userInfoForms(url),
  ];
}

function userInfoForms({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return [];
  const pair = `${decodePart(username)}:${decodePart(password)}`;
  const composed = password === '' ? [] : [pair, `${username}:${password}`];
  const bytes = Buffer.from(pair);
  return [...composed, bytes.toString('base64'), bytes.toString('base64url')];
}

/**
 * Returns the encodings of a secret: unchanged, percent-encoded in each usual way, and as JSON
 * text.
 */
function formsOf(secret: string): readonly string[] {
  const plain = decodePart(secret);
  const forms = [secret, plain].flatMap((text) => {
    const encoded = encodeURIComponent(Buffer.from(text).toString());
    const ofForm = new URLSearchParams([['', text]]).toString().slice(1);
    const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
    return [text, encoded, ofForm, lowerCase];
  });
  return [...forms, JSON.stringify(plain).slice(1, -1)];
}

/** Decodes percent-encoded text; badly encoded text is returned as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
