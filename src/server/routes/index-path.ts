/**
 * `/`: the page for browsers, the list of paths for all other clients, and the files of the page.
 */
import { Type } from '@sinclair/typebox';
import { type HttpRequest, jsonReply, type Reply } from '../transport/reply.js';
import { prefersHtml } from './accept.js';
import type { PageFile } from './page-files.js';
import type { Path, PathService, Route } from './path.js';
import { gzipReply, notModifiedReply, requestAcceptsGzip } from './versioned-reply.js';

/** The path. */
export const indexPath = {
  summary: 'Name, version and the list of paths; the page for clients that prefer HTML',
  kind: 'service',
  body: {
    name: 'Index',
    schema: Type.Object({
      name: Type.String(),
      version: Type.String(),
      paths: Type.Array(Type.String()),
    }),
  },
  open: indexRoute,
} as const satisfies Path;

/** Without a page every client gets the list of paths. */
function indexRoute({ page: files, build, described }: PathService): Route {
  const page = files.get('');
  const { name, version } = build;
  const list = JSON.stringify({ name, version, paths: described.paths });
  return (request) => {
    const file = files.get(request.path.replace(/^\/(?:v1\/)?/, ''));
    if (file !== undefined && file !== page) return fileReply(request, file);
    if (page !== undefined && prefersHtml(request.getHeader('accept'))) {
      return fileReply(request, page);
    }
    const reply = jsonReply(list);
    return { ...reply, headers: [...reply.headers, ['Vary', 'Accept']] };
  };
}

function fileReply(request: HttpRequest, { etag, headers, body, gzip }: PageFile): Reply {
  const unchanged = notModifiedReply(request, { etag, headers });
  if (unchanged !== undefined) return unchanged;
  if (gzip !== undefined && requestAcceptsGzip(request)) return gzipReply(headers, gzip);
  return { status: 200, headers, body, identity: body };
}
