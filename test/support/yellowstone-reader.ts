import { base58 } from '@scure/base';
import { decodeUpdate, encodePing, type StreamSlot } from '../../src/rpc/grpc/messages.js';
import { MessageReader, MessageWriter } from '../../src/rpc/grpc/protobuf.js';
import { type CallEnd, openCall, type SubscribeCall } from '../../src/rpc/grpc/subscribe-call.js';
import { until } from './until.js';

/** The content of a request, by the protocol's names. */
interface WantedUpdates {
  readonly accounts?: Readonly<
    Record<string, { readonly account?: readonly string[]; readonly owner?: readonly string[] }>
  >;
  /** One filter of slots, with those that are not processed yet. */
  readonly slots?: boolean;
  /** Transactions with one of these accounts. */
  readonly transactions?: readonly string[];
  readonly blocksMeta?: boolean;
  readonly fromSlot?: number;
}

/** One write of an account. */
export interface ReadAccount {
  readonly filters: readonly string[];
  readonly pubkey: string;
  readonly slot: number;
  readonly writeVersion: number;
  readonly data: Buffer;
  readonly signature: string;
  /** When the chain reported it, unix milliseconds with fractions. */
  readonly createdAtMs: number;
}

/** One transaction, with the lines of its log. */
interface ReadTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly lines: readonly string[] | null;
}

/** A client of a Yellowstone server that keeps all that it is sent, in order. */
export class YellowstoneReader {
  readonly accounts: ReadAccount[] = [];
  readonly slots: StreamSlot[] = [];
  readonly transactions: ReadTransaction[] = [];
  readonly blocks: { slot: number; unixSeconds: number }[] = [];
  readonly pongs: number[] = [];
  /** How the stream ended. */
  end: CallEnd | null = null;
  #call: SubscribeCall | null = null;

  /** Sends a request and waits until the server has taken it, or has ended the stream. */
  static async open(url: string, wanted: WantedUpdates): Promise<YellowstoneReader> {
    const reader = new YellowstoneReader();
    reader.#call = await openCall(url, undefined, {
      onBytes: (bytes) => reader.#read(bytes),
      onEnd: (end) => {
        reader.end ??= end;
      },
    });
    reader.#call.sendRequest(encodeWanted(wanted));
    reader.#call.sendRequest(encodePing(1));
    await until('a pong', () => reader.pongs.length > 0 || reader.end !== null);
    return reader;
  }

  close(): void {
    this.#call?.close();
  }

  #read(bytes: Buffer): void {
    const update = decodeUpdate(bytes);
    if (update.kind === 'slot') this.slots.push(update);
    else if (update.kind === 'pong') this.pongs.push(update.id);
    else if (update.kind === 'account') {
      const { slot, writeVersion, data } = update;
      const pubkey = base58.encode(Buffer.from(update.pubkey, 'latin1'));
      this.accounts.push({ pubkey, slot, writeVersion, data, ...originOf(bytes) });
    } else if (update.kind === 'transaction') {
      const { slot, lines } = update;
      this.transactions.push({ signature: base58.encode(update.signature), slot, lines });
    } else this.#readBlock(bytes);
  }

  #readBlock(bytes: Buffer): void {
    const reader = new MessageReader(bytes);
    while (reader.nextField())
      if (reader.field === 7) this.blocks.push(readBlock(reader.readMessage()));
  }
}

function encodeWanted(wanted: WantedUpdates): Buffer {
  const request = new MessageWriter();
  const addFilter = (field: number, name: string, filter: MessageWriter): void => {
    request.addMessage(field, new MessageWriter().addText(1, name).addMessage(2, filter));
  };
  for (const [name, { account = [], owner = [] }] of Object.entries(wanted.accounts ?? {})) {
    const filter = new MessageWriter();
    for (const key of account) filter.addText(2, key);
    for (const key of owner) filter.addText(3, key);
    addFilter(1, name, filter);
  }
  if (wanted.slots === true) addFilter(2, 'slots', new MessageWriter().addNumber(2, true));
  if (wanted.transactions !== undefined) {
    const filter = new MessageWriter();
    for (const key of wanted.transactions) filter.addText(3, key);
    addFilter(3, 'transactions', filter);
  }
  if (wanted.blocksMeta === true) addFilter(5, 'blocks', new MessageWriter());
  if (wanted.fromSlot !== undefined) request.addNumber(11, wanted.fromSlot);
  return request.finishMessage();
}

/** The members of an account's message that the feed ignores. */
function originOf(bytes: Buffer): Pick<ReadAccount, 'filters' | 'signature' | 'createdAtMs'> {
  const filters: string[] = [];
  let signature = '';
  let createdAtMs = 0;
  const reader = new MessageReader(bytes);
  while (reader.nextField()) {
    if (reader.field === 1) filters.push(reader.readText());
    else if (reader.field === 11) createdAtMs = readTimestamp(reader.readMessage());
    else if (reader.field === 2) {
      const info = messageIn(reader.readMessage(), 1);
      while (info.nextField()) if (info.field === 8) signature = base58.encode(info.readBytes());
    }
  }
  return { filters, signature, createdAtMs };
}

function readTimestamp(reader: MessageReader): number {
  let ms = 0;
  while (reader.nextField()) {
    if (reader.field === 1) ms += reader.readNumber() * 1_000;
    else if (reader.field === 2) ms += reader.readNumber() / 1e6;
  }
  return ms;
}

function readBlock(reader: MessageReader) {
  let [slot, unixSeconds] = [0, 0];
  while (reader.nextField()) {
    if (reader.field === 1) slot = reader.readNumber();
    if (reader.field !== 4) continue;
    const time = reader.readMessage();
    while (time.nextField()) if (time.field === 1) unixSeconds = time.readNumber();
  }
  return { slot, unixSeconds };
}

function messageIn(reader: MessageReader, field: number): MessageReader {
  while (reader.nextField()) if (reader.field === field) return reader.readMessage();
  throw new Error(`the message has no field ${field}`);
}
