/**
 * Codecs for the messages of Yellowstone's `geyser.Geyser/Subscribe` that a book and its history
 * need; other fields are skipped. Source: geyser.proto and solana-storage.proto of
 * yellowstone-grpc-proto 14.0.1.
 */
import { MessageReader, MessageWriter } from './protobuf.js';

/** The path of the method. */
export const SUBSCRIBE_PATH = '/geyser.Geyser/Subscribe';

/** The filters of a request. A later request on the same stream replaces them. */
export interface SubscribeRequest {
  readonly owner: string;
  readonly accounts: readonly string[];
  /** The slot from which to replay; null to start at the present. */
  readonly fromSlot: number | null;
}

/** The filters of a request for transactions. */
interface TransactionsRequest {
  readonly program: string;
  /** The slot from which to replay; null to start at the present. */
  readonly fromSlot: number | null;
}

const COMMITMENT_PROCESSED = 0;
const COMMITMENT_CONFIRMED = 1;

/** Encodes a request for accounts, slots with every status, and no transactions. */
export function encodeRequest({ owner, accounts, fromSlot }: SubscribeRequest): Buffer {
  const program = new MessageWriter().addText(3, owner);
  const keys = new MessageWriter();
  for (const key of accounts) keys.addText(2, key);
  const slots = new MessageWriter().addNumber(1, false).addNumber(2, true);
  const request = new MessageWriter()
    .addMessage(1, new MessageWriter().addText(1, 'program').addMessage(2, program))
    .addMessage(1, new MessageWriter().addText(1, 'keys').addMessage(2, keys))
    .addMessage(2, new MessageWriter().addText(1, 'slots').addMessage(2, slots))
    .addNumber(6, COMMITMENT_PROCESSED);
  if (fromSlot !== null) request.addNumber(11, fromSlot);
  return request.finishMessage();
}

/** Encodes a request for the successful transactions of confirmed slots, and for these slots. */
export function encodeTransactionsRequest({ program, fromSlot }: TransactionsRequest): Buffer {
  const went = new MessageWriter().addNumber(1, false).addNumber(2, false).addText(3, program);
  const slots = new MessageWriter().addNumber(1, true);
  const request = new MessageWriter()
    .addMessage(2, new MessageWriter().addText(1, 'slots').addMessage(2, slots))
    .addMessage(3, new MessageWriter().addText(1, 'program').addMessage(2, went))
    .addNumber(6, COMMITMENT_CONFIRMED);
  if (fromSlot !== null) request.addNumber(11, fromSlot);
  return request.finishMessage();
}

/** Encodes a ping; the server replies with a pong of the same id. */
export function encodePing(id: number): Buffer {
  return new MessageWriter().addMessage(9, new MessageWriter().addNumber(1, id)).finishMessage();
}

/**
 * The status of a slot. `begun` means that its first write may follow, and that the writes of the
 * previous slot are complete.
 */
export type SlotStatus = 'begun' | 'processed' | 'confirmed' | 'finalized' | 'dead';

/** The statuses by the protocol's `SlotStatus`; null for irrelevant ones. */
const STATUSES: readonly (SlotStatus | null)[] = [
  'processed',
  'confirmed',
  'finalized',
  null,
  null,
  'begun',
  'dead',
];

/** One write of one account. */
export interface StreamAccount {
  readonly kind: 'account';
  readonly slot: number;
  /** Keys of 32 bytes as Latin-1 text, one character for each byte. */
  readonly pubkey: string;
  readonly owner: string;
  readonly lamports: number;
  readonly data: Buffer;
  /** Grows with each write of one node; versions of two nodes are not comparable. */
  readonly writeVersion: number;
}

/** The status of a slot. */
export interface StreamSlot {
  readonly kind: 'slot';
  readonly slot: number;
  readonly parent: number | null;
  readonly status: SlotStatus;
}

/** One transaction. */
interface StreamTransaction {
  readonly kind: 'transaction';
  readonly slot: number;
  /** 64 bytes. */
  readonly signature: Buffer;
  readonly failed: boolean;
  /** The lines of the transaction's log; null when the node stores none. */
  readonly lines: readonly string[] | null;
}

/** The content of a stream. */
export type StreamContent = StreamAccount | StreamSlot | StreamTransaction;

/** A decoded message of the stream. */
export type StreamUpdate =
  | StreamContent
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong'; readonly id: number }
  | { readonly kind: 'other' };

const OTHER: StreamUpdate = { kind: 'other' };
const NO_BYTES = Buffer.alloc(0);

/**
 * Decodes a SubscribeUpdate.
 *
 * # Errors
 * MALFORMED_STREAM_MESSAGE.
 */
export function decodeUpdate(bytes: Buffer): StreamUpdate {
  const reader = new MessageReader(bytes);
  let update = OTHER;
  while (reader.nextField()) {
    if (reader.field === 2) update = decodeAccount(reader.readMessage());
    else if (reader.field === 3) update = decodeSlot(reader.readMessage());
    else if (reader.field === 4) update = decodeTransaction(reader.readMessage());
    else if (reader.field === 6) update = { kind: 'ping' };
    else if (reader.field === 9) update = decodePong(reader.readMessage());
  }
  return update;
}

function decodeAccount(reader: MessageReader): StreamAccount {
  let slot = 0;
  let info: MessageReader | null = null;
  while (reader.nextField()) {
    if (reader.field === 1) info = reader.readMessage();
    else if (reader.field === 2) slot = reader.readNumber();
  }
  let pubkey = '';
  let owner = '';
  let data: Buffer = NO_BYTES;
  let lamports = 0;
  let writeVersion = 0;
  while (info?.nextField() === true) {
    if (info.field === 1) pubkey = info.readLatin1();
    else if (info.field === 2) lamports = info.readNumber();
    else if (info.field === 3) owner = info.readLatin1();
    else if (info.field === 6) data = info.readBytes();
    else if (info.field === 7) writeVersion = info.readNumber();
  }
  return { kind: 'account', slot, pubkey, owner, lamports, data, writeVersion };
}

function decodeSlot(reader: MessageReader): StreamUpdate {
  let slot = 0;
  let number = 0;
  let parent: number | null = null;
  while (reader.nextField()) {
    if (reader.field === 1) slot = reader.readNumber();
    else if (reader.field === 2) parent = reader.readNumber();
    else if (reader.field === 3) number = reader.readNumber();
  }
  const status = STATUSES[number] ?? null;
  return status === null ? OTHER : { kind: 'slot', slot, parent, status };
}

function decodeTransaction(reader: MessageReader): StreamTransaction {
  let slot = 0;
  let signature: Buffer = NO_BYTES;
  let meta: TransactionMeta = { failed: false, lines: null };
  while (reader.nextField()) {
    if (reader.field === 2) slot = reader.readNumber();
    if (reader.field !== 1) continue;
    const info = reader.readMessage();
    while (info.nextField()) {
      if (info.field === 1) signature = info.readBytes();
      else if (info.field === 4) meta = decodeMeta(info.readMessage());
    }
  }
  return { kind: 'transaction', slot, signature, ...meta };
}

type TransactionMeta = Pick<StreamTransaction, 'failed' | 'lines'>;

function decodeMeta(reader: MessageReader): TransactionMeta {
  const lines: string[] = [];
  let failed = false;
  let hasNoLog = false;
  while (reader.nextField()) {
    if (reader.field === 1) failed = true;
    else if (reader.field === 6) lines.push(reader.readText());
    else if (reader.field === 11) hasNoLog = reader.readNumber() !== 0;
  }
  return { failed, lines: hasNoLog ? null : lines };
}

function decodePong(reader: MessageReader): StreamUpdate {
  let id = 0;
  while (reader.nextField()) if (reader.field === 1) id = reader.readNumber();
  return { kind: 'pong', id };
}
