/** Rows as frames write them, read without trust: what is none throws, and the frame is malformed. */
import { type Base, parseRaw, rawBase, rawPrice } from '../amounts.js';
import { type RestingOrder, restingOrder } from '../row-shapes.js';
import type { PlacedRow } from './side.js';
import type { Best, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** Reads one row of a channel. */
export type RowReader = (sent: unknown) => PlacedRow<Best>;

/** `[price, size, {source: size}]`, or `[price, size]` of a best price. */
export function readLevel(sent: unknown): PlacedRow<Best> {
  const [price, size, sources] = sent as readonly [string, string, object?];
  const row = { price: rawPrice(parseRaw(price)), size: rawBase(parseRaw(size)) };
  const shown =
    sources === undefined ? row : { ...row, sources: sourcesOf(sources, size, row.size) };
  return { key: price, price: row.price, queue: 0n, text: `${price}:${size}`, row: shown };
}

/** An order as /l3 has it. */
export function readOrder(sent: unknown): PlacedRow<Best> {
  const row: RestingOrder = restingOrder(sent, 'order');
  const { maker, orderId, price, size, queue } = row;
  return { key: orderKey(maker, orderId), price, queue, text: `${price}:${size}`, row };
}

/** The key of `[maker, orderId]`. */
export function readOrderKey(sent: unknown): string {
  const [maker, orderId] = sent as readonly [string, number];
  return orderKey(maker, orderId);
}

/** The reader of a channel's rows. */
export function rowReaderOf({ channel }: Topic): RowReader {
  return channel === 'l3' ? readOrder : readLevel;
}

/** A list of a frame. */
export function listOf(sent: unknown): readonly unknown[] {
  if (Array.isArray(sent)) return sent;
  throw new ProtocolViolation('malformed', 'a frame lacks a list of rows');
}

function orderKey(maker: string, orderId: number): string {
  return `${maker} ${orderId}`;
}

/** Most levels have one source, whose size is theirs: it is not read twice. */
function sourcesOf(sent: object, sizeText: string, size: Base): Readonly<Record<string, Base>> {
  const sources: Record<string, Base> = {};
  for (const [name, one] of Object.entries(sent)) {
    sources[name] = one === sizeText ? size : rawBase(parseRaw(one));
  }
  return sources;
}
