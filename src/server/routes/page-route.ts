/** `/`: the page for browsers, the list of paths for everybody else, and the files of the page. */
import type { HttpRequest, Reply } from '../transport/reply.js';
import { prefersHtml } from './accept.js';
import type { PageFile, PageFiles } from './page-files.js';
import type { Route } from './path-table.js';
import { gzipReply, notModifiedReply, requestAcceptsGzip } from './versioned-reply.js';

/** The route of `/`. Without a page every client gets the list. */
export function indexRoute(files: PageFiles, list: () => Reply): Route {
  const page = files.get('');
  return (request) => {
    const file = files.get(request.path.replace(/^\/(?:v1\/)?/, ''));
    if (file !== undefined && file !== page) return fileReply(request, file);
    if (page !== undefined && prefersHtml(request.getHeader('accept'))) {
      return fileReply(request, page);
    }
    const reply = list();
    return { ...reply, headers: [...reply.headers, ['Vary', 'Accept']] };
  };
}

function fileReply(request: HttpRequest, { etag, headers, body, gzip }: PageFile): Reply {
  const unchanged = notModifiedReply(request, { etag, headers });
  if (unchanged !== undefined) return unchanged;
  if (gzip !== undefined && requestAcceptsGzip(request)) return gzipReply(headers, gzip);
  return { status: 200, headers, body, identity: body };
}
