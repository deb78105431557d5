/** Topics whose store is not open yet, cannot be read, or changes to another chain. */
import { describe, expect, test } from 'vitest';
import { HistoryError } from '../model/error.js';
import { FLUSH_MS, REOPEN_MS, STREAM_TOPICS_MAX } from '../model/limits.js';
import { MIDNIGHT, StreamScene, textOf } from './testing.js';

const candles = 'candle:perp_0:1';
const trades = 'trades:perp_0';
const notOpen = new HistoryError('NOT_READY', 'the history is not open yet');

/** A summary of the posted frames: topic, kind, trades and close. */
function told(scene: StreamScene): string[] {
  return scene.taken().map((frame) => {
    const { topic, kind } = frame;
    const text = kind === 'refused' ? '' : textOf(frame);
    const message = text === '' ? {} : JSON.parse(text);
    const ids = message.trades?.map((row: { fillRecordId: string }) => row.fillRecordId) ?? [];
    const parts = [topic, kind, message.type, message.candle?.fillClose, `[${ids}]`];
    return parts.filter((part) => part !== undefined).join(' ');
  });
}

function sceneWith(...topics: readonly string[]): StreamScene {
  const scene = new StreamScene();
  scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
  for (const topic of topics) scene.streams.joinTopic(topic);
  return scene;
}

describe('a topic that is asked for before the store is open', () => {
  test('is opened when it is, and told everything from then on', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.broken = notOpen;
    for (const topic of [candles, trades]) scene.streams.joinTopic(topic);
    scene.advance(100);
    expect(told(scene)).toEqual([]);
    scene.broken = undefined;
    scene.streams.reopenAll();
    expect(told(scene)).toEqual([`${candles} reset init 150 []`, `${trades} reset init [1]`]);
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 160 });
    scene.advance(FLUSH_MS);
    expect(told(scene)).toEqual([
      `${candles} update update 160 [2]`,
      `${trades} update update [2]`,
    ]);
    expect(scene.faults).toEqual([]);
  });

  test('is not opened when it was left meanwhile', () => {
    const scene = new StreamScene();
    scene.broken = notOpen;
    scene.streams.joinTopic(candles);
    scene.streams.leaveTopic(candles);
    scene.broken = undefined;
    scene.streams.reopenAll();
    expect([told(scene), scene.timers.waitsMs]).toEqual([[], []]);
  });

  test('counts as one of the topics that there may be', () => {
    const scene = new StreamScene();
    scene.broken = notOpen;
    for (let market = 0; market < STREAM_TOPICS_MAX; market += 1) {
      scene.streams.joinTopic(`trades:perp_${market}`);
    }
    scene.taken();
    scene.streams.joinTopic('trades:spot_0');
    expect(scene.taken()).toMatchObject([
      { kind: 'refused', reason: expect.stringMatching('the limit') },
    ]);
    scene.streams.leaveTopic('trades:perp_0');
    scene.streams.joinTopic(candles);
    expect(told(scene)).toEqual([]);
  });
});

describe('a topic that was refused', () => {
  test('by the disk is opened when it can be read, and the disk is blamed once', () => {
    const scene = new StreamScene();
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 150 });
    scene.broken = new Error('disk I/O error');
    scene.streams.joinTopic(trades);
    scene.advance(3 * REOPEN_MS);
    expect(told(scene)).toEqual([`${trades} refused []`]);
    expect(scene.faults).toEqual(['perp_0: disk I/O error']);
    scene.broken = undefined;
    scene.advance(REOPEN_MS);
    expect(told(scene)).toEqual([`${trades} reset init [1]`]);
  });
});

test('a topic of a market that is not known yet is opened with the markets', () => {
  const scene = sceneWith();
  scene.hasMarkets = false;
  scene.streams.joinTopic(trades);
  expect(told(scene)).toEqual([]);
  scene.hasMarkets = true;
  scene.streams.openPending();
  scene.streams.openPending();
  expect(told(scene)).toEqual([`${trades} reset init [1]`]);
});

describe('a store that is begun anew', () => {
  test('opens every topic for its readers, whatever waited', () => {
    const scene = sceneWith(candles, trades, 'channel:perp_0');
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 160 });
    scene.taken();
    scene.streams.reopenAll();
    expect(told(scene)).toEqual([
      `${candles} reset init 160 []`,
      `${trades} reset init [1,2]`,
      'channel:perp_0 reset []',
    ]);
    scene.advance(FLUSH_MS);
    expect(told(scene)).toEqual([]);
  });

  test('tells nothing of the chain before, and begins with its first candle', () => {
    const scene = sceneWith(candles, trades);
    scene.taken();
    scene.anotherChain();
    scene.streams.reopenAll();
    expect(told(scene)).toEqual([`${candles} reset []`, `${trades} reset init []`]);
    scene.trade({ id: 1, ts: MIDNIGHT - 1, price: 20 });
    scene.advance(FLUSH_MS);
    expect(told(scene)).toEqual([
      `${candles} update init 20 []`,
      `${candles} update create 20 []`,
      `${candles} update update 20 [1]`,
      `${trades} update update [1]`,
    ]);
    scene.trade({ id: 2, ts: MIDNIGHT - 1, price: 21 });
    scene.advance(FLUSH_MS);
    expect(told(scene)).toEqual([`${candles} update update 21 [2]`, `${trades} update update [2]`]);
  });
});
