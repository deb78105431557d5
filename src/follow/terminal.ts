/** Where a command draws. */

/** Where a run is printed. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Overwrites the screen before. */
export function overwriteScreen(output: Output, text: string): void {
  output.write(`\x1b[H\x1b[J${text}`);
}
