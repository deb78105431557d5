import { LIMITS } from '../../config/limits.js';
import { ServerError } from './errors.js';
import type { HttpRequest } from './reply.js';

/** Throws TOO_LARGE for a request whose path, query or headers are beyond their limits. */
export function requireRequestSize(request: HttpRequest): void {
  const { requestLineBytesMax, headerBytesMax } = LIMITS;
  const line = request.path.length + request.query.length;
  if (line <= requestLineBytesMax && request.countHeaderBytes() <= headerBytesMax) return;
  const message =
    `a request may have ${requestLineBytesMax} bytes of path and query and ` +
    `${headerBytesMax} of headers`;
  throw new ServerError('TOO_LARGE', message);
}
