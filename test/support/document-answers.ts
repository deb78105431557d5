/** Extracts the commands of a document, each with its printed output. */

/** A block of commands, and the block of an answer that follows it. */
interface ShownCommands {
  readonly commands: readonly string[];
  readonly answer: string | null;
}

/** The blocks of shell commands of a document, in order; lines that end with a backslash are joined. */
export function commandsIn(document: string): readonly ShownCommands[] {
  const pattern = /^```sh\n([\s\S]*?)^```\n(?:\n```(?:json)?\n([\s\S]*?)^```$)?/gm;
  return [...document.matchAll(pattern)].map(([, block = '', answer]) => ({
    commands: block
      .replace(/\s*\\\n\s*/g, ' ')
      .trim()
      .split('\n'),
    answer: answer ?? null,
  }));
}

/**
 * The parts of a JSON value that are equal in every demo: its keys in order, and the type of each
 * value. A list has the distinct shapes of its members.
 */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((member) => [JSON.stringify(shapeOf(member)), member]));
    return [...shapes.values()].map(shapeOf);
  }
  if (typeof value === 'object' && value !== null) {
    // Pairs, because the order of keys counts as well.
    return Object.entries(value).map(([key, member]) => [key, shapeOf(member)]);
  }
  return typeof value === 'string' && /^-?\d+$/.test(value) ? 'digits' : typeof value;
}

/** The lines of a table or a list with its numbers, keys and columns masked, equal lines in a row once. */
export function maskedLines(text: string): readonly string[] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replace(/\b[1-9A-HJ-NP-Za-km-z]{32,44}\b/g, 'KEY')
        .replace(/-?\d+(\.\d+)?/g, '0')
        .replace(/\s+/g, ' ')
        .trim(),
    );
  return lines.filter((line, index) => line !== lines[index - 1]);
}
