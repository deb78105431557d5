import { createHash } from 'node:crypto';
import type {
  AsOfBody,
  AsOfPart,
  AsOfRead,
  AsOfReply,
  AsOfStamp,
  RefusedQuery,
} from '../../contract/as-of-source.js';
import type { MarketVersion } from '../../contract/book-source.js';
import type { Engine } from '../../engine/engine.js';
import { EngineError } from '../../engine/errors.js';
import type { JournalPlayer } from '../store/journal-player.js';

/** Bodies of a book at one moment. */
export type BookBodies = { readonly read: AsOfRead } | { readonly parts: readonly AsOfPart[] };

/** Renders the requested bodies at the player's position, with the live book's functions. */
export function renderBodies(book: JournalPlayer, bodies: BookBodies, asOf: AsOfStamp): AsOfReply {
  if ('parts' in bodies) return renderBatch(book, bodies.parts, asOf);
  const { read } = bodies;
  const market = book.findMarket(read.key)?.id;
  if (market === undefined) return { kind: 'noMarket' };
  const body = renderRead(book.engine, read, market);
  if (!(body instanceof Uint8Array)) return { kind: 'refused', error: body };
  // The body of topMakers is a list, which has no member for the stamp.
  const whole = read.path === 'topMakers' ? Buffer.from(body) : withStamp([body], asOf);
  return finishBody(whole, asOf, [book.engine.version(market)]);
}

function renderBatch(book: JournalPlayer, parts: readonly AsOfPart[], asOf: AsOfStamp): AsOfReply {
  const versions: MarketVersion[] = [];
  const texts = parts.map((part): Uint8Array => {
    if ('text' in part) return Buffer.from(part.text);
    const market = book.findMarket(part.read.key)?.id;
    if (market === undefined) return Buffer.from(part.absent);
    versions.push(book.engine.version(market));
    const body = renderRead(book.engine, part.read, market);
    if (!(body instanceof Uint8Array))
      throw new Error('Invariant: books of a batch are not refused');
    // The engine reuses the buffer for its next body.
    return Uint8Array.from(body);
  });
  const joined = texts.flatMap((text, at) => (at === 0 ? [text] : [Buffer.from(','), text]));
  const list = [Buffer.from('{"l2s":['), ...joined, Buffer.from(']}')];
  return finishBody(withStamp(list, asOf), asOf, versions);
}

function renderRead(engine: Engine, read: AsOfRead, market: number): Uint8Array | RefusedQuery {
  switch (read.path) {
    case 'l2':
      return engine.l2({ ...read.request, market });
    case 'l3':
      return engine.l3({ ...read.request, market });
    case 'auctions':
      return engine.auctions({ market });
    case 'topMakers':
      return Buffer.from(JSON.stringify(engine.topMakers({ ...read.request, market })));
    case 'match':
      return refusable(() => engine.match({ ...read.request, market }));
  }
}

function refusable(render: () => Uint8Array): Uint8Array | RefusedQuery {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, message, context } = error;
    const param = context['param'];
    return { code, message, param: typeof param === 'string' ? param : null };
  }
}

/** Returns the pieces of a JSON object with the stamp as an additional last member. */
function withStamp(pieces: readonly Uint8Array[], { epoch, slot, ts }: AsOfStamp): Buffer {
  const open = Buffer.concat(pieces);
  const stamp = JSON.stringify({ epoch, slot, ts });
  return Buffer.concat([open.subarray(0, open.length - 1), Buffer.from(`,"asOf":${stamp}}`)]);
}

/** Returns the body of a reply, a separate buffer with its hash. */
export function finishBody(
  whole: Buffer,
  asOf: AsOfStamp,
  versions: readonly MarketVersion[],
): AsOfBody {
  // A separate buffer, because it is transferred.
  const body = new Uint8Array(whole);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, HASH_CHARS);
  return { kind: 'body', body, hash, asOf, versions, isFinal: true };
}

/** 22 characters are 128 bits: collisions do not occur by chance. */
const HASH_CHARS = 22;
