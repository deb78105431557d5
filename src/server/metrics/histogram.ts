/**
 * A distribution of durations in fixed buckets. To observe costs a few comparisons and allocates
 * nothing; text is made at the scrape.
 */
export class Histogram {
  readonly #limits: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** `limits` are the upper bounds in seconds, ascending; what is above the last is counted too. */
  constructor(limits: readonly number[]) {
    this.#limits = limits;
    this.#counts = new Float64Array(limits.length + 1);
  }

  /** Counts one duration; one below zero, of a clock that stepped, counts as zero. */
  observe(seconds: number): void {
    const duration = Math.max(seconds, 0);
    const limits = this.#limits;
    let bucket = 0;
    while (bucket < limits.length && duration > (limits[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += duration;
  }

  /** The lines of this histogram in Prometheus text. */
  toText(name: string, help: string): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    let count = 0;
    for (const [bucket, limit] of [...this.#limits, Number.POSITIVE_INFINITY].entries()) {
      count += this.#counts[bucket] ?? 0;
      const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : String(limit);
      lines.push(`${name}_bucket{le="${le}"} ${count}`);
    }
    lines.push(`${name}_sum ${this.#sum}`, `${name}_count ${count}`);
    return `${lines.join('\n')}\n`;
  }
}
