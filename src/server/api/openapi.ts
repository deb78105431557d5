/**
 * /openapi.json: an OpenAPI 3.1 document, generated from the path specifications and from the
 * schemas that validate requests.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { BuildInfo } from '../../config/build-info.js';
import { LIMITS } from '../../config/limits.js';
import { type ErrorCode, statusOf } from '../../contract/error-codes.js';
import { componentsOf, describeSchema } from './api-schemas.js';
import { momentParams } from './moment-params.js';
import { formatOf } from './param-parts.js';
import { type PathSpec, prefixesOf } from './path-spec.js';

type Json = Readonly<Record<string, unknown>>;

/** One operation of a path. */
export type Operation = ReturnType<typeof describeOperation>;

/** A parameter in the query, or in the path when the path has its name in braces. */
interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly example?: string;
  readonly style?: 'form';
  readonly explode?: false;
}

/** What a status means. */
export interface ResponseSpec {
  readonly description: string;
  readonly headers: Json;
  readonly content?: Json;
}

/** The description of an interface. */
export type ApiDescription = ReturnType<typeof describeApi>;

/** Errors that every path can return; RATE_LIMITED is missing on paths without a limit. */
const commonErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'METHOD_NOT_ALLOWED',
  'TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
];

const about =
  'Prices are integers at 1e6 and sizes integers at 1e9, both written as text. Every path is ' +
  'also served under /v1, the paths of the book under /dlob and those of the history under /data, as ' +
  'x-prefixes say. The history of ' +
  'trades and funding rates is in numbers: raw integers, or decimals where the schema says so. HEAD returns ' +
  'the headers of GET, OPTIONS a 204 for a preflight. Unknown parameters are ignored; a ' +
  'flag is `true` or `false` in any case, and with x-any-text false for any other text. Any other path is a 404 with ' +
  'the code UNKNOWN_PATH; one of the history, where none is kept, a 404 with the code NO_HISTORY; ' +
  '/journal likewise NO_JOURNAL.';

/** The served paths by name, and the JSON bodies by name. */
interface DescribedPaths {
  readonly paths: Readonly<Record<string, PathSpec>>;
  readonly bodies: Readonly<Record<string, TSchema>>;
}

/** Describes the paths that are served. */
export function describeApi(build: BuildInfo, { paths, bodies }: DescribedPaths) {
  return {
    openapi: '3.1.0',
    info: { title: build.name, version: build.version, description: about },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      Object.entries(paths).map(([name, spec]) => {
        // No `servers`, which generated clients take for hosts.
        const prefixes = { 'x-prefixes': prefixesOf[spec.kind] };
        return [name, { ...prefixes, get: describeOperation(name, spec) }];
      }),
    ),
    components: { schemas: componentsOf(bodies), headers },
  };
}

function describeOperation(path: string, spec: PathSpec) {
  const { summary, kind, binary = false } = spec;
  return {
    operationId: operationIdOf(path),
    tags: [kind],
    summary,
    ...(binary ? { description: BINARY_BODIES } : {}),
    parameters: describeParameters(path, spec),
    responses: describeResponses(spec),
  };
}

/**
 * Binary bodies are only described: with a second content type of a response, clients that are
 * generated have a union in the place of the body.
 */
const BINARY_BODIES =
  'With Accept: application/vnd.slotbook the body is bytes, see docs/binary-bodies.md.';

/** Returns the name of a path for generated clients: `/user/{account}/trades` is getUserTrades. */
function operationIdOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const end = parts.findLastIndex((part) => !part.startsWith('{')) + 1;
  const names = parts.slice(0, end).filter((part) => !part.startsWith('{'));
  const by = parts.length > end ? ['by', ...parts.slice(end)] : [];
  const words = [...(names.length === 0 ? ['page'] : names), ...by].flatMap((part) =>
    part.split(/[^A-Za-z0-9]+/),
  );
  return `get${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

function describeParameters(path: string, spec: PathSpec): readonly Parameter[] {
  const { params, style, moment = false } = spec;
  if (params === undefined) return [];
  const described = Object.entries(params.properties).map(([name, property]): Parameter => {
    if (style === 'lists') return describeListParameter(name, property);
    const place = path.includes(`{${name}}`) ? 'path' : 'query';
    return { ...describeParameter(name, property, params), in: place };
  });
  return moment ? [...described, ...describeMoment()] : described;
}

/** Moment parameters are single values also on batch paths: a whole batch has one moment. */
function describeMoment(): readonly Parameter[] {
  return Object.entries(momentParams.properties).map(([name, property]) => ({
    ...describeParameter(name, property, momentParams),
    in: 'query',
  }));
}

function describeParameter(name: string, property: TSchema, { required = [] }: TObject) {
  const { description = '', ...schema } = withPattern(property);
  const isRequired = required.includes(name) && property['default'] === undefined;
  const example = EXAMPLES[name];
  const shown = example === undefined ? {} : { example };
  const shape = describeSchema(schema);
  return { name, required: isRequired, description, schema: shape, ...shown };
}

/** Values with which a first request succeeds. */
const EXAMPLES: Readonly<Record<string, string>> = {
  marketName: 'SOL-PERP',
  symbol: 'SOL-PERP',
  ticker_id: 'SOL-PERP',
  resolution: '1',
};

/** Adds the pattern that belongs to the schema's format, which is one of our own format names. */
function withPattern(schema: TSchema): TSchema {
  const { items } = schema;
  if (typeof items === 'object' && items !== null) {
    return { ...schema, items: withPattern(items as TSchema) };
  }
  const pattern = formatOf(schema)?.pattern;
  return pattern === undefined ? schema : { ...schema, pattern };
}

/** All given lists have the same length; a missing list means the default in every entry. */
function describeListParameter(name: string, property: TSchema): Parameter {
  const { description = '', ...single } = withPattern(property);
  const items = describeSchema(single);
  const schema = { type: 'array', items, maxItems: LIMITS.batchEntriesMax };
  return { name, in: 'query', required: false, description, schema, style: 'form', explode: false };
}

function describeResponses(spec: PathSpec): Readonly<Record<string, ResponseSpec>> {
  const responses: Record<string, ResponseSpec> = describeSuccess(spec);
  if (spec.tagged) {
    responses['304'] = {
      description: 'If-None-Match named the current tag.',
      headers: headerRefs(versionHeadersOf(spec)),
    };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...(spec.errors ?? []), ...commonErrors])) {
    if (code === 'RATE_LIMITED' && spec.unlimited) continue;
    const status = statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus)
    responses[String(status)] = describeFailure(status, codes, spec);
  return responses;
}

function describeSuccess(spec: PathSpec): Record<string, ResponseSpec> {
  const { body, tagged, paged, csv = false } = spec;
  if (body === null)
    return { '101': { description: 'The connection is a WebSocket.', headers: {} } };
  const content =
    'schema' in body
      ? {
          'application/json': { schema: { $ref: `#/components/schemas/${body.name}` } },
          ...(csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
        }
      : { [body.contentType]: { schema: { type: 'string' } } };
  const names = tagged ? versionHeadersOf(spec) : [];
  const headers = headerRefs(paged ? [...names, 'X-Next-Cursor'] : names);
  return { '200': { description: 'The response.', headers, content } };
}

/** Only book paths send a slot, and plain-text bodies send no state. */
function versionHeadersOf({ kind, body, moment }: PathSpec): readonly string[] {
  if (kind === 'book') return ['ETag', 'X-Slot', 'X-State', ...(moment ? PAST_HEADERS : [])];
  const headers = ['ETag', 'Cache-Control'];
  return body !== null && 'schema' in body ? [...headers, 'X-State'] : headers;
}

const PAST_HEADERS = ['X-As-Of', 'Cache-Control'];

function describeFailure(
  status: number,
  codes: readonly ErrorCode[],
  { udf = false }: PathSpec,
): ResponseSpec {
  // The rate limit replies before the path is parsed, so its error has the general form.
  const name = udf && status !== statusOf('RATE_LIMITED') ? 'UdfError' : 'Error';
  return {
    description: codes.join(', '),
    headers: headerRefs(errorHeaders[status] ?? []),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const errorHeaders: Readonly<Record<number, readonly string[]>> = {
  405: ['Allow'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
};

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };
const headers: Json = {
  ETag: {
    description: 'The version of the body, for If-None-Match; not with includeAccounts.',
    schema: text,
  },
  'X-Slot': { description: 'The newest slot of the book, where there is one.', schema: seconds },
  'X-State': {
    description: 'How fresh the book is; for paths of the history, the state of the history.',
    schema: text,
  },
  'X-As-Of': {
    description:
      'The turn that a book of the past shows, as the member asOf of bodies that are objects.',
    schema: text,
  },
  'X-Next-Cursor': {
    description: 'The value of before for the next page; left out on the last one.',
    schema: text,
  },
  'Cache-Control': { description: 'How long the body may be cached.', schema: text },
  Allow: { description: 'The methods that are allowed.', schema: text },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: seconds },
  'RateLimit-Limit': { description: 'Requests a second of one address.', schema: seconds },
  'RateLimit-Remaining': { description: 'Requests left now.', schema: seconds },
  'RateLimit-Reset': { description: 'Seconds until there is one more.', schema: seconds },
};
