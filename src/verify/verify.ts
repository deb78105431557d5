/**
 * Compares a running service with the chain. The chain's book is an argument: the same code on its
 * own connection, so the comparison verifies the service's inputs and not the rules of the book.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { resultText } from '../contract/command-result.js';
import { readReason, readSymbols } from './book-text.js';
import type { ChainBook } from './chain-book.js';
import { VerifyError } from './error.js';
import { CHAIN_START_MS_MAX, READING_INTERVAL_MS, START_POLL_MS } from './limits.js';
import { MarketRun } from './market-run.js';
import { ServiceClient } from './service-client.js';

/** The markets to compare, and the report's output. */
interface VerifyOptions {
  readonly url: string;
  readonly chain: ChainBook;
  /** Names in any case; empty for all. */
  readonly markets: readonly string[];
  /** Maximum duration. */
  readonly seconds: number;
  readonly output: { write(text: string): unknown };
  /** Whether to print one JSON object in place of the lines. */
  readonly isJson?: boolean;
}

/**
 * Compares every order and every order level of each market, prints the differences, and resolves
 * with true when there are none. AMM levels are excluded, because two readers never have the same
 * oracle price at one moment; indicative quotes are excluded, because they are off chain.
 *
 * # Errors
 *
 * Rejects with a VerifyError when a comparison is impossible: the service or the chain does not
 * reply, or is not live.
 */
export async function verify(options: VerifyOptions): Promise<boolean> {
  const { chain, markets, seconds, output, isJson } = options;
  const service = new ServiceClient(options.url);
  await service.getText('/health');
  await untilLive(chain);
  const endMs = performance.now() + seconds * 1_000;
  const served = await servedSymbols(service, endMs);
  const wanted = wantedSymbols(markets, chain.symbols());
  const lost = [
    ...wanted.filter((symbol) => !served.includes(symbol)).map((symbol) => `${symbol}: not served`),
    ...(markets.length > 0 ? [] : served.filter((symbol) => !wanted.includes(symbol))).map(
      (symbol) => `${symbol}: served, and not on chain`,
    ),
  ];
  // Markets are compared in the order of the service's list, or of the arguments.
  const order = markets.length > 0 ? wanted : served;
  const both = order.filter((symbol) => wanted.includes(symbol) && served.includes(symbol));
  const runs = both.map((symbol) => new MarketRun({ symbol, service, chain }));
  await compareAll(runs, endMs);
  const { isEqual, line, failure } = summaryOf(runs, lost.length);
  const body = { equal: isEqual, lost, markets: runs.map((run) => run.report()) };
  output.write(
    resultText(
      { lines: [...lost, ...runs.flatMap((run) => run.reportLines()), ...line], body },
      isJson,
    ),
  );
  if (failure !== null) throw failure;
  return isEqual;
}

/** Reads the markets until each result is certain, or the time is over. */
async function compareAll(runs: readonly MarketRun[], endMs: number): Promise<void> {
  let open = runs;
  for (;;) {
    for (const run of open) await run.compareOnce();
    open = open.filter(({ decided }) => !decided);
    if (open.length === 0 || performance.now() + READING_INTERVAL_MS > endMs) return;
    await sleep(READING_INTERVAL_MS);
  }
}

/** The verdict on all markets. */
interface Summary {
  readonly isEqual: boolean;
  /** The last line; empty without a verdict. */
  readonly line: readonly string[];
  /** The reason why there is no verdict. */
  readonly failure: VerifyError | null;
}

function summaryOf(runs: readonly MarketRun[], lost: number): Summary {
  const differing = runs.filter(({ outcome }) => outcome === 'different');
  const undecided = runs.filter(({ outcome }) => outcome === 'undecided');
  const markets = runs.length + lost;
  const differences = differing.reduce((sum, run) => sum + run.listDifferences().length, lost);
  if (differences > 0) {
    const wrong = differing.length + lost;
    const line = `different: ${wrong} of ${markets} markets, ${differences} differences`;
    return { isEqual: false, line: [line], failure: null };
  }
  if (undecided.length > 0) {
    const message = `${undecided.length} of ${markets} markets could not be compared`;
    const failure = new VerifyError('SERVICE_NOT_READY', message);
    return { isEqual: false, line: [], failure };
  }
  const orders = runs.reduce((sum, run) => sum + run.orders, 0);
  const line = `equal: ${markets} markets, ${orders} orders`;
  return { isEqual: true, line: [line], failure: null };
}

/** Waits until the chain's book is live. Rejects with a VerifyError when it takes too long. */
export async function untilLive(chain: ChainBook): Promise<void> {
  const endMs = performance.now() + CHAIN_START_MS_MAX;
  for (let why = chain.notLive(); why !== null; why = chain.notLive()) {
    if (performance.now() > endMs) {
      const message = `the chain was not read within ${CHAIN_START_MS_MAX / 1_000} s: ${why}`;
      throw new VerifyError('CHAIN_NOT_READY', message);
    }
    await sleep(START_POLL_MS);
  }
}

/** The service's markets, once it is ready. */
async function servedSymbols(service: ServiceClient, endMs: number): Promise<readonly string[]> {
  for (;;) {
    const ready = await service.getText('/ready');
    if (ready.status === 200) break;
    if (performance.now() + READING_INTERVAL_MS > endMs) {
      const message = `the service is not ready: ${readReason(ready.text)}`;
      throw new VerifyError('SERVICE_NOT_READY', message);
    }
    await sleep(READING_INTERVAL_MS);
  }
  return readSymbols((await service.getText('/markets')).text);
}

function wantedSymbols(names: readonly string[], symbols: readonly string[]): readonly string[] {
  if (names.length === 0) return symbols;
  return names.map((name) => {
    const symbol = symbols.find((one) => one.toUpperCase() === name.toUpperCase());
    if (symbol !== undefined) return symbol;
    throw new VerifyError('UNKNOWN_MARKET_NAME', `the chain has no market ${name}`);
  });
}
