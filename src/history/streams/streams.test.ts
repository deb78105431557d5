import { describe, expect, test } from 'vitest';
import { FLUSH_CANDLES_MAX, FLUSH_MS, INIT_TRADES, WINDOW_TRADES_MAX } from '../model/limits.js';
import { type Message, MIDNIGHT, StreamScene, textOf } from './testing.js';

const minuteTopic = 'candle:perp_0:1';
const minute = 60;

/** A summary of a message: its type, the minute of its candle from midnight, closes and trades. */
function brief({ type, candle, trades = [] }: Message): string {
  const ids = trades.map(({ fillRecordId }) => fillRecordId).join(',');
  if (candle === undefined) return `${type} [${ids}]`;
  const at = (candle.ts - MIDNIGHT) / minute;
  return `${type} ${at} ${candle.fillOpen}-${candle.fillClose} [${ids}]`;
}

function briefs(scene: StreamScene): string[] {
  return scene.told().map(brief);
}

describe('a topic of candles', () => {
  test('begins with its newest candle, or with nothing where there is none', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic(minuteTopic);
    expect(scene.taken()).toEqual([{ topic: minuteTopic, kind: 'reset', message: '' }]);
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.streams.joinTopic(minuteTopic);
    const shown = scene.taken();
    expect(shown.map(({ kind }) => kind)).toEqual(['snapshot']);
    const message = JSON.parse(shown.map(textOf).join());
    expect(message).toMatchObject({ type: 'init', channelType: 'candle', symbol: 'SOL-PERP' });
    expect(message).toMatchObject({ resolution: '1', candle: { fillOpen: 150, baseVolume: 1 } });
    expect(message.data).toEqual(message.candle);
  });

  test('is labelled with the resolution by the name that was asked for', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    for (const name of ['1440', 'D']) scene.streams.joinTopic(`candle:perp_0:${name}`);
    const [first, second] = scene.told();
    expect([first, second]).toMatchObject([{ resolution: '1440' }, { resolution: 'D' }]);
    expect(first?.candle).toEqual({ ...second?.candle, resolution: '1440' });
  });

  test('is labelled with the symbol of now, also where the history learns of it later', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.market = { ...scene.market, symbol: 'NEW-PERP' };
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 150 });
    scene.advance(0);
    scene.streams.joinTopic(minuteTopic);
    const label = { symbol: 'NEW-PERP', resolution: '1' };
    expect(scene.told()).toMatchObject([{ candle: label }, { ...label, candle: label }]);
  });

  // Specification: live-data.
  test('is told of a trade at once, and then at most every 300 ms with all trades of the time', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.advance(0);
    expect(briefs(scene)).toEqual(['create -1 150-150 []', 'update -1 150-150 [1]']);
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 151 });
    scene.advance(FLUSH_MS - 1);
    scene.trade({ id: 3, ts: MIDNIGHT - 1, price: 152 });
    expect(briefs(scene)).toEqual([]);
    scene.advance(1);
    expect(briefs(scene)).toEqual(['update -1 150-152 [2,3]']);
    scene.advance(FLUSH_MS);
    expect(briefs(scene)).toEqual([]);
  });

  test('begins an empty candle at its boundary, and each after it', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.advance(999);
    expect(briefs(scene)).toEqual([]);
    scene.advance(1);
    expect(briefs(scene)).toEqual(['create 0 150-150 []']);
    scene.advance(2 * minute * 1_000);
    expect(briefs(scene)).toEqual(['create 1 150-150 []', 'create 2 150-150 []']);
  });

  test('of a market without a trade has no boundary', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.advance(5 * minute * 1_000);
    expect(briefs(scene)).toEqual([]);
  });

  test('reads the store when it begins, and not for what is told after it', () => {
    const scene = new StreamScene();
    scene.trade({ id: 0, ts: MIDNIGHT - 7_000, price: 149 });
    scene.streams.joinTopic(minuteTopic);
    scene.reads = 0;
    for (let id = 1; id <= 200; id += 1) {
      scene.trade({ id, ts: MIDNIGHT - 1 + Math.floor(scene.timers.nowMs() / 1_000), price: 150 });
      scene.advance(30_000);
    }
    scene.streams.joinTopic(minuteTopic);
    expect(scene.reads).toBe(0);
    expect(briefs(scene).at(-2)).toBe('update 99 150-150 [200]');
  });

  test('puts each trade to its own candle when a flush holds two', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.trade(
      { id: 2, ts: MIDNIGHT - 1, price: 151 },
      { id: 3, ts: MIDNIGHT, price: 152 },
      { id: 4, ts: MIDNIGHT - 1, price: 149 },
    );
    scene.advance(0);
    expect(briefs(scene)).toEqual([
      'update -1 150-149 [2,4]',
      'create 0 149-152 []',
      'update 0 149-152 [3]',
    ]);
  });

  test('is told to begin anew when more candles changed than one flush tells', () => {
    const scene = new StreamScene();
    const old = MIDNIGHT - FLUSH_CANDLES_MAX * minute - 1;
    scene.trade({ id: 1, ts: old - 600, price: 150 }, { id: 3, ts: MIDNIGHT - 1, price: 160 });
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    scene.trade({ id: 2, ts: old, price: 140 });
    scene.advance(0);
    expect(briefs(scene)).toEqual(['init -1 140-160 []', 'update -1 140-160 [2]']);
  });

  test('after a whole back-fill tells the newest candle, and how many trades it left out', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic(minuteTopic);
    scene.taken();
    const trades = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ id: index, ts: MIDNIGHT - 40_000 + 40 * index, price: 100 + index },
    }));
    scene.trade(...trades);
    scene.advance(0);
    const told = scene.told();
    expect(told.map(({ type }) => type)).toEqual(['init', 'create', 'update']);
    const [init, create, update] = told;
    expect(create?.trades).toEqual([]);
    expect(update?.trades).toHaveLength(WINDOW_TRADES_MAX);
    expect(update?.trades?.at(-1)?.fillRecordId).toBe('999');
    expect(update?.tradesLeftOut).toBe(1_000 - WINDOW_TRADES_MAX);
    expect(create?.candle).toEqual(init?.candle);
  });

  test('that was left is told nothing, and leaves no timer behind', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.streams.joinTopic(minuteTopic);
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 151 });
    scene.streams.leaveTopic(minuteTopic);
    expect(scene.timers.waitsMs).toEqual([]);
    scene.streams.leaveTopic(minuteTopic);
    scene.taken();
    scene.advance(minute * 1_000);
    expect(briefs(scene)).toEqual([]);
    expect(scene.timers.waitsMs).toEqual([]);
  });
});

describe('a topic of trades', () => {
  test('begins with the newest trades, oldest first, and goes on with every one', () => {
    const scene = new StreamScene();
    const all = Array.from({ length: 30 }, (_, id) => ({ id, ts: MIDNIGHT - 1, price: 100 + id }));
    scene.trade(...all);
    scene.streams.joinTopic('trades:perp_0');
    const [init] = scene.told();
    expect(init).toMatchObject({ type: 'init', channelType: 'trades', symbol: 'SOL-PERP' });
    const ids = init?.trades?.map(({ fillRecordId }) => Number(fillRecordId));
    expect(ids).toEqual(all.slice(-INIT_TRADES).map(({ id }) => id));
    scene.trade({ id: 30, ts: MIDNIGHT - 1, price: 150 });
    scene.advance(0);
    expect(briefs(scene)).toEqual(['update [30]']);
  });

  test('begins without a trade that its first update brings', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic(minuteTopic);
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.taken();
    scene.streams.joinTopic('trades:perp_0');
    expect(briefs(scene)).toEqual(['init []']);
    scene.advance(0);
    const updates = scene.taken().filter(({ topic }) => topic === 'trades:perp_0');
    expect(updates.map((frame) => brief(JSON.parse(textOf(frame))))).toEqual(['update [1]']);
  });

  test('has no transfers of positions', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic('trades:perp_0');
    scene.taken();
    const transfer = { explanation: 'transferPerpPosition' } as const;
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150, ...transfer });
    scene.advance(0);
    expect(briefs(scene)).toEqual([]);
  });

  test('begins anew when trades were taken back', () => {
    const scene = new StreamScene();
    const gone = { id: 2, ts: MIDNIGHT - 1, price: 200 };
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 }, gone);
    scene.streams.joinTopic('trades:perp_0');
    scene.taken();
    scene.takeBack(gone);
    scene.advance(0);
    expect(briefs(scene)).toEqual(['init [1]']);
  });

  test('of the compatible channel tells each by itself, and where some are missing', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic('channel:perp_0');
    scene.taken();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 }, { id: 2, ts: MIDNIGHT, price: 151 });
    scene.advance(0);
    const told = scene.taken().map((frame) => JSON.parse(textOf(frame)));
    expect(told.map(({ channel }) => channel)).toEqual(['trades_perp_0', 'trades_perp_0']);
    expect(told.map(({ data }) => JSON.parse(data).fillRecordId)).toEqual([1, 2]);
    scene.takeBack({ id: 2, ts: MIDNIGHT, price: 151 });
    scene.advance(FLUSH_MS);
    const [missing] = scene.taken().map((frame) => JSON.parse(textOf(frame)));
    expect(missing).toEqual({
      message: expect.stringContaining('Trades were left out'),
      leftOut: 'trades_perp_0',
    });
  });
});

describe('streams', () => {
  test.each([
    ['candle:perp_0:3', 'of a resolution that is none'],
    ['candle:perp_0', 'of no resolution'],
    ['trades:perp_0:1', 'with too many parts'],
    ['orders:perp_0', 'of another kind'],
    ['trades:perp_00', 'of a market that is written otherwise'],
  ])('refuse %s, %s', (topic) => {
    const scene = new StreamScene();
    scene.streams.joinTopic(topic);
    expect(scene.taken()).toEqual([
      { topic, kind: 'refused', reason: expect.stringContaining('no such topic') },
    ]);
    expect(scene.timers.waitsMs).toEqual([]);
  });

  test('lose nothing while the store cannot be read, and say so once', () => {
    const scene = new StreamScene();
    for (const topic of [minuteTopic, 'trades:perp_0']) scene.streams.joinTopic(topic);
    scene.taken();
    // So old that the candles after it have to be read again.
    scene.trade({ id: 1, ts: MIDNIGHT - 10_000, price: 150 });
    scene.broken = new Error('disk I/O error');
    scene.advance(700);
    expect(scene.taken()).toEqual([]);
    expect(scene.faults).toEqual(['perp_0: disk I/O error']);
    scene.streams.joinTopic('channel:perp_0');
    scene.streams.joinTopic('candle:perp_0:5');
    expect(scene.taken().map(({ kind }) => kind)).toEqual(['reset', 'refused']);
    scene.broken = undefined;
    scene.advance(FLUSH_MS - 1);
    expect(scene.taken().map(({ topic }) => topic)).toContain('trades:perp_0');
  });

  test('write all digits of a trade, and null for what it does not have', () => {
    const scene = new StreamScene();
    scene.streams.joinTopic('trades:perp_0');
    scene.streams.joinTopic('channel:perp_0');
    scene.taken();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150.000001 });
    scene.advance(0);
    const [market, channel] = scene.taken().map((frame) => JSON.parse(textOf(frame)));
    const members = {
      ...{ ts: MIDNIGHT - 1, marketIndex: 0, marketType: 'perp', slot: 1, txSig: 'sig1' },
      ...{ baseAssetAmountFilled: 1, quoteAssetAmountFilled: 150.000001 },
      ...{ takerFee: 0.225, makerFee: -0.045, oraclePrice: 150.012345, takerOrderId: 7 },
      ...{ action: 'fill', takerOrderDirection: 'long', makerOrderId: 4_294_967_295 },
    };
    expect(market.trades[0]).toMatchObject({
      ...members,
      ...{ fillRecordId: '1', price: 150.000001, symbol: 'SOL-PERP', txSigIndex: 1 },
      ...{ makerRebate: -0.045, spotFulfillmentMethodFee: null },
    });
    const data = JSON.parse(channel.data);
    expect(data).toMatchObject({ ...members, fillRecordId: 1 });
    expect(Object.keys(data)).not.toContain('makerIndicativeKey');
  });
});
