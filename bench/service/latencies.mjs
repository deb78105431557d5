/** What a bot measures of itself: the delay of each change, and the CPU of its process. */
export class Latencies {
  #ms = [];
  #cpu = process.cpuUsage();

  /** Adds a delay in milliseconds. */
  add(ms) {
    this.#ms.push(ms);
  }

  /** The commands that begin and end a measurement. */
  verbs = {
    begin: () => {
      this.#ms = [];
      this.#cpu = process.cpuUsage();
      return {};
    },
    end: () => {
      const { user, system } = process.cpuUsage(this.#cpu);
      return { latenciesMs: this.#ms, cpuMs: (user + system) / 1_000 };
    },
  };
}
