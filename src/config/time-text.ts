/** Matches a day, optionally with time and zone offset, in ISO 8601 or SQL format. */
const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

const MINUTE_MS = 60_000;

/**
 * Returns the unix milliseconds of a time such as 2026-11-01T12:00Z; null for an invalid text or a
 * nonexistent day or time. The default zone is UTC, regardless of the machine; a day means its
 * start.
 */
export function findTimeMs(text: string): number | null {
  const parts = TIME.exec(text);
  if (parts === null) return null;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = parts;
  const [, , , , , , , fraction = '', zone = 'Z'] = parts;
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const utcMs = Date.parse(`${plain}Z`);
  const offsetMinutes = findOffset(zone);
  // Date converts a nonexistent day or hour to another one, so the text differs.
  const isThere = Number.isFinite(utcMs) && new Date(utcMs).toISOString().startsWith(plain);
  if (!isThere || offsetMinutes === null) return null;
  return utcMs + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMinutes * MINUTE_MS;
}

/** Returns the minutes by which a zone is ahead of UTC; null for a nonexistent zone. */
function findOffset(zone: string): number | null {
  if (/^z$/i.test(zone)) return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
