/** Texts of thrown values, and of panels that have nothing to show. */
import { ClientError } from '@slotbook/client';

/** A readable text of a thrown value. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the service keeps no history or no journal, so that a repeated read cannot succeed. */
export function isNotKept(error: unknown): boolean {
  return error instanceof ClientError && ['NO_HISTORY', 'NO_JOURNAL'].includes(error.code);
}

/** What a panel of the history knows: `subject` is a plural, such as `trades`. */
interface PanelState {
  readonly subject: string;
  readonly isLoaded: boolean;
  /** The error of the last read; undefined after a success. */
  readonly error: unknown;
}

/** Returns the words of an empty panel: it loads, there is nothing, or nothing is kept. */
export function panelText({ subject, isLoaded, error }: PanelState): string {
  if (isNotKept(error)) return `This service keeps no ${subject}`;
  if (error !== undefined) return `The ${subject} could not be read: ${textOfError(error)}`;
  return isLoaded ? `No ${subject} yet` : `Loading ${subject}`;
}
