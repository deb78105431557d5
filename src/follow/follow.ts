/**
 * `slotbook follow`: follows a live stream, validates every rule of docs/streaming-rules.md, draws the
 * top of the book, and prints a report.
 */
import { resultText } from '../contract/command-result.js';
import { FollowError, type FollowFlags, followOptions } from './follow-options.js';
import { Follower } from './follower.js';
import { DRAW_INTERVAL_MS, LINE_INTERVAL_MS } from './limits.js';
import { type Heading, lineOf, screenOf } from './screen.js';
import { type Output, overwriteScreen } from './terminal.js';

/** One run. */
export interface FollowRun {
  readonly url: string;
  readonly market: string;
  readonly flags: FollowFlags;
  readonly output: Output;
  /** Ends the run. */
  readonly stop: AbortSignal;
}

/**
 * Follows until the time is over or `stop` is aborted. Resolves with true when no rule was broken.
 *
 * # Errors
 *
 * Rejects with a FollowError when the topic cannot be followed or an option is invalid.
 */
export async function follow({ url, market, flags, output, stop }: FollowRun): Promise<boolean> {
  const { seconds: secondsMax, isPlain, ...options } = followOptions({ url, market, flags });
  const follower = new Follower(options);
  const startMs = performance.now();
  const plain = isPlain || output.isTTY !== true;
  const isJson = flags.json === true;
  const draw = (): void => {
    if (isJson) return;
    if (plain) output.write(lineText(follower));
    else overwriteScreen(output, screenOf(follower.view, headingOf(follower)));
  };
  const timer = setInterval(draw, plain ? LINE_INTERVAL_MS : DRAW_INTERVAL_MS);
  follower.start();
  const error = await Promise.race([follower.failed, untilOver(stop, secondsMax)]);
  clearInterval(timer);
  await follower.stop();
  if (error !== undefined) throw error;
  const { tally, view } = follower;
  const seconds = (performance.now() - startMs) / 1_000;
  const result = { lines: tally.reportLines(seconds), body: tally.reportBody(seconds) };
  output.write(resultText(result, isJson));
  if (view === undefined) throw new FollowError('SNAPSHOT_NOT_FOUND', 'no snapshot came');
  return tally.broken === 0;
}

/** Resolves when a run is over. */
function untilOver(stop: AbortSignal, seconds: number | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    const end = (): void => resolve(undefined);
    if (stop.aborted) end();
    stop.addEventListener('abort', end, { once: true });
    if (seconds !== undefined) setTimeout(end, seconds * 1_000).unref();
  });
}

function headingOf({ topicName, phase, tally }: Follower): Heading {
  const { snapshot, delta, heartbeat } = tally.frames;
  const frames = snapshot + delta + heartbeat;
  return { name: topicName ?? '', phase, frames, broken: tally.broken };
}

function lineText(follower: Follower): string {
  const { view } = follower;
  return view === undefined ? `${follower.phase}\n` : `${lineOf(view, headingOf(follower))}\n`;
}
