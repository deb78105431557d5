import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { JournalError } from './model/error.js';

/**
 * The compiled file of a thread, by its path in this room. Node runs compiled files only, so code
 * that runs from its sources, as tests do, uses the last build.
 */
export function workerFile(name: string): URL {
  const beside = new URL(name, import.meta.url);
  if (existsSync(beside)) return beside;
  const built = new URL(`../../dist/src/journal/${name}`, import.meta.url);
  if (existsSync(built)) return pathToFileURL(fileURLToPath(built));
  throw new JournalError('JOURNAL_FAILED', 'the worker is not compiled: run npm run build');
}
