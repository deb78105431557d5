/** The commands that read the folder of a journal. */
import { ConfigError } from '../config/config-error.js';
import { type CommandResult, resultText } from '../contract/command-result.js';
import { type ProvedSlot, proveOrders, proveSlot } from '../journal/prove-slot.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { systemTimers } from '../rpc/timers.js';
import { existingFolder, segmentOfSlot } from './journal-origin.js';
import { RunProgress } from './progress.js';

/** The output of a command. */
export interface CommandOutput {
  readonly write: (text: string) => unknown;
}

/**
 * Reads a whole journal and prints its intact ranges; resolves with true when there is no damage.
 * Rejects with a ConfigError when the folder does not exist.
 */
export async function verifyJournalFolder(
  place: string,
  output: CommandOutput,
  isJson = false,
): Promise<boolean> {
  const folder = existingFolder(place, '--journal');
  const lines: string[] = [];
  const progress = new RunProgress();
  const onBytes = (read: number, all: number): void =>
    progress.show({ share: read / Math.max(1, all), done: Math.round(read / 1e6), unit: 'MB' });
  const printBelow = (line: string): void => {
    progress.clear();
    lines.push(line);
    if (!isJson) output.write(`${line}\n`);
  };
  const isSound = verifyJournal({ folder, print: printBelow, timers: systemTimers, onBytes });
  progress.clear();
  if (isJson) output.write(resultText({ lines, body: { sound: isSound, lines } }, true));
  return isSound;
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
  const result = parts === undefined ? booksOf(proved) : partsOf(proved, parts);
  output.write(resultText(result, json));
  return true;
}

function booksOf(proved: ProvedSlot): CommandResult {
  const body = proveSlot(proved);
  return { body, lines: body.markets.map(({ market, chain }) => `${market} ${chain}`) };
}

function partsOf(proved: ProvedSlot, name: string): CommandResult {
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
