/** Absences as they were: a reading that lacks an account said nothing. */
export class Absences {
  start(): void {}

  stop(): void {}

  addAccount(): void {}

  recordState(): void {}

  recordReading(): void {}

  async readIfDue(): Promise<void> {}
}
