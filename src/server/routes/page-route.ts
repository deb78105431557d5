/** `/`: the page for browsers, the list of paths for everybody else, and the files of the page. */
import type { HttpRequest, Reply } from '../transport/reply.js';
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

/** Whether a client asks for HTML by name, and not for JSON at least as much. */
export function prefersHtml(accept: string): boolean {
  const html = qualityOf(accept, 'text/html');
  return html > 0 && html > qualityOf(accept, 'application/json');
}

/** How much a client wants a type that it names, from 0 to 1. */
function qualityOf(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const [, quality] = /^q=([01](?:\.\d{0,3})?)$/.exec(parameters.at(-1) ?? '') ?? [];
    return Number(quality ?? 1);
  }
  return 0;
}
