/** The rows of /l2 and /l3 as readers of streams have them. */
import type { OrderRow } from './model-book.js';
import type { StreamRequest } from './stream-follower.js';

type BodyRow = OrderRow & { readonly sources: Record<string, string> };

/** The members of an /l2 or /l3 body that tests read. */
interface Body {
  readonly bids: readonly BodyRow[];
  readonly asks: readonly BodyRow[];
}

/** The rows of a body as a reader of the channel has them. */
export function rowsOf(channel: StreamRequest['channel'], { bids, asks }: Body): string {
  if (channel === 'l3') return JSON.stringify([bids, asks]);
  const rows = (side: readonly BodyRow[]) =>
    side.map(({ price, size, sources }) => [price, size, channel === 'bbo' ? {} : sources]);
  return JSON.stringify([rows(bids), rows(asks)]);
}
