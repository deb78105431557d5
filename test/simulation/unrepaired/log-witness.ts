/** The witness as it was: logs said nothing of a book. */
export class LogWitness {
  stop(): void {}

  recordLogged(): void {}

  async readIfDue(): Promise<void> {}
}
