import { setTimeout as sleep } from 'node:timers/promises';

/** A deadline for hangs: long enough for a machine several times as slow. */
const DEADLINE_MS = 60_000;
/** For the start or the end of a process, whose time is the machine's: the runner ends a test that hangs. */
export const UNTIL_RUNNER_ENDS = Number.POSITIVE_INFINITY;
/** The pause between two tries: longer each time, and no more than a quarter of the time goes into tries. */
const PAUSE_MS = { min: 2, max: 100, growth: 1.5 };

/** A condition: the wait ends when the value is not undefined, null, false, 0 or ''. */
type Condition<T> = () => T | Promise<T>;
type Held<T> = Exclude<T, undefined | null | false | 0 | ''>;

/**
 * Waits until a condition holds and returns its value. Rejects immediately with an error of the
 * condition, and after the deadline with the name of the condition: the given words, or its source.
 */
export function until<T>(what: string, condition: Condition<T>, ms?: number): Promise<Held<T>>;
export function until<T>(condition: Condition<T>, ms?: number): Promise<Held<T>>;
export function until<T>(...args: readonly unknown[]): Promise<Held<T>> {
  if (typeof args[0] === 'string') return poll(args[0], args[1] as Condition<T>, args[2] as number);
  return poll(sourceOf(args[0]), args[0] as Condition<T>, args[1] as number);
}

async function poll<T>(
  what: string,
  condition: Condition<T>,
  deadlineMs = DEADLINE_MS,
): Promise<Held<T>> {
  const startMs = performance.now();
  for (let pauseMs = PAUSE_MS.min; ; pauseMs *= PAUSE_MS.growth) {
    // The time comes first: a condition that is tried after the deadline still counts.
    const triedMs = performance.now();
    const value = await condition();
    if (value) return value as Held<T>;
    if (triedMs - startMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms for: ${what}`);
    const tookMs = performance.now() - triedMs;
    await sleep(Math.min(PAUSE_MS.max, Math.max(pauseMs, 3 * tookMs)));
  }
}

/** A condition on one line, without the names that the test runner gives to imports. */
function sourceOf(condition: unknown): string {
  const text = String(condition).replace(/__vi_import_\d+__\./g, '');
  return text.replace(/\s+/g, ' ');
}
