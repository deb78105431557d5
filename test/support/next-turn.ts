/** Lets the event loop turn once: timers, sockets and other work get their share. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
