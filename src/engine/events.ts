/** Finds the program's records in transaction logs, and renders stored ones. */
import {
  type NamedMarket,
  LogDecoder as NativeDecoder,
  type RecordHead,
  type RecordParty,
  readRecords,
  renderRecords,
  type StoredRecord,
} from '@slotbook/core/native';
import type { ProgramName } from '../contract/program.js';
import { EngineError } from './errors.js';

/** The kinds of records; the index of a kind is its number. `crates/protocol` describes each. */
export const RECORD_KINDS = [
  'other',
  'trade',
  'transfer',
  'orderAction',
  'order',
  'fundingRate',
  'fundingPayment',
  'deposit',
  'settlePnl',
  'liquidation',
  'newUser',
  'deletedUser',
] as const;

/** The kind of a record. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/**
 * What a fill adds to candles, as logged: base of perp markets at 1e9, of spot markets in the
 * token's decimals, quote and prices at 1e6.
 */
export interface FillAmounts {
  readonly ts: number;
  /** The fill's number in its market, without gaps. */
  readonly id: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly oracle: bigint;
}

/** A record as the program logged it, and its keys. */
export interface LoggedRecord {
  readonly kind: RecordKind;
  /** Position among the program's events in the transaction, from 0. */
  readonly index: number;
  /** The chain's time, unix seconds. */
  readonly ts: number;
  /** Twice the index of its market, plus one for spot; -1 without one. */
  readonly market: number;
  /** The program's number of the record; null for kinds without one. */
  readonly id: bigint | null;
  readonly parties: readonly RecordParty[];
  /** Of trades and transfers. */
  readonly fill: FillAmounts | null;
  /** Of a funding rate: the fraction of the price per hour, at 1e18. */
  readonly fraction: bigint | null;
  readonly bytes: Uint8Array;
}

/** What one transaction's logs say about users. */
export interface LoggedUsers {
  /** User accounts that the program wrote and names: owners of orders, depositors, liquidators. */
  readonly users: readonly string[];
  /** Whether the logs may name more users: they were truncated, or have unreadable events. */
  readonly isPartial: boolean;
}

/** The records in one transaction's logs. */
export interface LogEvents extends LoggedUsers {
  /** In the order of the logs. */
  readonly records: readonly LoggedRecord[];
  /** Events that could not be decoded: truncated, or with invalid values. */
  readonly unreadable: number;
}

/** Decodes the program's events in transaction logs. It may be used on any thread. */
export class LogDecoder {
  readonly #native: NativeDecoder;

  /**
   * `programId` is the program's key (base58), `program` the one whose records it logs, by default that of the key.
   * Throws an {@link EngineError}: INVALID_PROGRAM_ID.
   */
  constructor(programId: string, program?: ProgramName) {
    try {
      this.#native = new NativeDecoder(programId, program);
    } catch (error) {
      const message = `program was "${programId}", must be 32 bytes in base58`;
      throw new EngineError('INVALID_PROGRAM_ID', message, { program: programId, cause: error });
    }
  }

  /**
   * Decodes the log lines of one transaction, as the RPC node returns them. The transaction must
   * have succeeded: the runtime also logs the events of a failed transaction, but their changes
   * were rolled back.
   */
  decode(lines: readonly string[]): LogEvents {
    // The addon's type declares a mutable array, but the addon only reads the array.
    const log = this.#native.decode(lines as string[]);
    const { bytes, unreadable, users } = log;
    const records = log.records.map((head) => recordOf(head, bytes));
    return { records, users, unreadable, isPartial: unreadable > 0 || log.isTruncated };
  }
}

/** Reads stored records again. Throws when the core cannot read one. */
export function readLogged(
  program: ProgramName,
  records: readonly Uint8Array[],
): readonly LoggedRecord[] {
  const heads = readRecords(program, records as Uint8Array[]);
  return heads.map((head, at) => recordOf(head, records[at] ?? new Uint8Array()));
}

/** Times beyond every calendar are those of its end, which a number holds. */
const TS_BOUND = Number.MAX_SAFE_INTEGER;

function recordOf(head: RecordHead, bytes: Uint8Array): LoggedRecord {
  const { id = null, base, quote, oracle } = head;
  const ts = Math.min(Math.max(head.ts, -TS_BOUND), TS_BOUND);
  const isFill = id !== null && base !== undefined && quote !== undefined && oracle !== undefined;
  return {
    kind: RECORD_KINDS[head.kind] ?? 'other',
    index: head.index,
    ts,
    market: head.market,
    id,
    parties: head.parties,
    fill: isFill ? { ts, id, base, quote, oracle } : null,
    fraction: head.fraction ?? null,
    bytes: bytes.subarray(head.start, head.end),
  };
}

/** How records are rendered. */
export interface RecordRendering {
  /** The program of the records. */
  readonly program: ProgramName;
  /**
   * The format of JSON: slotbook's, the Drift v2 data API's, that of its placed orders (with the
   * actions on them before them, oldest first), that of its older paths, of the market
   * data stream, of the compatible channel; or the name of a record, whose members are columns of
   * CSV.
   */
  readonly form: 'spec' | 'records' | 'orders' | 'named' | 'stream' | 'channel' | `${string}Record`;
  /** The markets of the records, by `code` as in `LoggedRecord.market`. */
  readonly markets: readonly Readonly<NamedMarket>[];
  /** The account whose records these are, which is added to each. */
  readonly user?: string | undefined;
}

/**
 * Renders records as JSON objects separated by commas, or as CSV with a line of names. Throws when
 * the core cannot read one.
 */
export function renderLogged(
  records: readonly Readonly<StoredRecord>[],
  { program, form, markets, user }: RecordRendering,
): Buffer {
  return renderRecords(program, form, records as never, markets as never, user);
}
