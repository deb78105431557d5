/** The most recently added keys, newest last, up to a limit. */
export class RecentKeys {
  readonly #countMax: number;
  readonly #keys = new Set<string>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** The keys, oldest first. */
  keys(): readonly string[] {
    return [...this.#keys];
  }

  addKey(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#countMax) return;
    const [oldest] = this.#keys;
    if (oldest !== undefined) this.#keys.delete(oldest);
  }

  clear(): void {
    this.#keys.clear();
  }
}
