/** Absences as they were: a reading that lacks an account said nothing. */
export class Absences {
  stop(): void {}

  addAccount(): void {}

  recordReading(): void {}

  async readIfDue(): Promise<void> {}
}
