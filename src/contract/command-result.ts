/** The result of a command: lines for a person, and an object for a script. */
export interface CommandResult {
  readonly lines: readonly string[];
  readonly body: object;
}

/** Returns the text of a result: one JSON object in a line, or the lines. */
export function resultText({ lines, body }: CommandResult, isJson = false): string {
  return isJson ? `${JSON.stringify(body)}\n` : lines.map((line) => `${line}\n`).join('');
}

/**
 * Returns the lines of a table. The columns of the heads in `words` are aligned left; the others,
 * which are numbers, right.
 */
export function tableLines(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  words: ReadonlySet<string>,
): readonly string[] {
  const rows = [head, ...cells];
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const padCell = (cell: string, at: number): string => {
    const width = widths[at] ?? 0;
    return words.has(head[at] ?? '') ? cell.padEnd(width) : cell.padStart(width);
  };
  return rows.map((row) => row.map(padCell).join('  ').trimEnd());
}

/** Returns a text of a server without terminal control characters. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
