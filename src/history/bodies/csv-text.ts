/** CSV as RFC 4180 has it: a line of names, then one of values for each record. */

const LINE_END = '\r\n';

/** Records, each a JSON object with exactly these members, as lines; the members are the columns. */
export function csvText(members: readonly string[], records: readonly string[]): string {
  const lines = records.map((text) => {
    const record: Readonly<Record<string, unknown>> = JSON.parse(text);
    return members.map((member) => cellOf(record[member])).join();
  });
  return [members.join(), ...lines, ''].join(LINE_END);
}

/** A value in quotes where it has a character that ends a cell or a line. */
function cellOf(value: unknown): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
