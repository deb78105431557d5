/** The report of a check as lines. */
import { tableLines } from '../contract/command-result.js';
import type { Day } from './cost.js';
import type { NodeReport } from './node-check.js';

/** Printed characters of a reason: a line, not an HTML page. */
const REASON_CHARS_MAX = 160;

/** Returns the table of abilities, the verdict and the table of costs. */
export function reportLines({ node, rows, days, isGood }: NodeReport): readonly string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const table = rows.map(({ name, state, reason, flag }) => {
    const hint = flag === null ? '' : `; see ${flag}`;
    const text = reason.replace(/\p{Cc}/gu, ' ').slice(0, REASON_CHARS_MAX);
    return `${state.padEnd(7)}  ${name.padEnd(width)}  ${text}${hint}`;
  });
  const verdict = isGood ? `${node} is good enough` : `${node} is not good enough`;
  return [...table, '', verdict, ...(days.length === 0 ? [] : ['', ...costLines(days)])];
}

function costLines(days: readonly Day[]): readonly string[] {
  const head = ['a day at', 'requests', 'subscriptions', 'GB', 'credits', 'streams metered'];
  const cells = days.map(({ markets, requests, subscriptions, bytes, credits, meteredCredits }) => [
    markets === 1 ? '1 market' : `${markets} markets`,
    String(requests),
    String(subscriptions),
    (bytes / 1e9).toFixed(2),
    String(credits),
    String(meteredCredits),
  ]);
  return [
    ...tableLines(head, cells, new Set()),
    'measured: bytes of scans, accounts and notifications, and their rates; the rest is reckoned:',
    'a probe each --probe-interval-ms, an audit each --audit-interval-ms, the history each 2 s,',
    'markets and oracles in proportion; a call 1 credit, a scan or a read of the past 10, and',
    '3 for 100 KB where the provider meters streams',
  ];
}
