/** Puts the JSON files of a folder to the families, in the order of their paths. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { families } from './families.js';
import type { Family, FamilyReport, GoldenFile } from './family.js';

/** The cases of one file in one family. */
export interface FileReport extends FamilyReport {
  readonly file: string;
  readonly family: string;
}

/**
 * Runs a folder. Files that no family knows are not in the answer. A file that cannot be read as JSON
 * is a failed case: which family it would have been of is not known.
 */
export async function runFolder(
  folder: string,
  known: readonly Family[] = families,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  for (const name of jsonFilesBelow(folder)) {
    const file = readGolden(folder, name);
    if (typeof file === 'string') {
      reports.push({ file: name, family: 'JSON', ...failure(file) });
      continue;
    }
    for (const family of known.filter(({ matches }) => matches(file))) {
      reports.push({ file: name, family: family.name, ...(await runFamily(family, file)) });
    }
  }
  return reports;
}

function jsonFilesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isFile = (name: string): boolean => statSync(path.join(folder, name)).isFile();
  return names.filter((name) => name.endsWith('.json') && isFile(name)).sort();
}

/** The file, or what is wrong with it. */
function readGolden(folder: string, name: string): GoldenFile | string {
  const full = path.join(folder, name);
  try {
    const json: unknown = JSON.parse(readFileSync(full, 'utf8'));
    return { name, path: full, json };
  } catch (error) {
    return String(error);
  }
}

async function runFamily(family: Family, file: GoldenFile): Promise<FamilyReport> {
  try {
    return await family.run(file);
  } catch (error) {
    return failure(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

function failure(text: string): FamilyReport {
  return { passed: 0, failed: 1, notes: [`file: FAILED: ${text}`] };
}
