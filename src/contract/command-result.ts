/** The result of a command: lines for a person, and an object for a script. */
export interface CommandResult {
  readonly lines: readonly string[];
  readonly body: object;
}

/** Returns the text of a result: one JSON object in a line, or the lines. */
export function resultText({ lines, body }: CommandResult, isJson = false): string {
  return isJson ? `${JSON.stringify(body)}\n` : lines.map((line) => `${line}\n`).join('');
}
