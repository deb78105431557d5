/**
 * The tables by which `crates/wire` writes records, as Rust. They are written from the schemas of
 * the bodies, so that the members of a record are described once.
 */
import { READER } from '../../src/server/api/schema-parts.js';
import { bodySchemas } from '../../src/server/routes/paths.js';
import type { Schema } from './client-readers.js';

/** A table: the body that has its records, and what its schema does not say. */
interface TableSpec {
  readonly about: string;
  readonly records: (body: Schema) => Schema | undefined;
  readonly body: string;
  /** Members whose value has another name, or is none of the record: expressions of Rust. */
  readonly own?: Readonly<Record<string, string>>;
  /** The function of values that stand in another object of the record. */
  readonly within?: string;
}

const HEAD = `//! The members of records, from the schemas of their bodies in \`src/server\`, by
//! \`test/support/record-tables.ts\`. Do not edit: UPDATE_GOLDEN=1 with
//! \`test/generated-documents.test.ts\` writes this file.

use crate::order_lives::Outcome;
use crate::record_forms::How::{
    BaseFixed, BaseWhole, Decimal, Fixed, Plain, Text, TokenFixed, Whole, Word,
};
use crate::record_forms::{
    From, INDEX, MARKET, Member, SIGNATURE, SLOT, SYMBOL, TS, inside, of, order, outcome, own,
};
`;

const listed = ({ properties }: Schema): Schema | undefined => properties?.['records']?.items;

const outcomes = {
  baseAssetAmountFilled: ['Base', 'BaseFixed'],
  quoteAssetAmountFilled: ['Quote', 'Fixed(6)'],
  lastActionStatus: ['Status', 'Word'],
  lastActionExplanation: ['Explanation', 'Word'],
  lastUpdatedTs: ['UpdatedTs', 'Plain'],
  cumulativeFee: ['Fee', 'Fixed(6)'],
};

const TABLES: Readonly<Record<string, TableSpec>> = {
  TRADE_SPEC: {
    about: 'Trades in our own form.',
    body: 'Trades',
    records: ({ anyOf }) => anyOf?.[0]?.items,
  },
  TRADE_RECORD: {
    about: 'Trades in the form of the Drift v2 data API.',
    body: 'TradeRecords',
    records: listed,
    own: {
      makerRebate: 'of("makerRebate", "makerFee", Fixed(6))',
      marketFilter: 'of("marketFilter", "marketType", Word)',
    },
  },
  FUNDING_SPEC: {
    about: 'Funding rates in our own form.',
    body: 'FundingRates',
    records: ({ anyOf }) => anyOf?.[0]?.items,
    own: {
      fundingRate:
        'Member { group: "", name: "fundingRate", from: From::Fraction, how: Decimal(18) }',
      oraclePrice: 'of("oraclePrice", "oraclePriceTwap", Decimal(6))',
      markPrice: 'of("markPrice", "markPriceTwap", Decimal(6))',
    },
  },
  FUNDING_RAW: {
    about: "Funding rates with the program's integers as text.",
    body: 'FundingRates',
    records: ({ anyOf }) => anyOf?.[1]?.properties?.['fundingRates']?.items,
  },
  FUNDING_RECORD: { about: 'Funding rates.', body: 'FundingRateRecords', records: listed },
  FUNDING_PAYMENT: { about: 'Funding payments.', body: 'FundingPaymentRecords', records: listed },
  DEPOSIT: { about: 'Deposits and withdrawals.', body: 'DepositRecords', records: listed },
  SETTLE_PNL: { about: 'Settled profits and losses.', body: 'SettlePnlRecords', records: listed },
  LIQUIDATION: { about: 'Liquidations.', body: 'LiquidationRecords', records: listed },
  ORDER: {
    about: 'Placed orders, with what became of them.',
    body: 'OrderRecords',
    records: listed,
    own: {
      user: 'own("user", Word)',
      ...Object.fromEntries(
        Object.entries(outcomes).map(([name, [of, how]]) => [
          name,
          `outcome("${name}", Outcome::${of}, ${how})`,
        ]),
      ),
    },
    within: 'order',
  },
  NEW_USER: { about: 'New user accounts.', body: 'NewUserRecords', records: listed },
};

/** The members that all records have, by the names of their constants. */
const SHARED: Readonly<Record<string, string>> = {
  ts: 'TS',
  txSig: 'SIGNATURE',
  txSigIndex: 'INDEX',
  slot: 'SLOT',
  symbol: 'SYMBOL',
  marketIndex: 'MARKET',
};

/** Amounts with the decimals of the market's token, which the service may not know. */
const IN_TOKENS = ['amount', 'userTokenAmountAfter'];

/** The source text of the tables. */
export function recordTables(): string {
  return [HEAD, ...Object.entries(TABLES).map(tableText)].join('\n');
}

function tableText([name, spec]: readonly [string, TableSpec]): string {
  const record = spec.records(bodySchemas[spec.body] as Schema);
  const isSpec = name.endsWith('_SPEC');
  const rows = Object.entries(record?.properties ?? {}).flatMap(([member, schema]) => {
    const groups = Object.entries(schema.properties ?? {});
    if (groups.length === 0) return [rowOf(member, schema, { ...spec, isSpec })];
    return groups.map(
      ([one, part]) => `inside("${member}", "${one}", ${howOf(one, part, isSpec)})`,
    );
  });
  const lines = rows.map((row) => `    ${row},\n`).join('');
  return `/// ${spec.about}\npub(crate) const ${name}: &[Member] = &[\n${lines}];\n`;
}

function rowOf(
  name: string,
  schema: Schema,
  { own = {}, within = 'own', isSpec }: TableSpec & { readonly isSpec: boolean },
): string {
  const shared = within === 'own' || name !== 'marketIndex' ? SHARED[name] : undefined;
  if (shared !== undefined && (name !== 'ts' || schema.type === 'integer')) return shared;
  return own[name] ?? `${within}("${name}", ${howOf(name, schema, isSpec)})`;
}

/** How a member is written, by its schema; texts of our own form are null without a value. */
function howOf(name: string, schema: Schema, isSpec: boolean): string {
  const { type, pattern = '' } = schema as Schema & { readonly pattern?: string };
  const reader = schema[READER] ?? '';
  if (IN_TOKENS.includes(name)) return 'TokenFixed';
  if (reader.includes('writtenBase')) return 'BaseFixed';
  const places = /\{(\d+)\}/.exec(pattern)?.[1];
  if (places !== undefined) return `Fixed(${places})`;
  if (isSpec && reader === 'base') return 'BaseWhole';
  if (isSpec && reader === 'quote') return 'Whole';
  const isText = schema.enum !== undefined || [type].flat().includes('string');
  if (isText) return isSpec ? 'Text' : 'Word';
  return 'Plain';
}
