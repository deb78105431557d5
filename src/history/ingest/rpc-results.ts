/** Parsers of a node's results about signatures and transactions. */

import { RpcError } from '../../rpc/error.js';
import { HistoryError } from '../model/error.js';
import { ROW_CHARS_MAX, TS_MAX } from '../model/limits.js';
import { decodeBase58 } from '../store/base58.js';

/** One row of getSignaturesForAddress. */
export interface ListedSignature {
  readonly signature: string;
  readonly slot: number;
  /** A failed transaction changed nothing and has no events. */
  readonly failed: boolean;
  /** Block time in unix seconds; null when the node does not know it. */
  readonly blockTime: number | null;
}

/** A transaction with its position among the program's transactions of its slot. */
export interface PlacedSignature extends ListedSignature {
  readonly place: number;
}

/** One page of getSignaturesForAddress. */
export interface SignaturePage {
  /** Newest first, as listed by the node. */
  readonly rows: readonly ListedSignature[];
  /** The texts of unreadable rows, truncated. */
  readonly unreadable: readonly string[];
}

/** The log of one transaction. */
export interface TransactionLog {
  readonly slot: number;
  readonly failed: boolean;
  /** Null where the node keeps no logs. */
  readonly lines: readonly string[] | null;
}

/** One notification of logsSubscribe. */
export interface LogsNotification extends TransactionLog {
  readonly signature: string;
}

const SIGNATURE_BYTES = 64;
/** The largest slot that fits into the six bytes of a cursor, which last three million years. */
const SLOT_MAX = 2 ** 48 - 1;
/** Maximum base58 length of a 64-byte signature. */
const SIGNATURE_CHARS_MAX = 88;

/** Parses the result of getSignaturesForAddress; an unreadable row does not affect the others. */
export function parseSignatures(result: unknown): SignaturePage {
  if (!Array.isArray(result)) throw malformedError('getSignaturesForAddress', 'a list');
  const rows: ListedSignature[] = [];
  const unreadable: string[] = [];
  for (const row of result) {
    try {
      rows.push(listedSignatureOf(row));
    } catch {
      unreadable.push(textOfRow(row));
    }
  }
  return { rows, unreadable };
}

/** Returns a text that is equal for the confirmed and the finalised listing of a row. */
function textOfRow(row: unknown): string {
  const text = JSON.stringify(row, (name, value: unknown) =>
    name === 'confirmationStatus' ? undefined : value,
  );
  return text.slice(0, ROW_CHARS_MAX);
}

function listedSignatureOf(row: unknown): ListedSignature {
  const { signature, slot, err, blockTime } = recordOf(row, 'getSignaturesForAddress');
  return {
    signature: signatureOf(signature),
    slot: slotOf(slot),
    failed: err !== null && err !== undefined,
    blockTime: parseBlockTime(blockTime),
  };
}

/** Parses the result of getTransaction; null when the node does not have the transaction. */
export function parseTransaction(result: unknown): TransactionLog | null {
  if (result === null) return null;
  const { slot, meta } = recordOf(result, 'getTransaction');
  const { err, logMessages } = recordOf(meta ?? {}, 'getTransaction');
  return {
    slot: slotOf(slot),
    failed: err !== null && err !== undefined,
    lines: logMessages === null || logMessages === undefined ? null : linesOf(logMessages),
  };
}

/** Parses the result of a logsNotification. */
export function parseLogsNotification(result: unknown): LogsNotification {
  const { context, value } = recordOf(result, 'logsNotification');
  const { slot } = recordOf(context, 'logsNotification');
  const { signature, err, logs } = recordOf(value, 'logsNotification');
  return {
    signature: signatureOf(signature),
    slot: slotOf(slot),
    failed: err !== null && err !== undefined,
    lines: logs === null || logs === undefined ? null : linesOf(logs),
  };
}

/** Reads a slot. */
export function parseSlot(result: unknown): number {
  return slotOf(result);
}

/** Parses a block time: unix seconds, or null when the node does not know it, or it is impossible. */
export function parseBlockTime(value: unknown): number | null {
  const isTime = typeof value === 'number' && Number.isInteger(value) && value > 0;
  return isTime && value <= TS_MAX ? value : null;
}

/**
 * Parses the result of getSignatureStatuses for one signature: its slot; null unless the node knows
 * the transaction as final.
 */
export function parseFinalSlot(result: unknown): number | null {
  const { value } = recordOf(result, 'getSignatureStatuses');
  const [status]: readonly unknown[] = Array.isArray(value) ? value : [null];
  if (status === null) return null;
  const { slot, confirmationStatus } = recordOf(status, 'getSignatureStatuses');
  const isFinal = confirmationStatus === undefined || confirmationStatus === 'finalized';
  return isFinal ? slotOf(slot) : null;
}

/** Parses the result of getSignatureStatuses: for each signature, whether the node knows it. */
export function parseKnown(result: unknown): readonly boolean[] {
  const { value } = recordOf(result, 'getSignatureStatuses');
  if (!Array.isArray(value)) throw malformedError('getSignatureStatuses', 'a list');
  return value.map((status) => status !== null);
}

function recordOf(value: unknown, method: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw malformedError(method, 'an object');
}

function signatureOf(value: unknown): string {
  const isText = typeof value === 'string' && value.length <= SIGNATURE_CHARS_MAX;
  if (isText && decodeBase58(value, SIGNATURE_BYTES) !== null) return value;
  throw malformedError('a signature', 'base58 of 64 bytes');
}

function slotOf(value: unknown): number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  if (isWhole && value <= SLOT_MAX) return value;
  throw malformedError('a slot', `a whole number of at most ${SLOT_MAX}`);
}

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
  throw malformedError('a log', 'a list of texts');
}

/** The error for a malformed response. */
export function malformedError(what: string, wanted: string): HistoryError {
  const message = `answer about ${what} was unreadable, must be ${wanted}`;
  return new HistoryError('MALFORMED_HISTORY_ANSWER', message, { what });
}

/** Returns whether an error is the fault of a node, and not of the store or this program. */
export function isNodeFailure(error: unknown): error is Error {
  if (error instanceof RpcError) return error.code !== 'RPC_ABORTED';
  return error instanceof HistoryError && error.code === 'MALFORMED_HISTORY_ANSWER';
}
