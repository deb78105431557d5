import type { AccountUpdate } from '../model/account-update.js';
import { isIdleUser } from '../model/queries.js';

/**
 * Converts a node's compressed update to the format of gRPC updates; null when it cannot be
 * decompressed.
 */
export function plainUpdate(update: AccountUpdate): AccountUpdate | null {
  const { kind, data, encoding, closed } = update;
  if (closed) return { ...update, owner: '', data: '', encoding: 'base64' };
  if (encoding !== 'base64') return null;
  if (kind !== 'user') return update;
  const bytes = Buffer.from(data, 'base64');
  if (isIdleUser(bytes)) return { ...update, owner: '', data: '', closed: true };
  return { ...update, data: bytes.toString('latin1'), encoding: 'bytes' };
}
