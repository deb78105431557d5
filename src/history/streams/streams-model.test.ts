/** A client that follows a topic from message to message ends with the state of a plain recomputation. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainCandles } from '../../../test/plain-candles.js';
import { MIDNIGHT, StreamScene, type ToldTrade } from './testing.js';

/** A commit: new trades, the time since the last commit, and whether the newest trade is reverted. */
const commits = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 150_000 })),
    trades: fc.array(
      fc.record({
        price: fc.integer({ min: 1, max: 40 }),
        /** Age of its block in seconds; some trades are hours late. */
        age: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 5_000 })),
      }),
      { maxLength: 3 },
    ),
    isTakenBack: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  }),
  { minLength: 1, maxLength: 25 },
);

/** A client's state: its candles by start, and its received trades. */
interface Kept {
  readonly candles: Map<number, string>;
  readonly trades: number[];
}

/** A chart of the topic, which reads history again on a reset. */
function follow(scene: StreamScene, kept: Kept, readAgain: () => Map<number, string>): void {
  for (const { type, candle, trades = [] } of scene.told()) {
    if (type === 'init') for (const [ts, text] of readAgain()) kept.candles.set(ts, text);
    if (candle !== undefined) kept.candles.set(candle.ts, JSON.stringify(candle));
    kept.trades.push(...trades.map(({ fillRecordId }) => Number(fillRecordId)));
  }
}

function plainTexts(scene: StreamScene, trades: readonly ToldTrade[]): Map<number, string> {
  const plain = trades.map(({ id, ts, price }) => ({
    ...{ ts, fillRecordId: BigInt(id), base: 10n ** 9n },
    ...{ quote: BigInt(price) * 10n ** 6n, oracle: 150_012_345n },
  }));
  const until = MIDNIGHT - 1 + Math.floor(scene.timers.nowMs() / 1_000);
  const human = (value: bigint): number => Number(value) / 1e6;
  return new Map(
    plainCandles(plain, { resolution: '1', until }).map((candle) => [
      candle.ts,
      JSON.stringify({
        ...{ symbol: 'SOL-PERP', resolution: '1', ts: candle.ts },
        ...{ fillOpen: human(candle.open), fillHigh: human(candle.high) },
        ...{ fillClose: human(candle.close), fillLow: human(candle.low) },
        ...{ oracleOpen: 150.012345, oracleHigh: 150.012345 },
        ...{ oracleClose: 150.012345, oracleLow: 150.012345 },
        ...{ quoteVolume: human(candle.quote), baseVolume: Number(candle.base) / 1e9 },
        ...(candle.lastTradeTs === null
          ? {}
          : {
              lastTradeTs: candle.lastTradeTs,
              lastFillRecordId: String(candle.lastFillRecordId),
            }),
      }),
    ]),
  );
}

/** To the middle of a later minute: everything has been sent by then. */
function untilQuietMs(scene: StreamScene): number {
  return 90_000 - ((scene.timers.nowMs() - 1_000) % 60_000);
}

test('a client that keeps what it is told has every candle and every trade once', () => {
  fc.assert(
    fc.property(commits, (history) => {
      const scene = new StreamScene();
      const all: ToldTrade[] = [{ id: 0, ts: MIDNIGHT - 100, price: 20 }];
      scene.trade(...all);
      scene.streams.joinTopic('candle:perp_0:1');
      const kept: Kept = { candles: plainTexts(scene, all), trades: [] };
      scene.taken();
      const readAgain = (): Map<number, string> => plainTexts(scene, all);
      const told: number[] = [];
      for (const { waitMs, trades, isTakenBack } of history) {
        scene.advance(waitMs);
        follow(scene, kept, readAgain);
        const now = MIDNIGHT - 1 + Math.floor(scene.timers.nowMs() / 1_000);
        const commit = trades.map(({ price, age }, index) => ({
          ...{ id: told.length + index + 1, price },
          ts: Math.max(now - age, MIDNIGHT - 100),
        }));
        told.push(...commit.map(({ id }) => id));
        all.push(...commit);
        scene.trade(...commit);
        const gone = isTakenBack && all.length > 1 ? all.pop() : undefined;
        if (gone !== undefined) scene.takeBack(gone);
      }
      scene.advance(untilQuietMs(scene));
      follow(scene, kept, readAgain);
      expect([...kept.candles].sort()).toEqual([...plainTexts(scene, all)].sort());
      expect(kept.trades.toSorted((a, b) => a - b)).toEqual(told);
    }),
    { numRuns: 150 },
  );
});
