/**
 * Checks proofs of a service's signed log: docs/proof.md has the forms. Needs WebCrypto with Ed25519.
 *
 * This file imports nothing of the main entry point, so that it is loaded apart.
 */
import { ALPHABET } from '../base58-text.js';
import { base64, bytesOfBase64 } from '../base64.js';
import type { Message } from '../fields.js';
import type { Best, BookView } from '../stream/topic.js';

/** A body of `GET /proof`. */
export interface MarketProof {
  readonly entry: string;
  readonly place: number;
  readonly places: number;
  readonly entryPath: string;
  readonly leaf: string;
  readonly index: number;
  readonly path: string;
  readonly checkpoint: string;
}

/** The content of a proof that was checked up to the signature. */
export interface ProvenEntry {
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  readonly epoch: string;
  readonly seq: number;
  readonly slot: number;
  /** Unix milliseconds of the service. */
  readonly ts: number;
  /** The hash of all open orders, as `slotbook prove` lists them, base64. */
  readonly orders: string;
  /** The hashes of the rows that `l3` and `book` show, base64. */
  readonly l3: string;
  readonly book: string;
  /** The number of leaves of the checkpoint, and its root in base64. */
  readonly size: number;
  readonly root: string;
}

const HASH = 32;

/** A proof that does not hold, or a key that is none. */
export class ProofFault extends Error {
  override readonly name = 'ProofFault';

  constructor(
    message: string,
    readonly code: 'PROOF_FAILED' | 'INVALID_KEY' = 'PROOF_FAILED',
  ) {
    super(message);
  }
}

/** Checks a proof against the key of the log, `NAME+ID+KEY`. Rejects with a ProofFault. */
export async function verifyProof(proof: MarketProof, key: string): Promise<ProvenEntry> {
  const { size, root } = await openCheckpoint(proof.checkpoint, key);
  const entry = bytesOf(proof.entry, 107);
  const leaf = bytesOf(proof.leaf, 112);
  const { place, places, index } = proof;
  const leafRoot = await rootOver(entry, { at: place, of: places, path: bytesOf(proof.entryPath) });
  if (leafRoot !== base64(leaf.subarray(80))) throw new ProofFault('the entry is not in the leaf');
  const logRoot = await rootOver(leaf, { at: index, of: size, path: bytesOf(proof.path) });
  if (logRoot !== root) throw new ProofFault('the leaf is not in the log of the checkpoint');
  const words = new DataView(leaf.buffer);
  const fields = new DataView(entry.buffer);
  return {
    marketType: entry[0] === 0 ? 'perp' : 'spot',
    marketIndex: fields.getUint16(1),
    epoch: new TextDecoder().decode(leaf.subarray(4, 4 + (leaf[3] ?? 0))),
    seq: Number(fields.getBigUint64(3)),
    slot: Number(words.getBigUint64(32)),
    ts: Number(words.getBigUint64(40)),
    orders: base64(entry.subarray(11, 43)),
    l3: base64(entry.subarray(43, 75)),
    book: base64(entry.subarray(75)),
    size,
    root,
  };
}

/** Returns the hash of the rows of a book, as an entry has it. */
export async function hashOfBook({
  bids,
  asks,
}: Pick<BookView<Best>, 'bids' | 'asks'>): Promise<string> {
  const bytes = new Uint8Array(2 * 4 + (bids.length + asks.length) * ROW_BYTES_MAX);
  const words = new DataView(bytes.buffer);
  let at = 0;
  for (const rows of [bids, asks]) {
    words.setUint32(at, rows.length);
    at += 4;
    for (const row of rows) {
      words.setBigUint64(at, row.price);
      words.setBigUint64(at + 8, row.size >> 64n);
      words.setBigUint64(at + 16, row.size);
      at += 24;
      if (!('maker' in row && 'orderId' in row)) continue;
      bytes.set(keyBytes(String(row.maker)), at);
      words.setUint32(at + HASH, Number(row.orderId));
      at += HASH + 4;
    }
  }
  return base64(await digestOf(bytes.subarray(0, at)));
}

/** Bytes of an order; a level has fewer. */
const ROW_BYTES_MAX = 60;

/**
 * Checks the file of a PROOF_FAILED without a service; resolves with the proven fault. Rejects with
 * a ProofFault when it proves nothing.
 */
export async function checkEvidence(content: string): Promise<string> {
  const evidence = JSON.parse(content) as Message;
  const { proof, before, channel } = evidence;
  const key = String(evidence['key']);
  const entry = await verifyProof((proof ?? {}) as MarketProof, key);
  if (typeof before === 'string') {
    const first = await openCheckpoint(before, key);
    const isOther = first.size === entry.size && first.root !== entry.root;
    if (isOther) return `two logs of ${entry.size} leaves are signed by one key`;
    throw new ProofFault('the two checkpoints may be of one log');
  }
  const shown = await hashOfBook(viewOf(evidence));
  const signed = channel === 'l3' ? entry.l3 : entry.book;
  const { marketType, marketIndex, seq, ts } = entry;
  const name = `${marketType} ${marketIndex} seq ${seq} at ${new Date(ts).toISOString()}`;
  if (shown === signed) throw new ProofFault(`the book is the signed one: ${name}`);
  return `the signed book of ${name} is not the book of the file`;
}

/** Writes the file of a PROOF_FAILED. Integers become texts. */
export function evidenceOf(parts: object): string {
  return JSON.stringify(parts, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

function viewOf({ bids, asks }: Message): Pick<BookView<Best>, 'bids' | 'asks'> {
  const rowsOf = (rows: unknown) =>
    ((rows ?? []) as readonly Message[]).map((row) => ({
      ...row,
      price: BigInt(String(row['price'])),
      size: BigInt(String(row['size'])),
    })) as unknown as readonly Best[];
  return { bids: rowsOf(bids), asks: rowsOf(asks) };
}

type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The key that was used last, which a client uses each second. */
let last: { readonly key: string; readonly imported: ImportedKey } | undefined;

/** Returns size and root of a checkpoint that the key has signed. */
async function openCheckpoint(sent: string, key: string) {
  const note = String(sent);
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(key) ?? [];
  const bytes = new Uint8Array(bytesOfBase64(encoded) ?? []);
  const named = await digestOf(new TextEncoder().encode(`${name}\n`), bytes);
  if (bytes.length !== 1 + HASH || hexOf(named.subarray(0, 4)) !== id) {
    throw new ProofFault('the key is not the NAME+ID+KEY that keygen printed', 'INVALID_KEY');
  }
  const end = note.lastIndexOf('\n\n');
  const message = note.slice(0, end + 1);
  const [origin, size = '', root = ''] = message.split('\n');
  const line = note
    .slice(end + 2)
    .split('\n')
    .find((one) => one.startsWith(`— ${name} `));
  const signed = bytesOf(line?.split(' ')[2] ?? '', 4 + 64);
  const isKey = hexOf(signed.subarray(0, 4)) === id && origin === name && /^\d{1,15}$/.test(size);
  const { subtle } = crypto;
  const imported =
    last?.key === key
      ? last.imported
      : await subtle.importKey('raw', bytes.subarray(1), 'Ed25519', false, ['verify']);
  last = { key, imported };
  const text = new TextEncoder().encode(message);
  const isValid = isKey && (await subtle.verify('Ed25519', imported, signed.subarray(4), text));
  if (!isValid) throw new ProofFault('the checkpoint is not signed by the key');
  return { size: Number(size), root, note };
}

/** The root to which a path leads from an item. Source: RFC 9162, section 2.1.3.2. */
async function rootOver(
  item: Uint8Array,
  { at, of, path }: { readonly at: number; readonly of: number; readonly path: Uint8Array },
): Promise<string> {
  let hash = await digestOf(Uint8Array.of(0), item);
  let from = at;
  let last = of - 1;
  if (!(at >= 0 && at < of)) throw new ProofFault(`item ${at} of ${of}`);
  for (let offset = 0; offset < path.length; offset += HASH) {
    const other = path.subarray(offset, offset + HASH);
    if (last === 0) throw new ProofFault('the path is too long');
    const isRight = from % 2 === 1 || from === last;
    hash = await digestOf(Uint8Array.of(1), ...(isRight ? [other, hash] : [hash, other]));
    // A last item without a right neighbour is its own parent.
    const alone = isRight ? trailingZeros(from) : 0;
    from = Math.floor(from / 2 ** (alone + 1));
    last = Math.floor(last / 2 ** (alone + 1));
  }
  if (last !== 0) throw new ProofFault('the path is too short');
  return base64(hash);
}

function trailingZeros(value: number): number {
  let count = 0;
  for (let rest = value; rest > 0 && rest % 2 === 0; rest /= 2) count += 1;
  return count;
}

async function digestOf(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** Decodes base64 of so many bytes, where it has a length. */
function bytesOf(encoded: string, length?: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(bytesOfBase64(String(encoded)) ?? [0]);
  const isWhole = length === undefined ? bytes.length % HASH === 0 : bytes.length === length;
  if (isWhole) return bytes;
  throw new ProofFault(`a part of the proof has ${bytes.length} bytes`);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Makers whose keys are kept, so that each is decoded once. */
const KEYS_MAX = 10_000;
const keys = new Map<string, Uint8Array>();

/** Decodes base58. */
function keyBytes(address: string): Uint8Array {
  const known = keys.get(address);
  if (known !== undefined) return known;
  let value = 0n;
  for (const digit of address) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
  const bytes = new Uint8Array(HASH);
  const words = new DataView(bytes.buffer);
  for (let at = HASH - 8; at >= 0; at -= 8, value >>= 64n) words.setBigUint64(at, value);
  if (keys.size >= KEYS_MAX) keys.clear();
  keys.set(address, bytes);
  return bytes;
}
