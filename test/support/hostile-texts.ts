/** Malformed JSON texts, and messages with each field wrong in turn. */
import type { Random } from '../../src/sim/random.js';

/** A text that must be answered with an error, or that may be answered either way. */
interface HostileText {
  readonly name: string;
  readonly text: string;
}

/** The longest message that the service takes. */
const MESSAGE_BYTES_MAX = 4_096;

type Make = (random: Random) => string;

/** Values that no field of a message may have. */
const VALUES = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1e400',
  '-1e400',
  '1e-400',
  '123456789012345678901234567890',
  '0.1',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"SOL-PERP "',
  '"../../etc/passwd"',
  '[]',
  '["orderbook"]',
  '{}',
  '{"toString":1}',
  '{"length":4294967295}',
];

const FIELDS = [
  'type',
  'channel',
  'marketType',
  'market',
  'grouping',
  'depth',
  'includeVamm',
  'id',
];

function pick<T>(random: Random, items: readonly T[]): T {
  const item = random.pickOne(items);
  if (item === undefined) throw new Error('Invariant: there is something to pick');
  return item;
}

/** The fields of an honest message as JSON texts; its market may be one that there is not. */
function honest(random: Random): Map<string, string> {
  return new Map([
    ['type', '"subscribe"'],
    ['channel', '"orderbook"'],
    ['marketType', '"perp"'],
    ['market', pick(random, ['"SOL-PERP"', '"NO-SUCH-PERP"'])],
    ['grouping', '10'],
  ]);
}

function objectOf(fields: Iterable<readonly [string, string]>): string {
  return `{${Array.from(fields, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth);

/** The kinds of texts, by name. Some texts may be valid, because the service ignores some fields. */
const KINDS: Readonly<Record<string, Make>> = {
  'nothing at all': () => '',
  'white space': (random) => pick(random, [' ', '\n\t ', '\u00a0', '\ufeff', '\u2028']),
  'no object': (random) => pick(random, [...VALUES, 'undefined', 'NaN', "'subscribe'", '01', '+1']),
  'a wrong value': (random) => {
    const fields = honest(random);
    fields.set(pick(random, FIELDS), pick(random, VALUES));
    return objectOf(fields);
  },
  'wrong values everywhere': (random) =>
    objectOf(FIELDS.map((field) => [field, pick(random, VALUES)] as const)),
  'a missing field': (random) => {
    const fields = honest(random);
    fields.delete(pick(random, [...fields.keys()]));
    return objectOf(fields);
  },
  'a field twice': (random) => {
    const field = pick(random, FIELDS);
    return objectOf([
      ...honest(random),
      [field, pick(random, VALUES)],
      [field, pick(random, VALUES)],
    ]);
  },
  'a field of all objects': (random) => {
    const names = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toJSON', 'then'];
    const value = pick(random, ['{"type":"subscribe","isAdmin":true}', ...VALUES]);
    return objectOf([...honest(random), [pick(random, names), value]]);
  },
  'arrays in arrays': (random) =>
    nested('[', ']', pick(random, [1, 10, 500, MESSAGE_BYTES_MAX / 2])),
  'arrays that never end': (random) => '['.repeat(pick(random, [10, 1_000, MESSAGE_BYTES_MAX])),
  'objects in objects': (random) => {
    const depth = pick(random, [2, 50, 600]);
    return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  'a deep value': (random) => {
    const fields = honest(random);
    fields.set(pick(random, FIELDS), nested('[', ']', 1_500));
    return objectOf(fields);
  },
  'many fields': (random) =>
    objectOf(Array.from({ length: 200 }, (_, i) => [`f${i}`, `${random.nextBelow(10)}`] as const)),
  'a long word': (random) => {
    const fields = honest(random);
    fields.set(pick(random, FIELDS), `"${'w'.repeat(3_500)}"`);
    return objectOf(fields);
  },
  'a long number': (random) => {
    const fields = honest(random);
    fields.set('grouping', pick(random, ['9'.repeat(3_000), `0.${'0'.repeat(3_000)}1`, '1e99999']));
    return objectOf(fields);
  },
  'half a pair of surrogates': (random) => {
    const fields = honest(random);
    const lone = pick(random, ['\\ud83d', '\\ude00', '\\ud83d\\ud83d', '\\uDBFF\\u0041']);
    fields.set(pick(random, FIELDS), `"${lone}"`);
    return objectOf(fields);
  },
  'a cut text': (random) => {
    const whole = objectOf(honest(random));
    return whole.slice(0, random.nextBetween(1, whole.length - 1));
  },
  'a changed byte': (random) => {
    const whole = objectOf(honest(random));
    const at = random.nextBelow(whole.length);
    return whole.slice(0, at) + pick(random, [...'{}[]":,\\0 \u0001']) + whole.slice(at + 1);
  },
  'a comma too many': (random) =>
    objectOf(honest(random)).replace('}', pick(random, [',}', ',,}', ',"a"}', ',"a":}'])),
  'two messages': (random) => objectOf(honest(random)) + objectOf(honest(random)),
  'another protocol': (random) =>
    pick(random, [
      'ping',
      'GET / HTTP/1.1\r\n\r\n',
      '<subscribe channel="orderbook"/>',
      '{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}',
      '{"op":"subscribe","args":["orderbook"]}',
      '{"type":"SUBSCRIBE","channel":"ORDERBOOK","marketType":"PERP","market":"__PROTO__"}',
    ]),
  'an unsubscribe of nothing': (random) => {
    const fields = honest(random);
    fields.set('type', '"unsubscribe"');
    if (random.oneIn(2)) fields.set(pick(random, FIELDS), pick(random, VALUES));
    return objectOf(fields);
  },
};

/** Malformed texts of all kinds in turn; the same seed gives the same texts. */
export function* hostileTexts(random: Random, count: number): Generator<HostileText> {
  const kinds = Object.entries(KINDS);
  for (let i = 0; i < count; i += 1) {
    const [name, make] = kinds[i % kinds.length] as [string, Make];
    yield { name, text: make(random) };
  }
}
