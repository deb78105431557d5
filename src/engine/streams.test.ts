import { describe, expect, test } from 'vitest';
import { ADDRESS, codeOf, engineWith, NOW_MS, NOW_S, parsed, SLOT, SPOT, USER } from './testing.js';

describe('engine: streaming topics', () => {
  const book = { channel: 'book', market: 0, depth: 10 } as const;

  test('a topic opens with the book of now, and a name that says what departs from the usual', () => {
    const engine = engineWith(SPOT, USER);
    const handle = engine.openTopic(book);
    const snapshot = parsed(engine.topicSnapshot(handle, { id: '"a"', reset: false }));
    expect(Object.keys(snapshot).join(' ')).toBe(
      'type id topic channel market epoch seq slot ts state reset bids asks crc',
    );
    const { seq } = engine.version(0);
    const shown = { topic: 'book:SOL:10', market: 'SOL', epoch: 'e1', seq, slot: SLOT, ts: NOW_MS };
    expect(snapshot).toMatchObject({ type: 'snapshot', id: 'a', ...shown, reset: false });
    expect(engine.topicDelta(handle)).toBeNull();
    const all = { grouping: 10, vamm: true, indicative: true, timing: true };
    expect(engine.topicName({ ...book, ...all })).toBe('book:SOL:10:g10:vamm:indicative:timing');
    expect(engine.topicName({ channel: 'bbo', market: 0, timing: true })).toBe('bbo:SOL:timing');
    const maker = ADDRESS.user;
    expect(engine.topicName({ ...book, channel: 'l3', maker })).toBe(`l3:SOL:10:${maker}`);
  });

  test('an account that is gone is a delta, and a state alone is one without levels', () => {
    const engine = engineWith(SPOT, USER);
    const handle = engine.openTopic(book);
    const before = parsed(engine.topicSnapshot(handle, { id: '', reset: false }));
    const bids = before['bids'] as [string, string, object][];
    expect(bids.length).toBeGreaterThan(0);
    engine.pushClosed(USER.pubkey, SLOT + 1);
    engine.endTurn(NOW_MS + 400);
    const delta = engine.topicDelta(handle);
    expect(delta).toMatchObject({ prev: before['seq'], seq: engine.version(0).seq, reset: false });
    const frame = parsed(delta?.frame ?? new Uint8Array());
    expect(frame).toMatchObject({
      ...{ type: 'delta', prev: before['seq'], crc: 0 },
      bids: bids.map(([price]) => [price, '0', {}]),
    });
    engine.setState('lagging');
    engine.endTurn(NOW_MS + 800);
    const state = engine.topicDelta(handle);
    expect(state).toMatchObject({ prev: frame['seq'], seq: frame['seq'] });
    expect(parsed(state?.frame ?? new Uint8Array())).toMatchObject({
      ...{ state: 'lagging', ts: NOW_MS + 800, bids: [], asks: [] },
    });
  });

  test('another epoch is a snapshot that resets', () => {
    const engine = engineWith(SPOT, USER);
    const handle = engine.openTopic(book);
    engine.setEpoch('e2');
    expect(parsed(engine.topicSnapshot(handle, { id: '', reset: false }))['epoch']).toBe('e1');
    const delta = engine.topicDelta(handle);
    expect(delta?.reset).toBe(true);
    const frame = parsed(delta?.frame ?? new Uint8Array());
    expect(frame).toMatchObject({ type: 'snapshot', epoch: 'e2', reset: true });
    expect(parsed(engine.topicSnapshot(handle, { id: '', reset: true }))).toEqual(frame);
  });

  test('a heartbeat says the slot of now and the seq that was published', () => {
    const engine = engineWith(SPOT, USER);
    const handle = engine.openTopic(book);
    const { seq } = engine.version(0);
    engine.setClock(SLOT + 5, NOW_S);
    engine.endTurn(NOW_MS + 2_000);
    expect(Buffer.from(engine.topicHeartbeat(handle)).toString()).toBe(
      `{"type":"heartbeat","topic":"book:SOL:10","epoch":"e1","seq":${seq},"slot":${SLOT + 5},` +
        `"ts":${NOW_MS + 2_000},"state":"live"}`,
    );
  });

  test('what cannot be opened has its code, and a closed topic is not the next one', () => {
    const engine = engineWith(SPOT);
    for (const market of [1, 65_536, 70_000]) {
      expect(codeOf(() => engine.openTopic({ ...book, market }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.topicName({ ...book, market }))).toBe('MARKET_NOT_FOUND');
    }
    const bad = { ...book, channel: 'l3', maker: '0' } as const;
    expect(codeOf(() => engine.openTopic(bad))).toBe('INVALID_MAKER');
    expect(codeOf(() => engine.topicName(bad))).toBe('INVALID_MAKER');
    const first = engine.openTopic(book);
    engine.closeTopic(first);
    const second = engine.openTopic(book);
    expect(second).not.toBe(first);
    expect(codeOf(() => engine.closeTopic(first))).toBe('TOPIC_NOT_FOUND');
    expect(codeOf(() => engine.topicHeartbeat(first))).toBe('TOPIC_NOT_FOUND');
    expect(codeOf(() => engine.topicDelta(first))).toBe('TOPIC_NOT_FOUND');
    expect(engine.topicDelta(second)).toBeNull();
  });

  test('there is a most of topics', () => {
    const engine = engineWith(SPOT);
    for (let count = 0; count < 32_768; count += 1) engine.openTopic(book);
    expect(codeOf(() => engine.openTopic(book))).toBe('TOPICS_EXCEEDED');
  });
});
