/** What docs/schemas and the documents repeat of the lists and the bodies of the service. */
import type { TSchema } from '@sinclair/typebox';
import { socketCodesOf } from '../../src/contract/error-codes.js';
import { FEED_STATES } from '../../src/contract/feed-status.js';
import { RESOLUTION_NAMES } from '../../src/contract/resolutions.js';
import type { SchemaFile } from '../../src/server/api/message-schemas.js';
import { UDF_RESOLUTIONS_LISTED } from '../../src/server/api/udf-parts.js';
import { bodySchemas } from '../../src/server/routes/paths.js';
import { MARKET_CHANNELS } from '../../src/server/sockets/market-dialect.js';
import { SUMMARY_CHANNELS, summaryName } from '../../src/server/sockets/summary-topics.js';

type Json = Record<string, unknown>;
type Definitions = Record<string, Json>;

/** A file of docs/schemas with each list, and each row of a book, as the service has it. */
export function withShared(file: SchemaFile, schema: Json): Json {
  const $defs = structuredClone(schema['$defs']) as Definitions;
  const setEnum = (part: Json | undefined, words: readonly string[]): void => {
    if (part?.['enum'] !== undefined) part['enum'] = [...words];
  };
  setEnum($defs['state'], FEED_STATES);
  setEnum($defs['resolution'], RESOLUTION_NAMES);
  for (const name of ['summaryMessage', 'summaryRequest']) {
    const members = $defs[name]?.['properties'] as Definitions | undefined;
    setEnum(members?.['channelType'], SUMMARY_CHANNELS);
    setEnum(members?.['channel'], SUMMARY_CHANNELS.map(summaryName));
  }
  setEnum(
    ($defs['acknowledgement']?.['properties'] as Definitions)?.['channelType'],
    MARKET_CHANNELS,
  );
  if (file !== 'compatible-stream' && file !== 'user-stream') {
    const { code } = ($defs['error']?.['properties'] ?? {}) as Definitions;
    setEnum(code, socketCodesOf(file));
  }
  if (file === 'stream') $defs['order'] = orderOfStream($defs);
  if (file === 'user-stream') Object.assign($defs, partsOfAccount());
  return { ...schema, $defs };
}

/** An order of /l3 as frames have it: the same members, by the parts of the file where it has them. */
function orderOfStream($defs: Definitions): Json {
  const row = ((bodySchemas['L3'] as TSchema)['properties'] as Definitions)['bids']?.[
    'items'
  ] as Json;
  const members = Object.entries(row['properties'] as Definitions).map(([name, member]) => [
    name,
    $defs[name] === undefined ? exactly(member) : { $ref: `#/$defs/${name}` },
  ]);
  return { type: 'object', required: row['required'], properties: Object.fromEntries(members) };
}

/** The parts of an account as /accounts/{account} has them; without the symbols of readers. */
function partsOfAccount(): Definitions {
  const { properties } = JSON.parse(JSON.stringify(bodySchemas['Account'])) as {
    properties: Definitions;
  };
  const rowOf = (name: string): Json => properties[name]?.['items'] as Json;
  const { margin = {} } = properties;
  const [order, position, balance] = ['orders', 'positions', 'balances'].map(rowOf);
  const { records } = JSON.parse(JSON.stringify(bodySchemas['UserTradeRecords'])).properties;
  return { order, position, balance, margin, trade: records.items } as Definitions;
}

/** Frames write an integer in one way alone: without needless zeros, and no larger than a number of JSON. */
function exactly({ type, pattern, description, minimum, maximum }: Json): Json {
  const about = description === undefined ? {} : { description };
  if (pattern === '^-?[0-9]+$') return { ...about, type, pattern: '^(0|-?[1-9][0-9]*)$' };
  if (type !== 'integer') return { ...about, type };
  return { ...about, type, minimum, maximum: maximum ?? Number.MAX_SAFE_INTEGER };
}

const inCode = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

const LISTS: Readonly<Record<string, readonly string[]>> = {
  channels: MARKET_CHANNELS,
  resolutions: RESOLUTION_NAMES,
  'udf resolutions': UDF_RESOLUTIONS_LISTED,
  states: FEED_STATES,
};

/** A document with each list between `<!-- list: NAME -->` and `<!-- list end -->` as the service has it. */
export function withLists(document: string): string {
  const pattern = /(<!-- list: ([\w ]+) -->)[\s\S]*?(<!-- list end -->)/g;
  return document.replace(pattern, (_, begin: string, name: string, end: string) => {
    const list = LISTS[name];
    if (list === undefined) throw new Error(`there is no list ${name}`);
    return `${begin}${inCode(list)}${end}`;
  });
}
