/** The server's half of the messages of Yellowstone: requests read, updates written. */
import { base58 } from '@scure/base';
import type { SlotStatus } from '../../src/rpc/grpc/messages.js';
import { MessageReader, MessageWriter } from '../../src/rpc/grpc/protobuf.js';

/** Decodes a SubscribeRequest. */
export function readRequest(bytes: Buffer) {
  const request = new MessageReader(bytes);
  const [owners, keys]: [string[], string[]] = [[], []];
  let fromSlot: number | null = null;
  let ping: number | null = null;
  while (request.nextField()) {
    if (request.field === 1) readFilter(request.readMessage(), owners, keys);
    else if (request.field === 11) fromSlot = request.readNumber();
    else if (request.field === 9) {
      const message = request.readMessage();
      while (message.nextField()) if (message.field === 1) ping = message.readNumber();
    }
  }
  return { owners, keys, fromSlot, ping };
}

function readFilter(entry: MessageReader, owners: string[], keys: string[]): void {
  while (entry.nextField()) {
    if (entry.field !== 2) continue;
    const filter = entry.readMessage();
    while (filter.nextField()) {
      if (filter.field === 2) keys.push(filter.readText());
      else if (filter.field === 3) owners.push(filter.readText());
    }
  }
}

/** An account as the SubscribeUpdate of Yellowstone. */
export function encodeAccount(account: {
  readonly pubkey: string;
  readonly owner: string;
  readonly slot: number;
  readonly version: number;
  readonly bytes: Buffer | null;
}): Buffer {
  const info = new MessageWriter()
    .addBytes(1, base58.decode(account.pubkey))
    .addNumber(2, account.bytes === null ? 0 : 1)
    .addBytes(3, base58.decode(account.owner))
    .addBytes(6, account.bytes ?? Buffer.alloc(0))
    .addNumber(7, account.version);
  const message = new MessageWriter().addMessage(1, info).addNumber(2, account.slot);
  return new MessageWriter().addText(1, 'program').addMessage(2, message).finishMessage();
}

const STATUS_NUMBERS: Readonly<Record<SlotStatus, number>> = {
  processed: 0,
  confirmed: 1,
  finalized: 2,
  begun: 5,
  dead: 6,
};

/** Encodes a slot's status as Yellowstone's SubscribeUpdate. */
export function encodeSlot(notified: {
  readonly slot: number;
  readonly parent: number | null;
  readonly status: SlotStatus;
}): Buffer {
  const { slot, parent, status } = notified;
  const writer = new MessageWriter().addNumber(1, slot);
  if (parent !== null) writer.addNumber(2, parent);
  writer.addNumber(3, STATUS_NUMBERS[status]);
  return new MessageWriter().addText(1, 'slots').addMessage(3, writer).finishMessage();
}

/** The pong of a ping. */
export function encodePong(id: number): Buffer {
  return new MessageWriter().addMessage(9, new MessageWriter().addNumber(1, id)).finishMessage();
}
