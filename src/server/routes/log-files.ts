/** /log: the signed log of the books as files, in the forms of C2SP tlog-tiles. */
import type { ProofSource, TileName } from '../../contract/proof-source.js';
import { ServerError } from '../transport/errors.js';
import { commonHeaders, type Header, type Reply } from '../transport/reply.js';
import type { Path, PathService, Route } from './path.js';

/** The message of a service without a signed log. */
export const NO_PROOF_TEXT = 'there is no such part of a signed log here: --signing-key keeps one';

/** The path. Its files are below it, to any depth. */
export const logFiles = {
  summary: 'The signed log of the books: checkpoint, tiles and entries of C2SP tlog-tiles',
  kind: 'service',
  body: { contentType: 'application/octet-stream' },
  below: true,
  errors: ['NO_PROOF'],
  open: logRoute,
} as const satisfies Path;

const TILE = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

function logRoute({ proofs }: PathService): Route {
  return ({ path }) => {
    const name = path.slice(path.indexOf('/log/') + '/log/'.length);
    const found = proofs === undefined ? null : replyOf(proofs, name);
    if (found !== null) return found;
    throw new ServerError('NO_PROOF', NO_PROOF_TEXT);
  };
}

function replyOf(proofs: ProofSource, name: string): Reply | null {
  if (name === 'checkpoint') return fileReply(proofs.checkpoint(), CHECKPOINT);
  const tile = tileOf(name);
  return tile === null ? null : fileReply(proofs.readTile(tile), TILES);
}

function tileOf(name: string): TileName | null {
  const [, level = '', number = '', width = '256'] = TILE.exec(name) ?? [];
  if (level === '') return null;
  const index = Number(number.replaceAll(/[x/]/g, ''));
  const isRange = Number(width) <= 256 && Number.isSafeInteger(index * 256);
  if (!isRange || (level !== 'entries' && Number(level) > LEVEL_MAX)) return null;
  return { level: level === 'entries' ? level : Number(level), index, width: Number(width) };
}

/** Levels of tiles that a log has. */
const LEVEL_MAX = 3;

/** A checkpoint is replaced each second; a tile never changes, whatever its width. */
const CHECKPOINT: readonly Header[] = [
  ['Content-Type', 'text/plain; charset=utf-8'],
  ['Cache-Control', 'no-cache'],
];
const TILES: readonly Header[] = [
  ['Content-Type', 'application/octet-stream'],
  ['Cache-Control', 'public, max-age=31536000, immutable'],
];

function fileReply(body: Uint8Array | string | null, headers: readonly Header[]): Reply | null {
  return body === null ? null : { status: 200, headers: [...headers, ...commonHeaders], body };
}
