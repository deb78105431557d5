/** Absences as they were: a reading that lacks an account said nothing. */
export class Absences {
  unprovenUsers(): readonly string[] {
    return [];
  }

  addUser(): void {}

  recordReading(): void {}

  stop(): void {}

  async confirmIfDue(): Promise<void> {}
}
