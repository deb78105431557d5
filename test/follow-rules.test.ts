/** The rules that the recorded streams do not break: each has a frame here that does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { StreamClient } from '../src/client/stream/client.js';
import { FollowedBook } from '../src/client/stream/followed-book.js';
import { strictChecks } from '../src/client/stream/strict-checks.js';
import type { Topic } from '../src/client/stream/topic.js';
import { ProtocolViolation } from '../src/client/stream/violation.js';
import { ClientWorld } from './support/client-world.js';
import { vectorOf } from './support/stream-vectors.js';

type Message = Record<string, unknown>;
type Change = (message: Message) => unknown;

/** Gives a book the first frames of a kept stream, the last of them changed; answers what it says. */
function breachOf(name: string, frames: number, change: Change): string {
  const path = new URL(`./vectors/stream/${name}.jsonl`, import.meta.url);
  const vector = vectorOf(readFileSync(path, 'utf8'));
  const book = new FollowedBook(vector.topic as Topic, strictChecks);
  const texts = vector.frames.slice(0, frames);
  for (const text of texts.slice(0, -1)) book.applyFrame(JSON.parse(text));
  const message = JSON.parse(texts.at(-1) ?? '') as Message;
  try {
    book.applyFrame((change(message) ?? message) as Message);
  } catch (error) {
    if (error instanceof ProtocolViolation) return error.rule;
    throw error;
  }
  return 'none';
}

test.each(['clean', 'clean-bbo', 'clean-l3', 'clean-l3-maker', 'clean-grouped'])(
  '%s unchanged breaks none',
  (name) => {
    for (const frames of [1, 2, 3]) expect(breachOf(name, frames, () => undefined)).toBe('none');
  },
);

const set =
  (members: object): Change =>
  (message) =>
    Object.assign(message, members);

const ANY_TIME = 2n ** 63n - 1n;

test.each(['clean-l3', 'clean-l3-maker'])('%s may have an order of any expiry', (name) => {
  const late: Change = (message) =>
    set({ maxTs: Number(ANY_TIME) })(firstOf(message, 'bids')) && message;
  expect(breachOf(name, 1, late)).toBe('none');
});

const firstOf = (message: Message, side: string) => (message[side] as Message[])[0] as Message;

test.each<readonly [string, string, number, string, Change]>([
  [
    'a seq below prev',
    'clean',
    2,
    'seq',
    (message) => set({ seq: Number(message['prev']) - 1 })(message),
  ],
  [
    'a seq of prev with rows',
    'clean',
    2,
    'seq',
    (message) => set({ seq: message['prev'] })(message),
  ],
  [
    'a queue that leaves base out',
    'clean-l3',
    1,
    'queue',
    (m) => set({ queue: '1' })(firstOf(m, 'bids')) && m,
  ],
  ['no epoch', 'clean', 1, 'malformed', set({ epoch: undefined })],
  ['a state that there is not', 'clean', 1, 'malformed', set({ state: 'fine' })],
  ['a seq in a text', 'clean', 1, 'malformed', set({ seq: '5' })],
  ['a fraction of a slot', 'clean', 1, 'malformed', set({ slot: 1.5 })],
  ['another channel', 'clean', 1, 'malformed', set({ channel: 'bbo' })],
  ['a reset that is no flag', 'clean', 1, 'malformed', set({ reset: 'no' })],
  ['bids that are no list', 'clean', 1, 'malformed', set({ bids: {} })],
  ['a price in a number', 'clean', 1, 'malformed', set({ bids: [[1, '1', { dlob: '1' }]] })],
  ['a price with a sign', 'clean', 1, 'malformed', set({ bids: [['-1', '1', { dlob: '1' }]] })],
  [
    'sources that do not add up',
    'clean',
    1,
    'malformed',
    set({ bids: [['1', '2', { dlob: '1' }]] }),
  ],
  ['a level without sources', 'clean', 1, 'malformed', set({ bids: [['1', '2']] })],
  ['a best level of three', 'clean-bbo', 1, 'malformed', set({ bid: ['1', '2', {}] })],
  ['no best level', 'clean-bbo', 1, 'malformed', set({ bid: undefined })],
  [
    'an order without a flag',
    'clean-l3',
    1,
    'malformed',
    (m) => set({ postOnly: 1 })(firstOf(m, 'asks')) && m,
  ],
  [
    'an order to remove by id alone',
    'clean-l3',
    2,
    'malformed',
    set({ bids: { add: [], change: [], remove: [5] } }),
  ],
  ['an order changed that was not there', 'clean-l3', 2, 'absent', stranger('change')],
  [
    'an order removed that was not there',
    'clean-l3',
    2,
    'absent',
    set({ bids: { add: [], change: [], remove: [['x', 5]] } }),
  ],
  ['no best ask where there is one', 'clean-bbo', 1, 'crc', set({ ask: null })],
])('%s', (_, name, frames, rule, change) => {
  expect(breachOf(name, frames, change)).toBe(rule);
});

/** An order that nobody has placed. */
function stranger(list: 'add' | 'change'): Change {
  const order = {
    ...{ price: '1', size: '1', queue: '0', oraclePriceOffset: '0', maker: 'x', orderId: 1 },
    ...{ slot: 1, maxTs: 0, reduceOnly: false, postOnly: false, signedMsg: false },
  };
  return set({ bids: { add: [], change: [], remove: [], [list]: [order] } });
}

test('an order added that was there is a breach', () => {
  let known: unknown;
  breachOf('clean-l3', 1, (message) => {
    known = firstOf(message, 'bids');
    return message;
  });
  const again = set({ bids: { add: [known], change: [], remove: [] } });
  expect(breachOf('clean-l3', 2, again)).toBe('absent');
});

test.each(['{', '[]', '5', 'null'])('%s, which is no JSON or no object, is malformed', (text) => {
  const world = new ClientWorld();
  const rules: string[] = [];
  const client = new StreamClient({
    ...{ url: 'http://service', ...world, clock: world.clock },
    onRepair: ({ rule }) => rules.push(rule),
  });
  client.subscribe({ channel: 'book', market: 'SOL-PERP' });
  world.socket.open();
  world.socket.say(text);
  expect(rules).toEqual(['malformed']);
});
