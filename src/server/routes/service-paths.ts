/** Small paths about the service itself. */
import { Type } from '@sinclair/typebox';
import { wordSchema } from '../api/param-parts.js';
import { mayMiss, text, textOrNull } from '../api/schema-parts.js';
import { programName } from '../api/service-parts.js';
import { ServerError } from '../transport/errors.js';
import { transportVersion } from '../transport/native-transport.js';
import { commonHeaders, jsonReply, type Reply } from '../transport/reply.js';
import type { Path, PathService } from './path.js';

/** /health. */
export const health = {
  summary: 'Whether the process runs',
  kind: 'service',
  body: {
    name: 'Health',
    schema: Type.Object({ status: wordSchema(['ok'], {}) }),
  },
  unlimited: true,
  open: () => () => jsonReply('{"status":"ok"}'),
} as const satisfies Path;

/** /metrics. */
export const metricsPath = {
  summary: 'Metrics for Prometheus',
  kind: 'service',
  body: { contentType: 'text/plain' },
  open:
    ({ metrics }) =>
    () =>
      metricsReply(metrics),
} as const satisfies Path;

/** /version. */
export const versionPath = {
  summary: 'The build, and the versions that it runs on',
  kind: 'service',
  body: {
    name: 'Version',
    schema: Type.Object({
      name: Type.String(),
      version: Type.String(),
      program: programName,
      commit: textOrNull('Null outside a checkout.'),
      node: text('Version of Node.js.'),
      uws: mayMiss(text('Version of the transport.')),
    }),
  },
  open:
    ({ build, book }) =>
    () =>
      versionReply(build, book),
} as const satisfies Path;

/** /openapi.json. */
export const openapi = {
  summary: 'This description',
  kind: 'service',
  body: {
    name: 'ApiDescription',
    schema: Type.Object({ openapi: Type.String() }, { description: 'OpenAPI 3.1.' }),
  },
  open:
    ({ described }) =>
    () =>
      jsonReply(described.api),
} as const satisfies Path;

/** /asyncapi.json. */
export const asyncapi = {
  summary: 'The channels of the WebSockets, as AsyncAPI 3.0',
  kind: 'service',
  body: {
    name: 'ChannelsDescription',
    schema: Type.Object({ asyncapi: Type.String() }, { description: 'AsyncAPI 3.0.' }),
  },
  open:
    ({ described }) =>
    () =>
      jsonReply(described.channels),
} as const satisfies Path;

/** /ws. */
export const ws = {
  summary: 'The WebSocket of the channels; 426 for a request that is not an upgrade',
  kind: 'socket',
  body: null,
  errors: ['UPGRADE_REQUIRED', 'LIMIT_EXCEEDED', 'NOT_READY'],
  open: () => upgradeRequired,
} as const satisfies Path;

/** /quotes/ws. */
export const quotesWs = {
  summary: 'The WebSocket of makers that quote; 426 for a request that is not an upgrade',
  kind: 'service',
  body: null,
  errors: ['UPGRADE_REQUIRED', 'LIMIT_EXCEEDED', 'NOT_READY'],
  open: () => upgradeRequired,
} as const satisfies Path;

/** The build, and its runtime. */
function versionReply(
  { name, version, commit }: PathService['build'],
  { program }: PathService['book'],
): Reply {
  const node = process.versions.node;
  const body = { name, version, program, commit, node, uws: transportVersion };
  return jsonReply(JSON.stringify(body));
}

/** The text for Prometheus. */
async function metricsReply(metrics: PathService['metrics']): Promise<Reply> {
  const body = await metrics.toText();
  return {
    status: 200,
    headers: [['Content-Type', metrics.contentType], ...commonHeaders],
    body,
  };
}

/** Only a plain HTTP request reaches this route: the transport handles upgrade requests before. */
function upgradeRequired(): never {
  throw new ServerError('UPGRADE_REQUIRED', 'this path speaks WebSocket (RFC 6455, version 13)');
}
