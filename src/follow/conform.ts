/**
 * `slotbook conform`: judges each rule of docs/streaming-rules.md and docs/api.md that can be judged from
 * outside on a running service, and counts how often each could be judged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../client/http/client.js';
import { STREAM_RULES, type StreamRule } from '../client/stream/violation.js';
import { printable, resultText } from '../contract/command-result.js';
import { FollowError, type FollowedTopic, followOptions } from './follow-options.js';
import { Follower } from './follower.js';
import { CONFORM_S_DEFAULT } from './limits.js';
import { judgePaths, type RuleVerdict } from './path-rules.js';
import type { Output } from './terminal.js';

/** Flags from the command line. */
export interface ConformFlags {
  readonly market?: string;
  readonly seconds?: string;
  readonly json?: boolean;
}

/** One run. */
interface ConformRun {
  readonly url: string;
  readonly flags: ConformFlags;
  readonly output: Output;
  /** Ends the following of streams early. */
  readonly stop: AbortSignal;
}

const CHANNELS = ['book', 'bbo', 'l3'] as const satisfies readonly FollowedTopic['channel'][];

/**
 * Judges a service. Resolves with true when no rule was broken.
 *
 * # Errors
 *
 * Rejects with a FollowError for an invalid option, or when there is no stream, and with a
 * ClientError when the service does not reply.
 */
export async function conform({ url, flags, output, stop }: ConformRun): Promise<boolean> {
  const http = new HttpClient({ url });
  const market = flags.market ?? (await http.markets())[0]?.symbol;
  if (market === undefined) throw new FollowError('SNAPSHOT_NOT_FOUND', 'it serves no market');
  const options = followOptions({
    url,
    market,
    flags: { depth: '10', ...(flags.seconds === undefined ? {} : { seconds: flags.seconds }) },
  });
  const seconds = options.seconds ?? CONFORM_S_DEFAULT;
  const followers = CHANNELS.map((channel) => {
    return new Follower({ url: options.url, topic: { ...options.topic, channel } });
  });
  for (const follower of followers) follower.start();
  const failed = Promise.race(followers.map((follower) => follower.failed));
  const over = delay(seconds * 1_000, undefined, { signal: stop }).catch(() => undefined);
  const judging = judgePaths(url, market);
  const error = await Promise.race([failed, over]);
  await Promise.all(followers.map((follower) => follower.stop()));
  if (error !== undefined) throw error;
  const verdicts = [
    ...STREAM_RULES.map((rule) => streamVerdict(rule, followers)),
    ...(await judging),
  ];
  const isConforming = verdicts.every(({ violations }) => violations === 0);
  const body = { market, seconds, conforming: isConforming, verdicts };
  output.write(resultText({ lines: linesOf(verdicts), body }, flags.json === true));
  return isConforming;
}

function streamVerdict(rule: StreamRule, followers: readonly Follower[]): RuleVerdict {
  let judged = 0;
  let violations = 0;
  let message: string | null = null;
  followers.forEach(({ tally }, at) => {
    judged += timesJudged(rule, CHANNELS[at] ?? 'book', tally.frames);
    violations += tally.violations.get(rule) ?? 0;
    message ??= tally.messages.find((text) => text.startsWith(`${rule}: `)) ?? null;
  });
  return { document: 'docs/streaming-rules.md', rule, judged, violations, message };
}

/** Returns the number of frames that a rule says something about. */
function timesJudged(
  rule: StreamRule,
  channel: FollowedTopic['channel'],
  { snapshot, delta, heartbeat }: Follower['tally']['frames'],
): number {
  switch (rule) {
    case 'malformed':
    case 'silence':
      return snapshot + delta + heartbeat;
    case 'noSnapshot':
    case 'epoch':
    case 'gap':
    case 'repeated':
    case 'seq':
      return delta + heartbeat;
    case 'absent':
      return channel === 'bbo' ? 0 : delta;
    case 'queue':
      return channel === 'l3' ? snapshot + delta : 0;
    default:
      return snapshot + delta;
  }
}

function linesOf(verdicts: readonly RuleVerdict[]): readonly string[] {
  const width = Math.max(...verdicts.map(({ rule }) => rule.length));
  const lines = verdicts.map((verdict) => {
    const { document, rule, judged, violations, message } = verdict;
    const counts = violations === 0 ? `judged ${judged} times` : `${violations} of ${judged}`;
    const why = message === null ? '' : `: ${printable(message)}`;
    return `${wordOf(verdict).padEnd(12)}  ${document.padEnd(17)}  ${rule.padEnd(width)}  ${counts}${why}`;
  });
  const broken = verdicts.filter(({ violations }) => violations > 0).length;
  const unjudged = verdicts.filter((verdict) => wordOf(verdict) === 'unverifiable').length;
  const sum = `${verdicts.length} rules: ${broken} violated, ${unjudged} unverifiable in this time`;
  return [...lines, sum];
}

function wordOf({ judged, violations }: RuleVerdict): 'pass' | 'violation' | 'unverifiable' {
  if (violations > 0) return 'violation';
  return judged === 0 ? 'unverifiable' : 'pass';
}
