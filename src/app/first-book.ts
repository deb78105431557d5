/** Says every ten seconds why there is no book yet, with the flag that may help. */
import type { Readiness } from '../contract/feed-status.js';
import type { Timer, Timers } from '../contract/timers.js';
import type { Log } from '../rpc/log.js';

/** Interval of the lines: a person reads a terminal, and a log keeps six a minute. */
const LINE_MS = 10_000;

/** The flags that help, by the reason; the first that matches. */
const HINTS: readonly (readonly [reason: RegExp, hint: string])[] = [
  [/^no connection|^not connected/, '--ws-url and --rpc-url, or `slotbook check`'],
  [/^the accounts are being read/, '--snapshot-url, or `slotbook check`'],
  [/market/, '--markets and --program-id'],
  [/^no slot/, '--fallback-rpc-url, or `slotbook check`'],
  [/history/, '--data-dir and --no-history'],
  [/\blog\b|NATS/, '--nats'],
];

/** The sources of a line. */
interface FirstBookParts {
  /** Returns the condition for which the service waits; null when it is ready. */
  readonly waitReason: () => string | null;
  readonly status: () => Pick<Readiness, 'role'>;
  /** Returns the node in use, and how often a connection has ended. */
  readonly connection: () => { readonly node: string; readonly closes: number };
  readonly log: Pick<Log, 'warn'>;
  readonly timers: Timers;
}

/** Logs a line at each interval until the service is ready; returns the function that ends it. */
export function reportUntilReady(parts: FirstBookParts): () => void {
  const { waitReason, status, connection, log, timers } = parts;
  let timer: Timer;
  const planLine = (): void => {
    timer = timers.after(LINE_MS, () => {
      const reason = waitReason();
      if (reason === null) return;
      // A standby waits for a fail-over, which is not an error.
      if (status().role !== 'standby') log.warn({}, lineOf(reason, connection()));
      planLine();
    });
  };
  planLine();
  return () => timer.cancel();
}

function lineOf(
  reason: string,
  { node, closes }: ReturnType<FirstBookParts['connection']>,
): string {
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  const of = node === '' ? '' : `${node}: `;
  const attempt = node === '' ? '' : `, attempt ${closes + 1}`;
  return `no book yet: ${of}${reason}${attempt}${hint === undefined ? '' : `; see ${hint}`}`;
}
