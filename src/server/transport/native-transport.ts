/** Which build of the transport is loaded: found out without importing it. */
import { createRequire } from 'node:module';

/** The version of the transport, for /version. */
export const transportVersion: string = readTransportVersion();

/** The package has no other build to fall back on today; a later one must not bring one unseen. */
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
