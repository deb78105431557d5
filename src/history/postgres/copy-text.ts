/** Encodes rows in the text format of COPY. */
import type { Bound } from '../store/connection.js';

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** One row, with the end of its line. */
export function copyLine(values: readonly Bound[]): string {
  return `${values.map(copyValue).join('\t')}\n`;
}

function copyValue(value: Bound): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (one) => escapes[one] ?? one);
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  return String(value);
}
