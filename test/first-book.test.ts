/** What a service logs while it has no book. */
import { expect, test } from 'vitest';
import { reportUntilReady } from '../src/app/first-book.js';
import { ManualTimers } from './support/manual-timers.js';

function report(reason: string, node = 'node.example', role?: 'core' | 'standby') {
  const timers = new ManualTimers();
  const lines: string[] = [];
  const scene = { reason: reason as string | null, closes: 0 };
  const stop = reportUntilReady({
    waitReason: () => scene.reason,
    status: () => (role === undefined ? {} : { role }),
    connection: () => ({ node, closes: scene.closes }),
    log: { warn: (_, line) => lines.push(line) },
    timers,
  });
  return { timers, lines, scene, stop };
}

test('each ten seconds a line says the node, the reason, the attempt and the flag', () => {
  const { timers, lines, scene } = report('no connection: ECONNREFUSED of node.example');
  timers.advance(9_999);
  expect(lines).toEqual([]);
  timers.advance(1);
  scene.closes = 7;
  timers.advance(10_000);
  const hint = 'see --ws-url and --rpc-url, or `slotbook check`';
  expect(lines).toEqual([
    `no book yet: node.example: no connection: ECONNREFUSED of node.example, attempt 1; ${hint}`,
    `no book yet: node.example: no connection: ECONNREFUSED of node.example, attempt 8; ${hint}`,
  ]);
  scene.reason = null;
  timers.advance(100_000);
  expect(lines).toHaveLength(2);
});

test.each([
  ['the accounts are being read', /; see --snapshot-url/],
  ['no market of --markets is on this chain: NOPE', /; see --markets and --program-id$/],
  ['the history is being filled', /; see --data-dir/],
  ['something new', /something new, attempt 1$/],
])('the reason "%s" has its hint', (reason, line) => {
  const { timers, lines } = report(reason);
  timers.advance(10_000);
  expect(lines[0]).toMatch(line);
});

test('a standby, and a service that has stopped, log none', () => {
  const standby = report('a core writes the log', '', 'standby');
  standby.timers.advance(60_000);
  const stopped = report('the accounts are being read');
  stopped.stop();
  stopped.timers.advance(60_000);
  expect([...standby.lines, ...stopped.lines]).toEqual([]);
});
