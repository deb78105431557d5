/**
 * `slotbook follow`: follows a live stream, checks every rule of docs/streaming.md, draws the top of
 * the book, and reports.
 */
import { FollowError } from './error.js';
import { type FollowFlags, followOptions } from './follow-options.js';
import { Follower } from './follower.js';
import { DRAW_INTERVAL_MS, LINE_INTERVAL_MS } from './limits.js';
import { lineOf, screenOf } from './screen.js';

/** Where a run is shown. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What a run is asked for. */
export interface FollowRun {
  readonly url: string;
  readonly market: string;
  readonly flags: FollowFlags;
  readonly output: Output;
  /** Ends the run. */
  readonly stop: AbortSignal;
}

/**
 * Follows until the time is over or `stop` is raised; answers whether no rule was broken.
 *
 * # Errors
 *
 * A FollowError when nothing could be followed, or an option is wrong.
 */
export async function follow({ url, market, flags, output, stop }: FollowRun): Promise<boolean> {
  const { seconds, isPlain, ...options } = followOptions({ url, market, flags });
  const follower = new Follower(options);
  const startMs = performance.now();
  const plain = isPlain || output.isTTY !== true;
  const show = (): void => void output.write(plain ? lineText(follower) : screenText(follower));
  const shown = setInterval(show, plain ? LINE_INTERVAL_MS : DRAW_INTERVAL_MS);
  follower.start();
  const error = await Promise.race([follower.failed, over(stop, seconds)]);
  clearInterval(shown);
  await follower.stop();
  if (error !== undefined) throw error;
  const { tally, book } = follower;
  const lines = tally.lines((performance.now() - startMs) / 1_000);
  output.write(`${lines.join('\n')}\n`);
  if (book.point === undefined) throw new FollowError('SNAPSHOT_NOT_FOUND', 'no snapshot came');
  return tally.broken === 0;
}

/** Resolves when a run is over. */
function over(stop: AbortSignal, seconds: number | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    const end = (): void => resolve(undefined);
    if (stop.aborted) end();
    stop.addEventListener('abort', end, { once: true });
    if (seconds !== undefined) setTimeout(end, seconds * 1_000).unref();
  });
}

function headingOf({ topicName, phase, tally }: Follower) {
  const { snapshot, delta, heartbeat } = tally.frames;
  const frames = snapshot + delta + heartbeat;
  return { name: topicName ?? '', phase, frames, broken: tally.broken };
}

function lineText(follower: Follower): string {
  if (follower.book.point === undefined) return `${follower.phase}\n`;
  return `${lineOf(follower.book, headingOf(follower))}\n`;
}

/** Drawn over what was drawn before. */
function screenText(follower: Follower): string {
  return `\x1b[H\x1b[J${screenOf(follower.book, headingOf(follower))}`;
}
