/**
 * Checks the signed log of a running service: that it only grows since it was seen last, that its
 * leaves are those of a journal, and that another service of the same chain has the same orders.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type MarketProof, type ProvenEntry, verifyProof } from '../client/proof/verify-proof.js';
import { type Leaf, readLeaf } from '../proof/leaf.js';
import { splitBundle } from '../proof/log-files.js';
import { type TreeHead, Verifier } from '../proof/note.js';
import { HASH_BYTES, hashLeaf, OpenTiles, TILE_WIDTH } from '../proof/tree.js';
import { readOrders, readSymbols } from './book-text.js';
import { VerifyError } from './error.js';
import { READING_INTERVAL_MS } from './limits.js';
import { ServiceClient } from './service-client.js';

/** A service, and the key of its log: `NAME+ID+KEY`. */
export interface SignedLog {
  readonly url: string;
  readonly key: string;
}

/** A leaf as a journal says it. */
export interface RecomputedLeaf extends Pick<Leaf, 'epoch' | 'tsMs' | 'root'> {
  readonly inputs: Uint8Array | null;
}

interface VerifyLogOptions {
  readonly log: SignedLog;
  /** The file of the checkpoint that was seen last; it is made and replaced. */
  readonly kept: string;
  /** The leaves of a journal. */
  readonly recomputed?: Iterable<RecomputedLeaf> | undefined;
  /** A service that reads the same chain. */
  readonly other?: SignedLog | undefined;
  /** How long two services are compared at most. */
  readonly seconds: number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly print: (line: string, finding: LogFinding) => void;
}

/** What a line says; all but the first three are faults. */
export type LogFinding = 'log' | 'journal' | 'equal' | 'different' | 'rolledBack' | 'rewritten';

/** Readings of a checkpoint with fewer leaves than the one that was seen, a second apart. */
const READS_MAX = 3;

/** Prints the findings; resolves with true when all of it holds. Rejects with a VerifyError. */
export async function verifyLog(options: VerifyLogOptions): Promise<boolean> {
  const { log, kept, recomputed, other, print } = options;
  const client = new ServiceClient(log.url);
  const verifier = Verifier.read(log.key);
  const before = existsSync(kept) ? readFileSync(kept, 'utf8') : null;
  const first = before === null ? EMPTY : verifier.openCheckpoint(before);
  const readHead = async () => {
    const note = await textOf(client, '/log/checkpoint');
    return { note, head: verifier.openCheckpoint(note) };
  };
  let { note, head } = await readHead();
  // An edge may lag by a second.
  for (let read = 1; head.size < first.size && read < READS_MAX; read += 1) {
    await options.wait(1_000);
    ({ note, head } = await readHead());
  }
  if (head.size < first.size) {
    print(`rolled back: the log had ${first.size} leaves and has ${head.size}`, 'rolledBack');
    return false;
  }
  const leaves = await readGrowth(client, first, head);
  if (leaves === null) {
    print(
      `rewritten: the log of ${head.size} leaves does not contain that of ${first.size}`,
      'rewritten',
    );
    return false;
  }
  print(`log: ${head.size} leaves, ${leaves.length} of them new, signed and grown`, 'log');
  const isSame = recomputed === undefined || compareLeaves(leaves, recomputed, print);
  if (isSame) writeFileSync(kept, note);
  return (other === undefined || (await compareServices(options, other))) && isSame;
}

const EMPTY: TreeHead = { size: 0, root: new Uint8Array() };

/** Returns the new leaves; null when the log is not the one that was seen, grown. */
async function readGrowth(
  client: ServiceClient,
  first: TreeHead,
  head: TreeHead,
): Promise<readonly Leaf[] | null> {
  const tiles = await readOpenTiles(client, first.size);
  if (first.size > 0 && !isEqual(tiles.root(), first.root)) return null;
  const leaves: Leaf[] = [];
  while (tiles.size < head.size) {
    const bundle = await readTile(client, 'entries', { size: head.size, from: tiles.size });
    for (const leaf of splitBundle(bundle).slice(tiles.size % TILE_WIDTH)) {
      tiles.appendHash(hashLeaf(leaf));
      leaves.push(readLeaf(leaf));
    }
  }
  return isEqual(tiles.root(), head.root) ? leaves : null;
}

/** Reads the tiles that were open when the log had a size. */
async function readOpenTiles(client: ServiceClient, size: number): Promise<OpenTiles> {
  const open: Uint8Array[] = [];
  for (let count = size; count > 0; count = Math.floor(count / TILE_WIDTH)) {
    const from = count - (count % TILE_WIDTH);
    const isNone = from === count;
    const level = open.length;
    open.push(isNone ? new Uint8Array() : await readTile(client, level, { size: count, from }));
  }
  const hashOf = (level: number, at: number): Uint8Array =>
    (open[level] ?? new Uint8Array()).slice(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  return new OpenTiles(size, (level, count) =>
    Array.from({ length: count }, (_, at) => hashOf(level, at)),
  );
}

/** Reads the tile that has item `from` of a level of so many. */
async function readTile(
  client: ServiceClient,
  level: number | 'entries',
  { size, from }: { readonly size: number; readonly from: number },
): Promise<Uint8Array> {
  const index = Math.floor(from / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0');
  const name = digits.replace(/\d{3}(?=\d)/g, 'x$&/');
  const part = width === TILE_WIDTH ? '' : `.p/${width}`;
  const bytes = await client.getBytes(`/log/tile/${level}/${name}${part}`);
  const whole = level === 'entries' ? splitBundle(bytes).length : bytes.length / HASH_BYTES;
  if (whole === width) return bytes;
  throw new VerifyError(
    'MALFORMED_SERVICE_ANSWER',
    `a tile of the log has ${whole} of ${width} items`,
  );
}

function compareLeaves(
  leaves: readonly Leaf[],
  recomputed: Iterable<RecomputedLeaf>,
  print: VerifyLogOptions['print'],
): boolean {
  const byTurn = new Map(leaves.map((leaf) => [`${leaf.epoch} ${leaf.tsMs}`, leaf]));
  let count = 0;
  for (const { epoch, tsMs, root, inputs } of recomputed) {
    const leaf = byTurn.get(`${epoch} ${tsMs}`);
    if (leaf === undefined) continue;
    const isBook = isEqual(leaf.root, root);
    if (!isBook || (inputs !== null && !isEqual(leaf.inputs, inputs))) {
      const what = isBook ? 'inputs' : 'books';
      print(
        `different: the ${what} of ${new Date(tsMs).toISOString()} are not those of the journal`,
        'different',
      );
      return false;
    }
    count += 1;
  }
  print(`journal: ${count} of ${leaves.length} new leaves recomputed`, 'journal');
  return true;
}

/** A service of a comparison. */
interface Compared {
  readonly client: ServiceClient;
  readonly key: string;
}

/** A market, and the slots of the hashes of its orders that each service had. */
interface ComparedMarket {
  readonly symbol: string;
  readonly hashes: readonly [Map<string, number>, Map<string, number>];
}

/** Compares the orders of each market by the hashes of both logs, and names the first difference. */
async function compareServices(
  { log, seconds, wait, print }: VerifyLogOptions,
  other: SignedLog,
): Promise<boolean> {
  const both = [log, other].map(({ url, key }) => ({ client: new ServiceClient(url), key }));
  const symbols = readSymbols(await textOf(new ServiceClient(log.url), '/markets'));
  let open = symbols.map((symbol): ComparedMarket => ({ symbol, hashes: [new Map(), new Map()] }));
  for (let left = seconds * 1_000; left > 0 && open.length > 0; left -= READING_INTERVAL_MS) {
    const differing: ComparedMarket[] = [];
    for (const market of open) {
      const slot = await readEqualSlot(market, both);
      if (slot === null) differing.push(market);
      else print(`${market.symbol} equal at slot ${slot}`, 'equal');
    }
    open = differing;
    if (open.length > 0) await wait(READING_INTERVAL_MS);
  }
  for (const { symbol } of open) print(await firstDifference(symbol, both), 'different');
  return open.length === 0;
}

/** Reads a market once more; returns a slot at which both had the same orders, or null. */
async function readEqualSlot(
  { symbol, hashes }: ComparedMarket,
  both: readonly Compared[],
): Promise<number | null> {
  for (const [at, service] of both.entries()) {
    const entry = await newestEntry(service, symbol);
    if (entry !== null) hashes[at]?.set(entry.orders, entry.slot);
  }
  const [ours, theirs] = hashes;
  const equal = [...ours].filter(([hash]) => theirs.has(hash));
  return equal.at(-1)?.[1] ?? null;
}

async function firstDifference(symbol: string, both: readonly Compared[]): Promise<string> {
  const path = `/l3?marketName=${encodeURIComponent(symbol)}`;
  const [ours = new Map<string, string>(), theirs = ours] = await Promise.all(
    both.map(async ({ client }) => readOrders(await textOf(client, path)).rows),
  );
  const rows = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  const row = rows.find((one) => ours.get(one) !== theirs.get(one));
  if (row === undefined) return `${symbol} different: in an order that is not shown`;
  const values = `here ${ours.get(row) ?? 'none'}, there ${theirs.get(row) ?? 'none'}`;
  return `${symbol} different: ${row}: ${values}`;
}

async function newestEntry({ client, key }: Compared, symbol: string): Promise<ProvenEntry | null> {
  const path = `/proof?marketName=${encodeURIComponent(symbol)}`;
  const { status, text } = await client.getText(path);
  if (status !== 200) return null;
  try {
    return await verifyProof(JSON.parse(text) as MarketProof, key);
  } catch (error) {
    throw new VerifyError('MALFORMED_SERVICE_ANSWER', `a proof of ${symbol}: ${String(error)}`);
  }
}

async function textOf(client: ServiceClient, path: string): Promise<string> {
  const { status, text } = await client.getText(path);
  if (status === 200) return text;
  throw new VerifyError('MALFORMED_SERVICE_ANSWER', `${path} was answered with ${status}: ${text}`);
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right);
}
