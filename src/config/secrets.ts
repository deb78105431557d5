/**
 * Every secret of the settings of this process, in one place: the log and the last words of a command pass
 * through {@link Secrets.mask}. What clients are sent needs no mask, as no text of another server is in it; a mask
 * there would tell a client whether a word that it sent is a secret.
 */
import { SECRET_FORMS_MAX } from './limits.js';

/** Shorter parts of an address (`rpc`, `v1`) are no keys, and masks of them would garble every text. */
const ADDRESS_PART_CHARS_MIN = 8;
/** A shorter token, user or password is masked where it is a word, and not inside of others. */
const ANYWHERE_CHARS_MIN = 4;
const MASK = '***';
/** The user that the documents propose for every server: a mask of it would garble the program's own name. */
const PUBLIC_USER = 'slotbook';

/** The secrets that texts are searched for. */
export class Secrets {
  /** All texts that a secret may be repeated as. Of more than the limit the oldest are forgotten. */
  readonly #forms = new Set<string>();
  #masks: readonly ((text: string) => string)[] = [];

  /** Adds a token, a user or a password. */
  addSecret(secret: string): void {
    this.#addForms([secret]);
  }

  /** Adds what is secret in an address; of a text that is none, all of it. */
  addAddress(text: string): void {
    this.#addForms(URL.canParse(text) ? secretParts(new URL(text)) : [text]);
  }

  /** The text with every secret hidden, in whatever form it is repeated. */
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
    // Longest first, so that a secret which contains another is hidden whole.
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

/** User info, and the parts that providers put keys into. The path of a database is its name. */
function secretParts(url: URL): readonly string[] {
  const path = url.protocol.startsWith('postgres') ? [] : url.pathname.split('/');
  const parts = [...path, ...url.searchParams.values(), url.search.slice(1), url.hash.slice(1)];
  return [
    ...parts.filter((part) => part.length >= ADDRESS_PART_CHARS_MIN),
    ...(url.username === PUBLIC_USER && url.password !== '' ? [] : [url.username]),
    url.password,
    // Where Postgres takes them as well, which asks for no length.
    ...['user', 'password'].map((name) => url.searchParams.get(name) ?? ''),
    ...userInfoForms(url),
  ];
}

/** User and password as they travel together. */
function userInfoForms({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return [];
  const pair = `${decodePart(username)}:${decodePart(password)}`;
  const composed = password === '' ? [] : [pair, `${username}:${password}`];
  return [...composed, Buffer.from(pair).toString('base64')];
}

/** A secret as it is, percent-encoded in each usual way, and within a text of JSON. */
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

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
