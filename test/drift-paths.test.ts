/** The paths of Drift v2's servers: each is served here, or docs/compatibility.md says why it is not. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { paths } from '../src/server/routes/paths.js';

/** Of the dlob-server, which a client finds at the root and under /dlob. */
const DLOB_PATHS = [
  ...[
    '/l2',
    '/batchL2',
    '/batchL2Cache',
    '/l3',
    '/topMakers',
    '/priorityFees',
    '/batchPriorityFees',
  ],
  ...['/auctionParams', '/unsettledPnlUsers', '/pythPull', '/pythLazer'],
  ...['/health', '/startup', '/debug', '/ws', '/orders/idl', '/orders/idlWithSlot', '/orders/json'],
];

/** Of the data API. */
const DATA_PATHS = [
  ...['/data/stats/markets', '/stats/markets/volume/{period}', '/stats/markets/volume'],
  ...['/stats/markets/prices', '/stats/fundingRates', '/stats/{symbol}/rateHistory/{kind}'],
  ...['/rateHistory', '/contracts', '/external/coingecko/contracts', '/fundingRates', '/trades'],
  ...['/market/{symbol}/trades', '/market/{symbol}/fundingRates'],
  ...['/market/{symbol}/trades/{year}/{month}/{day}', '/market/{symbol}/candles/{resolution}'],
  ...['/market/{symbol}/fundingRates/{year}/{month}/{day}', '/user/{account}/trades'],
  ...['/user/{account}/orders/perp', '/user/{account}/orders/perp/{symbol}'],
  ...['/stats/liquidations', '/stats/bankruptcies'],
  ...['/stats/insuranceFund', '/stats/vaults', '/stats/leaderboard', '/market/{symbol}/deposits'],
  ...['/market/{symbol}/insuranceFund', '/market/{symbol}/swaps', '/market/{symbol}/rewards'],
  ...['/market/{symbol}/predictions', '/user/{account}', '/user/{account}/positions'],
  ...['/user/{account}/deposits', '/user/{account}/swaps', '/user/{account}/liquidations'],
  ...['/user/{account}/settlePnl', '/user/{account}/fundingPayments', '/amm/position'],
  ...['/amm/spreads', '/amm/bidAskPrice', '/amm/oraclePrice', '/amm/openInterest', '/DRIFT'],
  ...['/params', '/tx/order/place', '/tx/order/cancel', '/tx/execute'],
  ...['/authority/{key}/accounts', '/authority/{key}/snapshots/overview'],
];

const document = readFileSync(new URL('../docs/compatibility.md', import.meta.url), 'utf8');
const served = Object.keys(paths);

/** The paths of the first column of the table of what is not served. */
function notServed(): readonly string[] {
  const [, section = ''] = document.split('\n## What is not served\n');
  const columns = section.split('\n').map((line) => line.split(' | ')[0] ?? '');
  return columns.flatMap((column) =>
    [...column.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path ?? ''),
  );
}

test("each path of Drift v2's servers is served, or a reason stands in docs/compatibility.md", () => {
  const reasons = notServed();
  const missing = [...DLOB_PATHS, ...DATA_PATHS].filter(
    (path) => !served.includes(path) && !reasons.includes(path),
  );
  expect(missing).toEqual([]);
});

test('no path that is served has a reason why it is not', () => {
  expect(notServed().filter((path) => served.includes(path))).toEqual([]);
});
