import type { Timers } from '../contract/timers.js';
import { sleep } from '../rpc/timers.js';
import type { LogFollower } from './log-follower.js';
import { JournalError } from './model/error.js';
import { LOG_RETRY_MS, TAKE_OVER_LOOK_MS, TAKE_OVER_MS_MAX } from './model/limits.js';
import type { LogSetup, TakenLog } from './model/log-place.js';
import { connectLog, type LogConnection } from './nats/connect.js';
import { LogAppender } from './nats/log-appender.js';
import { textOfId } from './nats/message-id.js';

/** Options of a failover. */
interface LogFailoverOptions {
  readonly setup: LogSetup;
  readonly follower: Pick<LogFollower, 'position'>;
  /** The unique name of the continuing run. */
  readonly run: string;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/**
 * Reads another core's log to its end and appends the first message of this run, which fences off
 * other writers. Resolves with the position of that message; the follower then has everything
 * before it.
 *
 * # Errors
 * Rejects with `LOG_LOST` when there is nothing to continue or it could not be read in time; with
 * the signal's reason when it aborts.
 */
export async function takeLogOver(options: LogFailoverOptions): Promise<TakenLog> {
  const { setup, timers, signal } = options;
  const untilMs = timers.nowMs() + TAKE_OVER_MS_MAX;
  const connection = await connectInTime(options, untilMs);
  try {
    const appender = new LogAppender(connection, setup);
    for (;;) {
      const taken = await tryOnce(options, appender, untilMs).catch((error: unknown) => {
        // Another core appended late, or NATS is slow: this core retries while it holds the lease.
        if (isPassing(error) && timers.nowMs() < untilMs) return null;
        throw error;
      });
      if (taken !== null) return taken;
      await sleep(timers, LOG_RETRY_MS, signal);
    }
  } finally {
    await connection.nats.close();
  }
}

async function connectInTime(
  { setup, timers, signal }: LogFailoverOptions,
  untilMs: number,
): Promise<LogConnection> {
  for (;;) {
    try {
      return await connectLog(setup.log, 'slotbook take-over');
    } catch (error) {
      if (!isPassing(error) || timers.nowMs() >= untilMs) throw error;
    }
    await sleep(timers, LOG_RETRY_MS, signal);
  }
}

async function tryOnce(
  { follower, run, timers, signal }: LogFailoverOptions,
  appender: LogAppender,
  untilMs: number,
): Promise<TakenLog> {
  const last = await appender.readLast();
  if (last.sequence === 0) throw new JournalError('LOG_LOST', 'the log is empty');
  while (follower.position().next <= last.sequence) {
    if (timers.nowMs() > untilMs) {
      throw new JournalError('LOG_LOST', `the log was not read in ${TAKE_OVER_MS_MAX} ms`);
    }
    await sleep(timers, TAKE_OVER_LOOK_MS, signal);
  }
  const { next, lastName: after } = follower.position();
  appender.goOnBehind({ sequence: next - 1 });
  const id = textOfId({ run, segment: 0, index: 0 });
  const sequence = await appender.appendMessage({ id, bytes: new Uint8Array(0), after });
  return { run, sequence };
}

function isPassing(error: unknown): boolean {
  const code = error instanceof JournalError ? error.code : '';
  return code === 'LOG_FENCED' || code === 'LOG_UNREACHABLE';
}
