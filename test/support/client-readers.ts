/**
 * The readers and types of `@slotbook/client` for the bodies of the service, as source texts. They are written
 * from the schemas from which /openapi.json comes, so that each member of a body is described once.
 */
import { OptionalKind, type TSchema } from '@sinclair/typebox';
import { MAY_MISS, READER } from '../../src/server/api/schema-parts.js';
import { bodySchemas } from '../../src/server/routes/paths.js';

/** A schema as the generator looks into it. */
export interface Schema {
  readonly [READER]?: string;
  readonly [MAY_MISS]?: boolean;
  readonly [OptionalKind]?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** A reader that a module exports, with the type of the value that it reads. */
interface ReaderSpec {
  readonly schema: TSchema;
  readonly about: string;
  /** Further optional members that a body may have, by their readers. */
  readonly more?: Readonly<Record<string, string>>;
  readonly type?: readonly [name: string, about: string];
  /** The type of one item of the list that is read. */
  readonly itemType?: readonly [name: string, about: string];
}

/** A module of readers. */
interface ModuleSpec {
  readonly about: string;
  /** Parts that are written once, by their names. */
  readonly parts?: Readonly<Record<string, TSchema>>;
  readonly readers: Readonly<Record<string, ReaderSpec>>;
  /** Names that are imported from other modules of readers. */
  readonly imports?: Readonly<Record<string, readonly string[]>>;
}

/** The expression of a reader for a schema; `known` has the names of parts by their expressions. */
class ReaderWriter {
  readonly #known = new Map<string, string>();

  define(expression: string, name: string): void {
    this.#known.set(expression, name);
  }

  readerOf(schema: Schema, more: Readonly<Record<string, string>> = {}): string {
    const expression = schema[READER] ?? this.#expressionOf(schema, more);
    return this.#known.get(expression) ?? expression;
  }

  #expressionOf(schema: Schema, more: Readonly<Record<string, string>>): string {
    const { type, anyOf, items, properties, patternProperties } = schema;
    const words = schema.enum ?? (typeof schema.const === 'string' ? [schema.const] : undefined);
    if (words !== undefined) return wordsReader(words);
    if (anyOf !== undefined) return this.#unionReader(anyOf);
    if (patternProperties !== undefined) {
      return `record(${Object.values(patternProperties).map((one) => this.readerOf(one))[0]})`;
    }
    if (properties !== undefined) return this.#objectReader(properties, more);
    if (items !== undefined) return `list(${this.readerOf(items, more)})`;
    if (Array.isArray(type)) return `orNull(${this.readerOf({ type: type[0] })})`;
    const simple = { string: 'text', boolean: 'flag', integer: 'whole', number: 'decimal' };
    const reader = simple[type as keyof typeof simple];
    if (reader === undefined) throw new Error(`no reader for ${JSON.stringify(schema)}`);
    return reader;
  }

  #unionReader([first, second]: readonly Schema[]): string {
    if (first === undefined || second?.type !== 'null')
      throw new Error('a union is of one or null');
    return `orNull(${this.readerOf(first)})`;
  }

  #objectReader(
    properties: Readonly<Record<string, Schema>>,
    more: Readonly<Record<string, string>>,
  ): string {
    const { needed, others } = this.membersOf(properties);
    const optional = [
      ...others,
      ...Object.entries(more).map(([name, read]) => `${name}: ${read},`),
    ];
    const shape = (lines: readonly string[]) =>
      lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n}`;
    return `object(${shape(needed)}${optional.length > 0 ? `, ${shape(optional)}` : ''})`;
  }

  membersOf(properties: Readonly<Record<string, Schema>>) {
    const needed: string[] = [];
    const others: string[] = [];
    for (const [name, schema] of Object.entries(properties)) {
      if (schema[READER] === '' || schema.const === true) continue;
      const isOptional = schema[MAY_MISS] ?? schema[OptionalKind] !== undefined;
      const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
      const reader = this.readerOf(schema);
      const member = reader === name ? name : `${name}: ${reader}`;
      (isOptional ? others : needed).push(`${about}${member},`);
    }
    return { needed, others };
  }
}

function wordsReader(words: readonly unknown[]): string {
  const named = words.filter((word) => word !== null);
  const reader = `word(${named.map((word) => `'${String(word)}'`).join(', ')})`;
  return named.length === words.length ? reader : `orNull(${reader})`;
}

/** The text of a module. */
function moduleText({ about, parts = {}, readers, imports = {} }: ModuleSpec): string {
  const writer = new ReaderWriter();
  const constants = Object.entries(parts).map(([name, schema]) => {
    const expression = writer.readerOf(schema as Schema);
    writer.define(expression, name);
    return `const ${name} = ${expression};\n`;
  });
  for (const [file, names] of Object.entries(imports)) {
    for (const name of names) {
      const spec = MODULES[file]?.readers[name];
      if (spec !== undefined) writer.define(writer.readerOf(spec.schema as Schema), name);
    }
  }
  const exported = Object.entries(readers).map(([name, spec]) => {
    const expression = writer.readerOf(spec.schema as Schema, spec.more);
    writer.define(expression, name);
    return `/** ${spec.about} */\nexport const ${name} = ${expression};\n`;
  });
  const types = Object.entries(readers).flatMap(([name, { type, itemType }]) => [
    ...(type === undefined ? [] : [typeText(type, `Of<typeof ${name}>`)]),
    ...(itemType === undefined ? [] : [typeText(itemType, `Of<typeof ${name}>[number]`)]),
  ]);
  const body = [...constants, ...exported, ...types].join('\n');
  return indented([`${NOTE}/** ${about} */`, ...importLines(body, imports), '', body].join('\n'));
}

export const NOTE = `// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts\n`;

function typeText([name, about]: readonly [string, string], text: string): string {
  return `/** ${about} */\nexport type ${name} = ${text};\n`;
}

const FIELD_READERS = [
  ...['base', 'decimal', 'flag', 'integer', 'list', 'Of', 'object', 'orNull', 'price', 'quote'],
  ...['record', 'text', 'whole', 'word'],
];
const WRITTEN_READERS = [
  ...['anyCount', 'orMissing', 'writtenBase', 'writtenPrice', 'writtenQuote', 'writtenRate'],
];

/** The imports of the readers that a text calls. */
function importLines(body: string, imports: Readonly<Record<string, readonly string[]>>): string[] {
  const code = body.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/'[^']*'/g, '');
  const calls = (name: string): boolean =>
    new RegExp(`(?<!\\w)${name}(?=[(<,)}\\]]|$)`, 'm').test(code);
  const line = (file: string, names: readonly string[]): string[] => {
    const used = names.filter(calls).map((name) => (name === 'Of' ? 'type Of' : name));
    return used.length === 0 ? [] : [`import { ${used.join(', ')} } from '${file}';`];
  };
  return [
    ...line('../fields.js', FIELD_READERS),
    ...line('../written-amounts.js', WRITTEN_READERS),
    ...Object.entries(imports).flatMap(([file, names]) => line(`./${file}.js`, names)),
  ];
}

/** The lines of a text, each as far in as brackets are open before it. */
export function indented(text: string): string {
  let depth = 0;
  const lines = text.split('\n').map((line) => {
    const code = line.startsWith('/**') ? '' : line.replace(/'[^']*'/g, '');
    const closing = /^[})\]]+/.exec(code)?.[0].length ?? 0;
    const indent = '  '.repeat(Math.max(0, depth - (closing > 0 ? 1 : 0)));
    depth += (code.match(/\{/g)?.length ?? 0) - (code.match(/\}/g)?.length ?? 0);
    return line === '' ? '' : `${indent}${line}`;
  });
  return lines.join('\n');
}

const itemOf = (schema: TSchema): TSchema => (schema as Schema).items as TSchema;
const memberOf = (schema: TSchema, name: string): TSchema =>
  (schema as Schema).properties?.[name] as TSchema;
const oneOf = (schema: TSchema, index: number): TSchema =>
  (schema as Schema).anyOf?.[index] as TSchema;

const bodyOf = (name: string): TSchema => {
  const schema = bodySchemas[name];
  if (schema === undefined) throw new Error(`there is no body ${name}`);
  return schema;
};
const L2 = bodyOf('L2');
const L3 = bodyOf('L3');
const TopMakers = bodyOf('TopMakers');
const marketType = memberOf(L2, 'marketType');
const oracleReading = memberOf(L2, 'oracleData');
const tradeRecord = itemOf(memberOf(bodyOf('TradeRecords'), 'records'));
const historyReadiness = memberOf(bodyOf('Ready'), 'history');
const state = memberOf(L2, 'state');

type Named = ReaderSpec['type'];

/** The reader of a part, and the type of that name. */
const part = (schema: TSchema, about: string, name: string): ReaderSpec => ({
  ...{ schema, about, type: [name, about] },
});

/** The reader of what a path answers. */
const body = (name: string, path: string, type?: Named): ReaderSpec => ({
  ...{ schema: bodyOf(name), about: `The body of ${path}.` },
  ...(type === undefined ? {} : { type }),
});

/** The reader of the list that a path answers. */
const rows = (schema: TSchema, path: string, itemType: Named): ReaderSpec => ({
  ...{ schema, about: `The body of ${path}.` },
  ...(itemType === undefined ? {} : { itemType }),
});

const accountPart = (name: string): TSchema => memberOf(bodyOf('Account'), name);

/** The modules by the names of their files. */
const MODULES: Readonly<Record<string, ModuleSpec>> = {
  rows: {
    about: 'The rows of a book.',
    readers: {
      bookState: part(state, 'How fresh a book is.', 'BookState'),
      level: part(itemOf(memberOf(L2, 'bids')), 'A price level.', 'Level'),
      restingOrder: part(itemOf(memberOf(L3, 'bids')), 'An order that rests.', 'RestingOrder'),
    },
  },
  books: {
    about: 'The bodies about the book, as docs/book.md describes them.',
    imports: { rows: ['bookState', 'level', 'restingOrder'] },
    parts: { marketType, oracleReading },
    readers: {
      l2Book: body('L2', '/l2', ['L2Book', 'The book by level.']),
      l3Book: body('L3', '/l3', ['L3Book', 'The book by order.']),
      auctionsBook: body('Auctions', '/auctions', ['AuctionsBook', 'The orders in auction.']),
      matchAnswer: body('Match', '/match', [
        'MatchAnswer',
        'What an order that is sent now would get.',
      ]),
      topMakers: { schema: oneOf(TopMakers, 0), about: 'The body of /topMakers, accounts alone.' },
      topMakerAccounts: rows(oneOf(TopMakers, 1), '/topMakers with the bytes of each account', [
        'TopMakerAccount',
        "A maker's account; null where the node has none.",
      ]),
      markets: rows(bodyOf('Markets'), '/markets', ['MarketInfo', 'A market that is served.']),
    },
  },
  accounts: {
    about: 'What an account has.',
    parts: { marketType },
    readers: {
      accountOrder: part(
        itemOf(accountPart('orders')),
        'An open order with its place in the book.',
        'AccountOrder',
      ),
      perpHolding: part(itemOf(accountPart('positions')), 'A perp position.', 'PerpHolding'),
      tokenBalance: part(
        itemOf(accountPart('balances')),
        'The balance of a token.',
        'TokenBalance',
      ),
      marginSums: part(
        oneOf(accountPart('margin'), 0),
        'Collateral, requirement and health.',
        'MarginSums',
      ),
    },
  },
  candles: {
    about: 'Candles of paths and of channels.',
    readers: {
      candle: {
        schema: itemOf(bodyOf('Candles')),
        about: 'A candle; prices and volumes are decimals for people.',
        more: { lastTradeTs: 'decimal', lastFillRecordId: 'integer' },
        type: ['Candle', 'A candle.'],
      },
    },
  },
  'market-data': {
    about: 'The bodies of market data: statistics, funding rates and trades.',
    parts: { marketType },
    readers: {
      marketStats: rows(bodyOf('MarketStats'), '/stats/markets', [
        'MarketStats',
        'Statistics of a market.',
      ]),
      liquidity: rows(bodyOf('Liquidity'), '/liquidity', [
        'MarketLiquidity',
        'The spread of a market, and the depth near its mid price.',
      ]),
      liquidityHistory: body('LiquidityHistory', '/liquidity/history', [
        'LiquidityHistory',
        'The liquidity of a market over time, the oldest row first.',
      ]),
      fundingRates: rows(oneOf(bodyOf('FundingRates'), 0), '/fundingRates, newest first', [
        'FundingRate',
        'A funding rate.',
      ]),
      trades: {
        ...rows(oneOf(bodyOf('Trades'), 0), '/trades, newest first', ['Trade', 'A trade.']),
        more: { txSigIndex: 'whole' },
      },
    },
  },
  records: {
    about:
      'The bodies in the form of the Drift v2 data API: decimals as text, which are read to raw integers.',
    parts: { marketType },
    readers: {
      tradeRecord: {
        schema: tradeRecord,
        about: 'A trade.',
        type: ['TradeRecord', 'A trade with all that is known of it.'],
      },
      fundingRateRecord: {
        schema: itemOf(memberOf(bodyOf('FundingRateRecords'), 'records')),
        about: 'A funding rate.',
        type: ['FundingRateRecord', 'A funding rate with all that is known of it.'],
      },
      tradeRecords: body('TradeRecords', '/market/{symbol}/trades, newest first'),
      fundingRateRecords: body('FundingRateRecords', '/market/{symbol}/fundingRates, newest first'),
      volumes: {
        ...body('Volumes', '', ['Volumes', 'What was traded.']),
        about: 'The bodies of /stats/markets/volume.',
      },
    },
  },
  service: {
    about: 'The bodies about the service itself, as docs/status.md describes them.',
    imports: { rows: ['bookState'] },
    parts: {
      marketType,
      moment: memberOf(itemOf(memberOf(bodyOf('Journal'), 'gaps')), 'from'),
      feedState: memberOf(bodyOf('Ready'), 'state'),
      historyState: memberOf(historyReadiness, 'state'),
    },
    readers: {
      journal: body('Journal', '/journal', [
        'JournalAnswer',
        'What the journal of a service keeps.',
      ]),
      serviceStatus: body('Status', '/status', [
        'ServiceStatus',
        'The state of the feed and of every market.',
      ]),
      readyAnswer: body('Ready', '/ready', ['ReadyAnswer', 'The book is live.']),
      healthAnswer: body('Health', '/health', ['HealthAnswer', 'The process lives.']),
      versionAnswer: body('Version', '/version', ['VersionAnswer', 'What was built.']),
    },
  },
};

/** The modules of readers, by the names of their files. */
export function readerModules(): readonly (readonly [name: string, text: string])[] {
  return Object.entries(MODULES).map(([name, spec]) => [`${name}.ts`, moduleText(spec)]);
}
