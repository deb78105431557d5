/** What a command reads from a running service with `fetch`. */

/** Reads a body of at most `bytesMax` bytes. Throws the error of `exceeded` for a larger one. */
export async function readResponse(
  response: Response,
  bytesMax: number,
  exceeded: () => Error,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) throw exceeded();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Returns the name of the failure of a call of `fetch`, because its message may contain the address.
 */
export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name;
}
