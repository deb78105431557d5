/** CSV by RFC 4180: a header line, then a line for each record. */

const LINE_END = '\r\n';

/** Renders records, each a JSON object with exactly these members; the members are the columns. */
export function csvText(members: readonly string[], records: readonly string[]): string {
  const lines = records.map((text) => {
    const record: Readonly<Record<string, unknown>> = JSON.parse(text);
    return members.map((member) => cellOf(record[member])).join();
  });
  return [members.join(), ...lines, ''].join(LINE_END);
}

/** Quotes a value that contains a separator, a quote or a line break. */
function cellOf(value: unknown): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
