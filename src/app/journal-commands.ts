/** The commands that read the folder of a journal, and not a service. */
import { statSync } from 'node:fs';
import { ConfigError } from '../config/config-error.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { journalFolder } from './journal-origin.js';

/** Where a command prints its lines. */
export interface CommandOutput {
  readonly write: (text: string) => unknown;
}

/** Reads a whole journal and prints what is sound; true when nothing is damaged. Throws a ConfigError without a folder. */
export async function verifyJournalFolder(place: string, output: CommandOutput): Promise<boolean> {
  const folder = existingFolder(place, '--journal');
  return verifyJournal({ folder, print: (line) => void output.write(`${line}\n`) });
}

function existingFolder(place: string, name: string): string {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
    return journalFolder(place);
  throw new ConfigError('INVALID_SETTING', `${name} was ${place}, must be a folder`, name);
}
