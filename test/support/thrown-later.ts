/** Collects errors thrown outside of any call while `act` runs, such as errors of listeners. */
export async function thrownLater(act: () => Promise<void>): Promise<unknown[]> {
  const thrown: unknown[] = [];
  const listeners = process.rawListeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error));
  try {
    await act();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener as () => void);
  }
  return thrown;
}
