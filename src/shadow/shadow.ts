/**
 * `slotbook shadow`: polls a slotbook and another server of the same markets for a time, and says
 * where their books differ, whose is right by the chain, and which shows a change first.
 */
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultText } from '../contract/command-result.js';
import { SLOT_MS } from '../contract/program.js';
import type { Output } from '../follow/terminal.js';
import { readSymbols } from '../verify/book-text.js';
import type { ChainBook } from '../verify/chain-book.js';
import { ServiceClient } from '../verify/service-client.js';
import { untilLive } from '../verify/verify.js';
import { ChainSlots } from './chain-slots.js';
import { DEPTH, POLL_INTERVAL_MS, REQUEST_INTERVAL_MS } from './limits.js';
import { MarketPair, type ShadowSide } from './market-pair.js';
import { shadowReport } from './report.js';
import { readServerBook } from './server-book.js';
import { addressOf, durationOf, ShadowError, type ShadowFlags } from './shadow-options.js';

/** One run. */
interface ShadowRun {
  readonly flags: ShadowFlags;
  /** The chain's own book; null to judge nothing. */
  readonly chain: ChainBook | null;
  readonly output: Output;
  /** Ends the run early, with its report. */
  readonly stop: AbortSignal;
}

/**
 * Compares the two servers. Resolves with true when no level of slotbook was wrong by the chain.
 *
 * # Errors
 *
 * Rejects with a VerifyError when slotbook or the chain does not answer, and with a ShadowError for
 * an invalid option, or when no books could be compared.
 */
export async function shadowServer({ flags, chain, output, stop }: ShadowRun): Promise<boolean> {
  const [url, against] = [addressOf('--url', flags.url), addressOf('--against', flags.against)];
  const durationMs = durationOf(flags.for);
  if (chain !== null) await untilLive(chain);
  const clients = { slotbook: new ServiceClient(url), other: new ServiceClient(against) };
  const names = await namesOf(clients.slotbook, flags.markets);
  const intervalMs = Math.max(POLL_INTERVAL_MS, names.length * REQUEST_INTERVAL_MS);
  const startMs = performance.now();
  const pairs = names.map((name) => new MarketPair(name, startMs, Math.ceil(intervalMs / SLOT_MS)));
  const times = { startMs, intervalMs, endMs: startMs + durationMs };
  const polls = { times, stop, chain, clients, isSlotbook: flags.slotbook === true };
  const sides = ['slotbook', 'other'] as const;
  setMaxListeners(2 * pairs.length, stop);
  await Promise.all(pairs.flatMap((pair) => sides.map((side) => pollSide(pair, side, polls))));
  if (pairs.every(({ counts, sides }) => counts.pairs + sides.slotbook.judged === 0)) {
    const [ours, theirs] = sides.map((side) => pairs[0]?.sides[side].lastFailure);
    throw new ShadowError('NOTHING_COMPARED', `no two books of near slots: ${ours}; ${theirs}`);
  }
  const hosts = { slotbook: new URL(url).host, other: new URL(against).host };
  const report = shadowReport(pairs, hosts, (performance.now() - startMs) / 1_000);
  if (flags.html !== undefined) await writeFile(flags.html, report.html);
  output.write(resultText(report, flags.json));
  return pairs.every(({ sides }) => sides.slotbook.wrong.size === 0);
}

/** The compared markets, by the names that slotbook serves. */
async function namesOf(own: ServiceClient, wanted = ''): Promise<readonly string[]> {
  const served = readSymbols((await own.getText('/markets')).text);
  const findName = (name: string) => served.find((one) => one.toUpperCase() === name.toUpperCase());
  return wanted === '' ? served : wanted.split(',').map((name) => findName(name) ?? name);
}

interface PollRun extends Pick<ShadowRun, 'chain' | 'stop'> {
  readonly clients: Readonly<Record<ShadowSide, ServiceClient>>;
  /** Whether the other server is a slotbook. */
  readonly isSlotbook: boolean;
  readonly times: Readonly<Record<'startMs' | 'intervalMs' | 'endMs', number>>;
}

/** Polls a market of a server at multiples of the interval, the same times for both servers. */
async function pollSide(pair: MarketPair, side: ShadowSide, run: PollRun): Promise<void> {
  const { symbol } = pair;
  const { startMs, intervalMs, endMs } = run.times;
  const seen = pair.sides[side];
  const chain = run.chain?.symbols().includes(symbol) === true ? run.chain : null;
  const slots = new ChainSlots();
  // A dlob-server adds the levels of the AMM in any case.
  const path = `/l2?marketName=${encodeURIComponent(symbol)}&depth=${DEPTH}&includeVamm=true`;
  const pollOnce = async (): Promise<void> => {
    seen.requests += 1;
    const { status, text } = await run.clients[side].getText(path);
    const atMs = performance.now();
    seen.bytes += Buffer.byteLength(text);
    if (status !== 200) throw new Error(`${side} answered ${status}`);
    const book = readServerBook(text, DEPTH, run.isSlotbook || side === 'slotbook');
    if (chain !== null) slots.readNow(chain, symbol);
    pair.addBook({ side, book, atMs, chain: slots.findSlot(book.slot) });
  };
  while (performance.now() < endMs && !run.stop.aborted) {
    await pollOnce().catch((error: unknown) => seen.addFailure(error));
    const restMs = intervalMs - ((performance.now() - startMs) % intervalMs);
    await sleep(restMs, undefined, { signal: run.stop }).catch(() => undefined);
  }
  seen.moveSlot(Number.POSITIVE_INFINITY, performance.now());
}
