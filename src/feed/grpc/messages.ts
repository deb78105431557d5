/**
 * The messages of Yellowstone's `geyser.Geyser/Subscribe` that a feed needs; fields that it does not need
 * are skipped. Source: geyser.proto of yellowstone-grpc-proto 14.0.1.
 */
import type { SlotStatus } from '../model/feed-source.js';
import { MessageReader, MessageWriter } from './protobuf.js';

/** The path of the one method that is called. */
export const SUBSCRIBE_PATH = '/geyser.Geyser/Subscribe';

/** What a request asks for. A later request on the same stream replaces the filters of the one before. */
export interface StreamRequest {
  /** The owner of accounts. */
  readonly owner: string;
  /** Accounts by key. */
  readonly accounts: readonly string[];
  /** The slot to replay from; null for what is new. */
  readonly fromSlot: number | null;
}

const COMMITMENT_PROCESSED = 0;

/** Encodes a request for accounts, slots with every status, and no transactions. */
export function encodeRequest({ owner, accounts, fromSlot }: StreamRequest): Buffer {
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

/** Encodes a ping, which the server returns as a pong of the same id. */
export function encodePing(id: number): Buffer {
  return new MessageWriter().addMessage(9, new MessageWriter().addNumber(1, id)).finishMessage();
}

/** By `SlotStatus` of the protocol; null for what says nothing to a book. */
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
  /** Keys of 32 bytes. */
  readonly pubkey: Buffer;
  readonly owner: Buffer;
  readonly lamports: number;
  readonly data: Buffer;
  /** Rises with each write of one node; numbers of two nodes are not comparable. */
  readonly writeVersion: number;
}

/** A message of the stream, as far as it is of use. */
export type StreamUpdate =
  | StreamAccount
  | {
      readonly kind: 'slot';
      readonly slot: number;
      readonly parent: number | null;
      readonly status: SlotStatus;
    }
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
  let pubkey: Buffer = NO_BYTES;
  let owner: Buffer = NO_BYTES;
  let data: Buffer = NO_BYTES;
  let [lamports, writeVersion] = [0, 0];
  while (info?.nextField() === true) {
    if (info.field === 1) pubkey = info.readBytes();
    else if (info.field === 2) lamports = info.readNumber();
    else if (info.field === 3) owner = info.readBytes();
    else if (info.field === 6) data = info.readBytes();
    else if (info.field === 7) writeVersion = info.readNumber();
  }
  return { kind: 'account', slot, pubkey, owner, lamports, data, writeVersion };
}

function decodeSlot(reader: MessageReader): StreamUpdate {
  let [slot, number] = [0, 0];
  let parent: number | null = null;
  while (reader.nextField()) {
    if (reader.field === 1) slot = reader.readNumber();
    else if (reader.field === 2) parent = reader.readNumber();
    else if (reader.field === 3) number = reader.readNumber();
  }
  const status = STATUSES[number] ?? null;
  return status === null ? OTHER : { kind: 'slot', slot, parent, status };
}

function decodePong(reader: MessageReader): StreamUpdate {
  let id = 0;
  while (reader.nextField()) if (reader.field === 1) id = reader.readNumber();
  return { kind: 'pong', id };
}
