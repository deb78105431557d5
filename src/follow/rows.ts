/** The rows of a side: levels by price, or orders by maker and id. */
import { Breach } from './breach.js';
import { amountOf, Members } from './members.js';

/** A level, or an order. */
export interface Row {
  /** What tells it from all others of its side. */
  readonly key: string;
  /** At 1e6. */
  readonly price: bigint;
  /** At 1e9. */
  readonly size: bigint;
  /** Base ahead of an order at its price; 0 for a level. */
  readonly queue: bigint;
  /** As it came. */
  readonly sent: unknown;
}

/** Reads `[price, size, {source: size}]`; a size of 0 is one that goes. */
export function levelOf(sent: unknown): Row {
  if (!Array.isArray(sent) || sent.length !== 3) {
    throw new Breach('malformed', 'a level is not [price, size, sources]');
  }
  const row = bestOf(sent.slice(0, 2));
  const sources = Members.of(sent[2], 'the sources of a level');
  let sum = 0n;
  for (const name of Object.keys(sent[2] as object)) sum += sources.amount(name);
  if (sum !== row.size) {
    throw new Breach('malformed', `the sources of ${row.key} are ${sum}, not ${row.size}`);
  }
  return { ...row, sent };
}

/** Reads `[price, size]`. */
export function bestOf(sent: unknown): Row {
  if (!Array.isArray(sent) || sent.length !== 2) {
    throw new Breach('malformed', 'a best level is not [price, size]');
  }
  const price = amountOf(sent[0], 'a price');
  return { key: `${price}`, price, size: amountOf(sent[1], 'a size'), queue: 0n, sent };
}

/** Reads an order as /l3 shows it. */
export function orderOf(sent: unknown): Row {
  const order = Members.of(sent, 'an order');
  for (const name of ['slot', 'maxTs']) order.count(name);
  for (const name of ['reduceOnly', 'postOnly', 'signedMsg']) order.flag(name);
  if (!/^-?\d+$/.test(order.text('oraclePriceOffset'))) {
    throw new Breach('malformed', 'an oraclePriceOffset is no whole number');
  }
  return {
    key: orderKey(order.text('maker'), order.count('orderId')),
    price: order.amount('price'),
    size: order.amount('size'),
    queue: order.amount('queue'),
    sent,
  };
}

/** Reads `[maker, orderId]`. */
export function orderNameOf(sent: unknown): string {
  if (Array.isArray(sent) && sent.length === 2) {
    const [maker, orderId] = sent as readonly unknown[];
    if (typeof maker === 'string' && typeof orderId === 'number') return orderKey(maker, orderId);
  }
  throw new Breach('malformed', 'an order to remove is not [maker, orderId]');
}

function orderKey(maker: string, orderId: number): string {
  return `${maker} ${orderId}`;
}
