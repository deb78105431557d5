/**
 * `slotbook load`: many readers and pollers of one service, which validate everything they receive,
 * with a report of rates, latencies and CPU time.
 *
 * It uses the client library, and imports nothing from the service.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../client/http/client.js';
import { type CommandResult, resultText } from '../contract/command-result.js';
import { CompatibleReader } from './compatible-reader.js';
import { readCpuTimes } from './cpu.js';
import { Figures } from './figures.js';
import { CONNECTING_MAX, FIRST_BOOK_MS_MAX } from './limits.js';
import { LoadError, type LoadFlags, type LoadOptions, loadOptions } from './load-options.js';
import { BookPoller } from './poller.js';
import { cpuFigures, cpuLine, figureBody, figureLines } from './report.js';
import { StreamReader } from './stream-reader.js';

/** One run. */
interface LoadRun {
  readonly url: string;
  readonly flags: LoadFlags;
  readonly output: { write(text: string): unknown };
  /** Aborted to end the run; the results so far are printed. */
  readonly stop: AbortSignal;
}

interface LoadReader {
  readonly opened: Promise<void>;
  stop(): Promise<void>;
}

/** Shared state of a run. */
interface Loaded {
  readonly options: LoadOptions;
  readonly markets: readonly Market[];
  readonly figures: Figures;
  readonly stop: AbortSignal;
}

interface Market {
  readonly name: string;
  readonly type: string;
}

/**
 * Loads a service for the given time, and prints the results. Resolves with true when every reader
 * got its book and no rule was violated.
 *
 * # Errors
 *
 * Rejects with a LoadError for an invalid option, or when the service does not list its markets.
 */
export async function load({ url, flags, output, stop }: LoadRun): Promise<boolean> {
  const options = loadOptions(url, flags);
  const figures = new Figures();
  const markets = await readMarkets(options);
  const beganMs = performance.now();
  const readers = await openReaders({ options, markets, figures, stop });
  const openS = (performance.now() - beganMs) / 1_000;
  const measured = await measure({ options, markets, figures, stop });
  await Promise.all(readers.map((reader) => reader.stop()));
  const { count, lines: findings } = figures.findings;
  const report = [
    `readers    ${options.readers} streaming, ${options.compatible} compatible; ${readers.length} have their books after ${openS.toFixed(1)} s`,
    ...measured.lines,
    `wrong      ${count}`,
    ...findings.map((text) => `wrong      ${text}`),
  ];
  const body = {
    ...{ readers: options.readers, compatible: options.compatible, pollers: options.pollers },
    ...{ opened: readers.length, openSeconds: openS },
    ...measured.body,
    ...{ wrong: count, findings },
  };
  output.write(resultText({ lines: report, body }, flags.json === true));
  return count === 0;
}

/** Polls, and counts until the time is over. */
async function measure({ stop, ...of }: Loaded): Promise<CommandResult> {
  const { options, figures } = of;
  const polling = new AbortController();
  setMaxListeners(options.pollers * 2, polling.signal);
  const polls = startPollers({ ...of, signal: polling.signal });
  const before = await readCpuTimes(options.url);
  figures.restart();
  const startMs = performance.now();
  await delay(options.seconds * 1_000, undefined, { signal: stop }).catch(() => {});
  const seconds = (performance.now() - startMs) / 1_000;
  const lines = figureLines(figures, seconds);
  const body = figureBody(figures, seconds);
  polling.abort();
  await Promise.all(polls);
  const after = await readCpuTimes(options.url);
  return {
    lines: [...lines, cpuLine(before, after, seconds)],
    body: { ...body, ...cpuFigures(before, after, seconds) },
  };
}

async function readMarkets({ url, markets: names }: LoadOptions): Promise<readonly Market[]> {
  const served = await new HttpClient({ url }).markets().catch((error: Error) => {
    throw new LoadError(
      'LOAD_UNREACHABLE',
      `no markets from ${new URL(url).host}: ${error.message}`,
    );
  });
  const all = served.map(({ symbol, marketType }) => ({ name: symbol, type: marketType }));
  if (all.length === 0) throw new LoadError('LOAD_UNREACHABLE', 'the service has no markets yet');
  return names?.map((name) => findMarket(all, name)) ?? all;
}

function findMarket(all: readonly Market[], name: string): Market {
  const found = all.find((market) => market.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  throw new LoadError('INVALID_LOAD_OPTION', `--markets has ${name}, which is not served`);
}

/** Opens readers in batches. Returns the readers that have got their books. */
async function openReaders(of: Loaded): Promise<readonly LoadReader[]> {
  const { readers, compatible } = of.options;
  const open: LoadReader[] = [];
  for (let from = 0; from < readers + compatible && !of.stop.aborted; from += CONNECTING_MAX) {
    const count = Math.min(CONNECTING_MAX, readers + compatible - from);
    const opening = Array.from({ length: count }, async (_, step) => {
      const reader = openReader(of, from + step);
      if (await hasOpened(reader, of.figures)) open.push(reader);
      else await reader.stop();
    });
    await Promise.all(opening);
  }
  return open;
}

/** The first readers use the streaming channel; each reader gets the next market. */
function openReader({ options, markets, figures }: Loaded, at: number): LoadReader {
  const { url, depth, readers } = options;
  const market = markets[at % markets.length] as Market;
  return at < readers
    ? new StreamReader({ url, market: market.name, depth, figures })
    : new CompatibleReader({ url, market, figures });
}

async function hasOpened(reader: LoadReader, figures: Figures): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(FIRST_BOOK_MS_MAX, 'late', { signal: patience.signal }).catch(() => 'late');
  const outcome = await Promise.race([
    reader.opened.then(
      () => undefined,
      (error: Error) => error.message,
    ),
    late.then(() => `no book came within ${FIRST_BOOK_MS_MAX / 1_000} s`),
  ]);
  patience.abort();
  if (outcome !== undefined) figures.findings.add(`a reader: ${outcome}`);
  return outcome === undefined;
}

function startPollers(
  of: Omit<Loaded, 'stop'> & { readonly signal: AbortSignal },
): readonly Promise<void>[] {
  const { url, pollers, rate, depth } = of.options;
  const { figures, signal } = of;
  const names = of.markets.map(({ name }) => name);
  return Array.from({ length: pollers }, (_, at) => {
    // Each poller begins with another market.
    const markets = names.map((_name, step) => names[(at + step) % names.length] as string);
    const delayMs = ((at / pollers) * 1_000) / rate;
    return new BookPoller({ url, markets, depth, rate, delayMs, figures, signal }).run();
  });
}
