/** The commands that read the folder of a journal. */
import { ConfigError } from '../config/config-error.js';
import { type ProvedSlot, proveOrders, proveSlot } from '../journal/prove-slot.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { systemTimers } from '../rpc/timers.js';
import { existingFolder, segmentOfSlot } from './journal-origin.js';

/** The output of a command. */
interface CommandOutput {
  readonly write: (text: string) => unknown;
}

/**
 * Reads a whole journal and prints its intact ranges; resolves with true when there is no damage.
 * Rejects with a ConfigError when the folder does not exist.
 */
export async function verifyJournalFolder(place: string, output: CommandOutput): Promise<boolean> {
  const folder = existingFolder(place, '--journal');
  const print = (line: string): void => void output.write(`${line}\n`);
  return verifyJournal({ folder, print, timers: systemTimers });
}

/** The flags of `prove`. */
export interface ProveFlags {
  readonly slot?: string;
  readonly parts?: string;
  readonly json?: true;
}

/**
 * Prints the hash of each market's book at a slot; for a single market, the hashes of its parts and
 * orders. Rejects with a ConfigError.
 */
export async function proveBooks(
  place: string,
  flags: ProveFlags,
  output: CommandOutput,
): Promise<boolean> {
  existingFolder(place, 'DIR');
  const { slot: text = '', parts, json = false } = flags;
  if (!/^\d{1,15}$/.test(text)) throw invalidFlag('--slot', text, 'must be a whole number');
  const slot = Number(text);
  const proved = { ...segmentOfSlot(place, slot), slot };
  const { lines, body } = parts === undefined ? booksOf(proved) : partsOf(proved, parts);
  output.write(json ? `${JSON.stringify(body)}\n` : lines.map((line) => `${line}\n`).join(''));
  return true;
}

/** The result of `prove` as lines and as an object. */
interface ProofText {
  readonly lines: readonly string[];
  readonly body: object;
}

function booksOf(proved: ProvedSlot): ProofText {
  const body = proveSlot(proved);
  return { body, lines: body.markets.map(({ market, chain }) => `${market} ${chain}`) };
}

function partsOf(proved: ProvedSlot, name: string): ProofText {
  const { markets, ...proof } = proveSlot(proved);
  const market = markets.find((one) => one.market === name.toUpperCase());
  const orders = market === undefined ? null : proveOrders(proved, market.market);
  if (market === undefined || orders === null) {
    const names = markets.map((one) => one.market).join(', ');
    throw invalidFlag('--parts', name, `must be one of ${names}`);
  }
  const lines = [
    ...Object.entries(market.parts).map(([part, hash]) => `${part} ${hash}`),
    ...orders.map(({ maker, orderId, hash }) => `order ${maker} ${orderId} ${hash}`),
  ];
  return { lines, body: { ...proof, ...market, orders } };
}

function invalidFlag(flag: string, value: string, rule: string): ConfigError {
  return new ConfigError('INVALID_SETTING', `${flag} was ${value}, ${rule}`, flag);
}
