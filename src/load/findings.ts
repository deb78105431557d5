import { FINDINGS_PRINTED_MAX } from './limits.js';

/** The violations in a run: their number, and the texts of the first ones. */
export class Findings {
  /** The number of all violations, including those whose text is not stored. */
  count = 0;
  readonly #counts = new Map<string, number>();

  add(text: string): void {
    this.count += 1;
    const known = this.#counts.get(text);
    if (known !== undefined || this.#counts.size < FINDINGS_PRINTED_MAX) {
      this.#counts.set(text, (known ?? 0) + 1);
    }
  }

  /** Returns a line for each text, and a line for the rest. */
  get lines(): readonly string[] {
    const lines = [...this.#counts].map(([text, times]) =>
      times === 1 ? text : `${text}, ${times} times`,
    );
    const printed = [...this.#counts.values()].reduce((sum, times) => sum + times, 0);
    return printed === this.count ? lines : [...lines, `and ${this.count - printed} more`];
  }
}
