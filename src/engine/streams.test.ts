import { describe, expect, test } from 'vitest';
import { ADDRESS, codeOf, engineWith, NOW_MS, parsed, SLOT, SPOT, USER } from './testing.js';

describe('engine: streaming topics', () => {
  const book = { channel: 'book', market: 0, depth: 10 } as const;

  test('a topic opens with the book of now, and a name that says what departs from the usual', () => {
    const engine = engineWith(SPOT, USER);
    const handle = engine.topics.openTopic(book);
    const snapshot = parsed(engine.topics.renderSnapshot(handle, { id: '"a"', reset: false }));
    expect(Object.keys(snapshot).join(' ')).toBe(
      'type id topic channel market epoch seq slot ts state reset bids asks crc',
    );
    const { seq } = engine.version(0);
    const shown = { topic: 'book:SOL:10', market: 'SOL', epoch: 'e1', seq, slot: SLOT, ts: NOW_MS };
    expect(snapshot).toMatchObject({ type: 'snapshot', id: 'a', ...shown, reset: false });
    expect(engine.topics.renderDelta(handle)).toBeNull();
    const all = { grouping: 10, vamm: true, indicative: true, timing: true };
    expect(engine.topicName({ ...book, ...all })).toBe('book:SOL:10:g10:vamm:indicative:timing');
    expect(engine.topicName({ channel: 'bbo', market: 0, timing: true })).toBe('bbo:SOL:timing');
    const maker = ADDRESS.user;
    expect(engine.topicName({ ...book, channel: 'l3', maker })).toBe(`l3:SOL:10:${maker}`);
  });

  test('what cannot be opened has its code, and a closed topic is not the next one', () => {
    const engine = engineWith(SPOT);
    for (const market of [1, 65_536, 70_000]) {
      expect(codeOf(() => engine.topics.openTopic({ ...book, market }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.topicName({ ...book, market }))).toBe('MARKET_NOT_FOUND');
    }
    const bad = { ...book, channel: 'l3', maker: '0' } as const;
    expect(codeOf(() => engine.topics.openTopic(bad))).toBe('INVALID_MAKER');
    expect(codeOf(() => engine.topicName(bad))).toBe('INVALID_MAKER');
    const first = engine.topics.openTopic(book);
    engine.topics.closeTopic(first);
    const second = engine.topics.openTopic(book);
    expect(second).not.toBe(first);
    expect(codeOf(() => engine.topics.closeTopic(first))).toBe('TOPIC_NOT_FOUND');
    expect(codeOf(() => engine.topics.renderHeartbeat(first))).toBe('TOPIC_NOT_FOUND');
    expect(codeOf(() => engine.topics.renderDelta(first))).toBe('TOPIC_NOT_FOUND');
    expect(engine.topics.renderDelta(second)).toBeNull();
  });

  test('there is a most of topics', () => {
    const engine = engineWith(SPOT);
    for (let count = 0; count < 32_768; count += 1) engine.topics.openTopic(book);
    expect(codeOf(() => engine.topics.openTopic(book))).toBe('TOPICS_EXCEEDED');
  });
});
