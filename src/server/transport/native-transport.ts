/**
 * The native build of the transport: its only setting, read from the environment on loading, and
 * its version. This file must be imported before `uWebSockets.js`, and does not import it.
 */
import { createRequire } from 'node:module';
import { LIMITS } from '../../config/limits.js';

// By default a request in several packets may have 4 KiB, and one in a single packet 512 KiB:
// acceptance would depend on packet boundaries.
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.requestHeadBytesMax);

/** The version of the transport, for /version. */
export const transportVersion: string = readTransportVersion();

/** Throws unless the expected native build is loaded, so that an upgrade cannot change it unnoticed. */
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
