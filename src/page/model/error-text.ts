/** The text that a person reads of something that was thrown. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
