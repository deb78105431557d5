/**
 * Loads what Node.js leaves to the first fetch, tens of milliseconds that would block the loop while
 * clients are answered. It reaches no network.
 */
export async function warmFetch(): Promise<void> {
  await (await fetch('data:,')).text();
}
