/**
 * A family of recorded answers that TypeScript is put to. One file of this folder is one family; it is
 * entered in `families.ts`. The core's families are run by `test/golden`, in Rust.
 *
 * A family tells its files by their content, never by their name, and reports each case as passed
 * or failed. A file may be run by several families and by both runners.
 * The addon is not there: what needs it is of the core.
 */

/** A JSON file below the folder that is run. */
export interface GoldenFile {
  /** Its path below that folder. */
  readonly name: string;
  /** Its path as it can be opened, for families whose files name others beside them. */
  readonly path: string;
  /** Its content, parsed. */
  readonly json: unknown;
}

/** What happened to the cases of one file. */
export interface FamilyReport {
  readonly passed: number;
  readonly failed: number;
  /** A line for each failure, and what else the reader should know. */
  readonly notes: readonly string[];
  /** Files that were run besides the one itself, which names them; as it names them. */
  readonly covers?: readonly string[];
}

/** A family. */
export interface Family {
  readonly name: string;
  /** Whether it runs this file; asked for every JSON file. */
  matches(file: GoldenFile): boolean;
  /** Runs all cases. What it throws is a failed case. */
  run(file: GoldenFile): FamilyReport | Promise<FamilyReport>;
}

/** Failures of one file that are told; the rest are only counted. */
const failuresToldMax = 20;

/** Counts the cases of one file. */
export class Cases {
  #passed = 0;
  #failed = 0;
  readonly #notes: string[] = [];

  /** Our answer is the recorded one. */
  passed(): void {
    this.#passed += 1;
  }

  /** Our answer differs, and no rule explains it. */
  failed(name: string, difference: string): void {
    this.#failed += 1;
    if (this.#failed <= failuresToldMax) this.#notes.push(`${name}: FAILED: ${difference}`);
  }

  /** Passed when both are the same value; bigints and undefined members count. */
  same(name: string, { ours, recorded }: { readonly ours: unknown; readonly recorded: unknown }) {
    const [our, their] = [asText(ours), asText(recorded)];
    if (our === their) this.passed();
    else this.failed(name, `ours ${our}, recorded ${their}`);
  }

  report(): FamilyReport {
    const untold = this.#failed - failuresToldMax;
    const notes = untold > 0 ? [...this.#notes, `and ${untold} more failures`] : this.#notes;
    return { passed: this.#passed, failed: this.#failed, notes };
  }
}

/** JSON with the members of objects in the order of their names, and bigints told from numbers. */
function asText(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    if (part === undefined) return 'undefined';
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return text ?? 'undefined';
}
