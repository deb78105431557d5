/** The generated sources of `@slotbook/client`: the modules of readers, lists, states, and types of queries. */
import type { TObject } from '@sinclair/typebox';
import { ERROR_CODES } from '../../src/contract/error-codes.js';
import { FEED_STATES } from '../../src/contract/feed-status.js';
import {
  RESOLUTION_NAMES,
  resolutionOf,
  resolutionSecondsMax,
} from '../../src/contract/resolutions.js';
import { momentParams } from '../../src/server/api/moment-params.js';
import { paths } from '../../src/server/routes/paths.js';
import { indented, NOTE, readerModules, type Schema } from './client-readers.js';

/** The generated sources of the library, by the names of their files. */
export function clientSources(): ReadonlyMap<string, string> {
  return new Map([
    ...readerModules(),
    ['lists.ts', listsText()],
    ['queries.ts', queriesText()],
    ['states.ts', statesText()],
  ]);
}

function listsText(): string {
  const union = (list: readonly string[]): string => list.map((word) => `\n  | '${word}'`).join('');
  const seconds = RESOLUTION_NAMES.map(
    (name) => `  '${name}': ${resolutionSecondsMax(resolutionOf(name))},`,
  );
  return [
    `${NOTE}/** Lists that the service and the client library share. */`,
    '',
    '/** The seconds of the longest candle of each length, by its name; `1440` is another name of `D`. */',
    `export const RESOLUTION_SECONDS_MAX = {\n${seconds.join('\n')}\n} as const;`,
    '',
    '/** Lengths of candles, as the interface names them: minutes; then a day, a week and a month of UTC. */',
    `export type Resolution =${union(RESOLUTION_NAMES)};`,
    '',
    '/** What the service may answer; docs/codes.md says when. */',
    `export type ServiceErrorCode =${union(Object.keys(ERROR_CODES).sort())};`,
    '',
  ].join('\n');
}

/** A module of its own, which only the reader of bytes loads. */
function statesText(): string {
  const words = FEED_STATES.map((word) => `'${word}'`).join(', ');
  const about = '/** The states of a book, by their codes in binary frames. */';
  return `${NOTE}${about}\nexport const FEED_STATES = [${words}] as const;\n`;
}

interface ParamSchema extends Schema {
  readonly default?: unknown;
  readonly format?: string;
}

/** The members of a query; `texts` are the types of parameters that the library writes itself. */
function queryMembers(
  { properties, required = [] }: TObject,
  { omit = [], texts = {} }: QueryForm = {},
): string {
  const members = Object.entries(properties as Readonly<Record<string, ParamSchema>>)
    .filter(([name]) => !omit.includes(name))
    .map(([name, schema]) => {
      const isNeeded = required.includes(name) && schema.default === undefined;
      const type = texts[name] ?? queryType(schema);
      return `/** ${schema.description} */\nreadonly ${name}${isNeeded ? '' : '?'}: ${type};`;
    });
  return `{\n${members.join('\n')}\n}`;
}

interface QueryForm {
  readonly omit?: readonly string[];
  readonly texts?: Readonly<Record<string, string>>;
}

function queryType(schema: ParamSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((word) => `'${String(word)}'`).join(' | ');
  if (schema.format === 'whole-number') return 'bigint';
  const types = { integer: 'number', boolean: 'boolean', string: 'string' };
  const type = types[schema.type as keyof typeof types];
  if (type === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return type;
}

const NAMES_OF_MARKET = ['marketName', 'marketIndex', 'marketType'];
const OF_LEVELS = ['grouping'];

function queriesText(): string {
  const l2 = paths['/l2'].params;
  const options = Object.keys(l2.properties).filter((name) => !OF_LEVELS.includes(name));
  const jit = 'readonly { readonly price: bigint; readonly size: bigint }[]';
  const text = [
    `${NOTE}/** What is asked of the paths. */`,
    "import type { MarketType } from '../keys.js';",
    '',
    '/** Names a market: by its name in any case, or by type and index. */',
    'export type MarketName =',
    '  | { readonly marketName: string }',
    '  | { readonly marketType: MarketType; readonly marketIndex: number };',
    '',
    '/** What a book shows beside resting orders, and how. */',
    `export type BookOptions = ${queryMembers(l2, { omit: [...NAMES_OF_MARKET, ...OF_LEVELS] })};`,
    '',
    '/** A past moment, of a service that keeps a journal; without any of these it is now. */',
    `export type MomentQuery = ${queryMembers(momentParams)};`,
    '',
    '/** What is asked of /l2. */',
    `export type L2Query = MarketName & BookOptions & ${queryMembers(l2, { omit: options })};`,
    '',
    '/** What is asked of /l3. */',
    `export type L3Query = MarketName & ${queryMembers(paths['/l3'].params, { omit: [...NAMES_OF_MARKET, 'includeVamm'] })};`,
    '',
    '/** An order that /match walks for. Give `size` or `quote`. */',
    `export type MatchQuery = MarketName & ${queryMembers(paths['/match'].params, { omit: NAMES_OF_MARKET, texts: { jit } })};`,
    '',
    "/** A page of a market's records. */",
    `export interface PageQuery ${queryMembers(
      { ...paths['/trades'].params, required: ['symbol'] },
      { omit: NAMES_OF_MARKET },
    )}`,
    '',
    '/** What is asked of /candles. */',
    `export interface CandlesQuery ${queryMembers(paths['/candles'].params, { texts: { resolution: 'string' } })}`,
    '',
    '/** A market and the time whose liquidity is read. */',
    `export type LiquidityQuery = MarketName & ${queryMembers(paths['/liquidity/history'].params, { omit: NAMES_OF_MARKET })};`,
    '',
    "/** A page of a market's records in the form of the Drift v2 data API. */",
    `export interface RecordsQuery ${queryMembers(paths['/market/{symbol}/trades'].params)}`,
    '',
  ];
  return indented(text.join('\n'));
}
