/**
 * The native build of the transport: its version, and its only setting, which it reads from the
 * environment when it is loaded. This file must be imported before `uWebSockets.js`, and does not
 * import it.
 */
import { createRequire } from 'node:module';
import { LIMITS } from '../../config/limits.js';

// By default the head of a request may have 4 KiB in several packets but 512 KiB in one packet, so
// acceptance would depend on packet boundaries.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.requestHeadBytesMax);

/** The version of the transport, for /version. */
export const transportVersion: string = readTransportVersion();

/**
 * Throws unless the expected native build is loaded, so that an upgrade does not change the build
 * unnoticed.
 */
export function assertNativeTransport(): void {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  const binary = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  if (loaded.some((file) => file.endsWith(binary))) return;
  throw new Error(`the native HTTP server ${binary} is not loaded`);
}

function readTransportVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('uWebSockets.js/package.json');
  const version = (manifest as { readonly version?: unknown }).version;
  return typeof version === 'string' ? version : 'unknown';
}
