/** The page's costs in the browser: time to the first book, script time of a frame, and memory. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { until } from './until.js';

/** Runs in the page before its own scripts: when the first row of the ladder is there, since the navigation. */
const WATCH_FIRST_BOOK = `
  globalThis.firstBookMs = undefined;
  new MutationObserver((_, observer) => {
    if (document.querySelector('[data-testid=ladder] tbody tr') === null) return;
    firstBookMs = performance.now();
    observer.disconnect();
  }).observe(document, { subtree: true, childList: true });
`;

/** Opens the page in a browser without a cache. Returns milliseconds from the navigation to the first book. */
export async function timeFirstBook(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(WATCH_FIRST_BOOK);
    await page.goto(url);
    return await until('the first book', () => page.evaluate<number>('globalThis.firstBookMs'));
  } finally {
    await context.close();
  }
}

/** Time of scripts in each animation frame, milliseconds. */
export interface FrameCosts {
  readonly frames: number;
  /** By the clock of the wall, which other programs on the same cores lengthen, and of the thread. */
  readonly wall: Quantiles;
  readonly cpu: Quantiles;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The used members of a trace event; times are microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['devtools.timeline', 'v8'];
/** Under which names a trace has scripts, with the garbage that they leave. */
const SCRIPTS = new Set([
  ...['FunctionCall', 'EvaluateScript', 'v8.callFunction', 'v8.compile', 'RunMicrotasks'],
  ...['MinorGC', 'MajorGC', 'V8.GCScavenger', 'V8.GCIncrementalMarking', 'V8.GCFinalizeMC'],
]);

/** Records a trace until a promise settles. Returns the script time between consecutive animation frames. */
export async function traceFrames(
  browser: Browser,
  page: Page,
  run: () => Promise<void>,
): Promise<FrameCosts> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await run();
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  return costsOf(mainThreadOf(traceEvents));
}

/** The events of the thread that has the most animation frames, in order. */
function mainThreadOf(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const frames = new Map<string, number>();
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  for (const event of events) {
    if (event.name !== 'FireAnimationFrame') continue;
    frames.set(threadOf(event), (frames.get(threadOf(event)) ?? 0) + 1);
  }
  const [busiest] = [...frames].sort(([, one], [, other]) => other - one);
  const own = events.filter((event) => event.ph === 'X' && threadOf(event) === busiest?.[0]);
  return own.sort((one, other) => one.ts - other.ts);
}

/** A frame begins with its callback; scripts that run before the next one are counted to it. */
function costsOf(events: readonly TraceEvent[]): FrameCosts {
  const frames: { wall: number; cpu: number }[] = [];
  let endTs = 0;
  for (const { name, ts, dur = 0, tdur = 0 } of events) {
    if (name === 'FireAnimationFrame') frames.push({ wall: 0, cpu: 0 });
    // A script within a script is counted already.
    if (!SCRIPTS.has(name) || ts < endTs) continue;
    endTs = ts + dur;
    const frame = frames.at(-1);
    if (frame === undefined) continue;
    frame.wall += dur / 1_000;
    frame.cpu += tdur / 1_000;
  }
  return {
    frames: frames.length,
    wall: quantilesOf(frames.map(({ wall }) => wall)),
    cpu: quantilesOf(frames.map(({ cpu }) => cpu)),
  };
}

/** Half of the values are at most p50, all but one in a hundred at most p99. */
export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The page's memory after a garbage collection. */
export interface HeapReading {
  readonly megabytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Collects the page's garbage, and measures the remaining memory. */
export async function readHeap(session: CDPSession): Promise<HeapReading> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters');
  return { megabytes: usedSize / 1e6, nodes, listeners };
}
