/** Every code that a log or an answer can carry is in docs/codes.md or with its paths, where an operator looks it up. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const docs = ['codes', 'api', 'book', 'auctions', 'match', 'websocket', 'quotes']
  .map((name) => read(`docs/${name}.md`))
  .join('\n');

test.each([
  ['src/app/live-book.ts', /LiveBookErrorCode =([^;]+);/, 2],
  ['src/config/config-error.ts', /CodedError<([^>]+)>/, 3],
  ['src/rpc/error.ts', /RpcErrorCode =([^;]+);/, 12],
  ['src/feed/model/error.ts', /FeedErrorCode =([^;]+);/, 10],
  ['src/history/model/error.ts', /HistoryErrorCode =([^;]+);/, 6],
  ['src/history/store/error.ts', /CodedError<([^>]+)>/, 1],
  ['src/journal/model/error.ts', /JournalErrorCode =([^;]+);/, 9],
  ['src/venues/error.ts', /VenueErrorCode =([^;]+);/, 10],
  ['src/verify/error.ts', /VerifyErrorCode =([^;]+);/, 6],
  ['src/follow/follow-options.ts', /FollowErrorCode =([^;]+);/, 4],
  ['src/shadow/shadow-options.ts', /ShadowErrorCode =([^;]+);/, 2],
  ['src/load/load-options.ts', /LoadErrorCode =([^;]+);/, 2],
  ['src/client/error.ts', /ClientErrorCode =([^;]+);/, 7],
  ['src/match/match-options.ts', /MatchErrorCode =([^;]+);/, 4],
  ['src/engine/errors.ts', /EngineErrorCode =([^;]+);/, 13],
  ['src/sim/sim-error.ts', /SimErrorCode =([^;]+);/, 5],
  ['src/contract/error-codes.ts', /ERROR_CODES = {([\s\S]+?)\n}/, 19],
  ['crates/core/src/problem.rs', /fn code([\s\S]+?)fn message/, 7],
])('the codes of %s', (path, list, countMin) => {
  const codes = list.exec(read(path))?.[1]?.match(/\b[A-Z]+_[A-Z0-9_]+\b|\bINTERNAL\b/g) ?? [];
  expect(codes.length).toBeGreaterThanOrEqual(countMin);
  expect(codes.filter((code) => !docs.includes(`\`${code}\``))).toEqual([]);
});

test.each([
  ['crates/book/src/model/market.rs', /impl EmptyReason([\s\S]+?)\n}/, 6],
  ['crates/matching/src/fill.rs', /impl Reason([\s\S]+?)\n}/, 8],
  ['crates/book/src/model/market.rs', /impl OffsetExclusion([\s\S]+?)\n}/, 2],
])('the reasons of %s', (path, list, countMin) => {
  const reasons = list.exec(read(path))?.[1]?.match(/"[a-zA-Z]+"/g) ?? [];
  expect(reasons.length).toBeGreaterThanOrEqual(countMin);
  expect(reasons.filter((reason) => !docs.includes(`\`${reason.slice(1, -1)}\``))).toEqual([]);
});

test('a code that is in use no longer is not used again', () => {
  const [, gone = ''] = /\nNo longer in use, [^:]+: ([\s\S]+?)\n\n/.exec(docs) ?? [];
  const codes = [...gone.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code ?? '');
  expect(codes.length).toBe(8);
  const listed = ['src/feed/model/error.ts', 'src/engine/errors.ts', 'src/journal/model/error.ts']
    .map(read)
    .join('\n');
  expect(codes.filter((code) => listed.includes(`'${code}'`))).toEqual([]);
});
