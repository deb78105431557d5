/** /auctionParams over a real engine: its prices are those of /match and /l2, and nothing makes it fail. */
import { expect, test } from 'vitest';
import { engineWith, ORACLE, PERP, SPOT, USER } from '../../engine/testing.js';
import { startServer } from '../testing/running-server.js';

const server = await startServer(engineWith(PERP, SPOT, ORACLE, USER));

const sell = 'marketName=SOL&direction=short&assetType=base&amount=100000000';

test('has the prices of /match and /l2, and an auction around the oracle', async () => {
  const { body } = await server.ask(`/dlob/auctionParams?${sell}&slippageTolerance=50`);
  const { body: match } = await server.ask('/match?marketName=SOL&side=sell&size=100000000');
  const { body: l2 } = await server.ask('/l2?marketName=SOL&includeVamm=true');
  const { data } = body;
  expect(match.averagePrice).not.toBeNull();
  expect(data).toMatchObject({
    ...{ entryPrice: match.averagePrice, worstPrice: match.worstPrice },
    ...{ oraclePrice: String(l2.oracle), markPrice: l2.markPrice, slippageTolerance: '0.5' },
  });
  const { params } = data;
  expect(params).toMatchObject({
    ...{ orderType: 'oracle', marketType: 'spot', marketIndex: 1, direction: 'short' },
    ...{ baseAssetAmount: '100000000', auctionDuration: 20, userOrderId: 0, maxTs: null },
    oraclePriceOffset: Number(params.auctionEndPrice),
  });
  expect(params).not.toHaveProperty('price');
});

test('of a market order has prices, with its limit', async () => {
  const { body } = await server.ask(
    `/auctionParams?${sell}&isOracleOrder=false&forceUpToSlippage=true`,
  );
  const { params } = body.data;
  expect(params).toMatchObject({ orderType: 'market', oraclePriceOffset: null });
  expect(params.price).toBe(params.auctionEndPrice);
});

test('an oracle order never ends farther from the oracle than its offset can say', async () => {
  const query =
    'marketName=SOL-PERP&assetType=base&amount=1000000000&additionalEndPriceBuffer=3000';
  const { body } = await server.ask(`/auctionParams?${query}&direction=long`);
  const { params } = body.data;
  expect(params).toMatchObject({ orderType: 'oracle', oraclePriceOffset: 2_147_483_647 });
  expect(params.auctionEndPrice).toBe('2147483647');
  expect(Number(params.auctionStartPrice)).toBeLessThanOrEqual(2_147_483_647);
});

test('has the slippage as a fraction of few digits', async () => {
  const { body } = await server.ask(`/auctionParams?${sell}&slippageTolerance=0.035`);
  expect(body.data.slippageTolerance).toBe('0.00035');
});

test('counts quote at the average price of what the order gets', async () => {
  const query = 'marketName=SOL&direction=short&assetType=quote&amount=2000000';
  const { body } = await server.ask(`/auctionParams?${query}`);
  const { entryPrice, params } = body.data;
  const base = (2_000_000n * 1_000_000_000n) / BigInt(entryPrice);
  expect(params.baseAssetAmount).toBe(String(base));
});

test.each([
  ['direction=long&assetType=base&amount=1', 200],
  [`direction=long&assetType=base&amount=1${'0'.repeat(30)}`, 200],
  ['direction=long&assetType=quote&amount=18446744073709551615', 200],
  ['direction=long&assetType=quote&amount=18446744073709551616', 400],
  [`direction=long&assetType=base&amount=1${'0'.repeat(31)}`, 400],
  ['direction=short&assetType=base&amount=1000000000&slippageTolerance=-999', 200],
  ['direction=short&assetType=base&amount=1&auctionEndPriceOffset=999&slippageTolerance=999', 200],
  ['direction=long&assetType=quote&amount=1&auctionStartPriceOffset=999', 200],
])('%s is a %i in every market', async (query, status) => {
  for (const name of ['SOL', 'SOL-PERP']) {
    expect((await server.ask(`/auctionParams?marketName=${name}&${query}`)).status).toBe(status);
  }
  expect(server.faults).toEqual([]);
});
