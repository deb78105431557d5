import { describe, expect, test } from 'vitest';
import { engineWith, idOf, ORACLE, PERP, SPOT } from './testing.js';

describe('engine: figures for statistics', () => {
  test('are those of the account of a perp market, and the price of its oracle', () => {
    const engine = engineWith(PERP, ORACLE);
    // The same account decoded independently: test/golden/vectors, perp-0-sol-202603.
    expect(engine.readChainStats()[idOf(engine, 'SOL-PERP')]).toEqual({
      oraclePrice: 143_798_202n,
      // Without a state account, the program's default first tier applies: 0.1 % and 0.02 %.
      ...{ takerFee: 1_000_000n, makerRebate: 200_000n },
      spot: null,
      perp: {
        baseLong: 422_751_350_000_000n,
        baseShort: -425_175_120_000_000n,
        fundingRate: -987_625n,
        fundingRate24h: -1_206_903n,
        fundingOracleTwap: 85_029_676n,
        fundingTs: 1_773_072_008n,
        marginRatioInitial: BigInt(Buffer.from(PERP.data, 'base64').readUInt32LE(1_136)),
      },
    });
  });

  test('have the last price that the program saw while the oracle cannot be read', () => {
    const [figures] = engineWith(PERP).readChainStats();
    expect(figures?.oraclePrice).toBe(85_016_475n);
  });

  test('of a spot market have no position', () => {
    const engine = engineWith(SPOT);
    const figures = engine.readChainStats()[idOf(engine, 'SOL')];
    const data = Buffer.from(SPOT.data, 'base64');
    const wide = (at: number) => data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n);
    const [deposits, borrows, depositInterest, borrowInterest] = [432, 448, 464, 480].map(wide);
    if (deposits === undefined || depositInterest === undefined) throw new Error('no deposits');
    if (borrows === undefined || borrowInterest === undefined) throw new Error('no borrows');
    // Balances are scaled by 1e9, interest by 1e10, and the token has nine decimals; borrows round
    // up.
    const divisor = 10n ** 10n;
    expect(figures).toMatchObject({
      perp: null,
      spot: {
        deposits: (deposits * depositInterest) / divisor,
        borrows: (borrows * borrowInterest + divisor - 1n) / divisor,
      },
    });
    expect(figures?.oraclePrice).toBeGreaterThan(0n);
  });

  test('follow a turn that changes no body', () => {
    const engine = engineWith(PERP, ORACLE);
    const before = engine.readChainStats();
    expect(engine.readChainStats()).toEqual(before);
    const data = Buffer.from(PERP.data, 'base64');
    // amm.baseAssetAmountLong, which does not affect order prices.
    data.writeBigUInt64LE(5n, 40 + 264);
    data.writeBigUInt64LE(0n, 40 + 272);
    engine.push({ ...PERP, slot: PERP.slot + 1, data: data.toString('base64') });
    engine.endTurn(1);
    expect(engine.readChainStats()[0]?.perp?.baseLong).toBe(5n);
  });
});
