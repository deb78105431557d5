/** The output of a command that draws. */

/** The destination of a run's output. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Overwrites the previous screen. */
export function overwriteScreen(output: Output, text: string): void {
  output.write(`\x1b[H\x1b[J${text}`);
}
