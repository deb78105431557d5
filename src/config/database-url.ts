import { ConfigError } from './config-error.js';
import type { SettingReader } from './setting-reader.js';
import { flagOf } from './settings.js';

/**
 * Reads the address of a database; undefined when it is not set. Throws a ConfigError that omits
 * the address.
 */
export function readDatabaseUrl(
  settings: SettingReader,
  name: 'historyUrl' | 'historyReadUrl',
): string | undefined {
  const url = settings.read(name);
  if (url === undefined || /^\/[^/]+$/.test(new URL(url).pathname)) return url;
  const [flag, example] = [flagOf(name), 'postgres://user:password@host/slotbook'];
  throw new ConfigError(
    'INVALID_SETTING',
    `${flag} must name a database, as ${example} does`,
    flag,
  );
}
