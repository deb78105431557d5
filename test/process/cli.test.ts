/** The command line, as its users run it; test/long/cli.test.ts has more of its words. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  exitCode,
  expectUnknownOption,
  PATIENT,
  readyUrl,
  start,
  startProgram,
  wrongUsage,
} from '../support/command-line.js';
import { UNTIL_RUNNER_ENDS, until } from '../support/until.js';

test('without a cluster serves a moving book of a local chain, and stops when asked', async () => {
  const service = start([
    '--port',
    '0',
    '--makers',
    '20',
    '--seed',
    '3',
    '--log-level',
    'warn',
    ...PATIENT,
  ]);
  const url = await readyUrl(service);
  const body = async () => JSON.parse(await (await fetch(`${url}/l2?marketName=sol-perp`)).text());
  const first = await body();
  expect(first).toMatchObject({ marketName: 'SOL-PERP', marketType: 'perp', state: 'live' });
  expect(first.bids.length).toBeGreaterThan(0);
  expect(first.asks.length).toBeGreaterThan(0);
  await until(async () => (await body()).seq > first.seq);

  expect((await fetch(`${url}/ready`)).status).toBe(200);
  const names = JSON.parse(await (await fetch(`${url}/markets`)).text());
  const symbols = names.map((row: { symbol: string }) => row.symbol);
  expect(symbols).toEqual(expect.arrayContaining(['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'SOL']));

  const walk = start(['match', 'SOL-PERP', '--side', 'buy', '--size', '1.5', '--url', url]);
  expect(await exitCode(walk)).toBe(0);
  expect(walk.stdout).toMatch(/^filled base +1\.5$/m);
  const refused = start(['match', 'SOL-PERP', '--side', 'buy', '--size', '-1', '--url', url]);
  expect(await exitCode(refused)).toBe(2);
  expect(refused.stderr).toContain('slotbook: MATCH_REFUSED: OUT_OF_RANGE: size was -1000000000');

  const followed = start(['follow', url, 'SOL-PERP']);
  await until(() => followed.stdout.includes('following'), UNTIL_RUNNER_ENDS);
  followed.child.stdout?.destroy();
  expect(await exitCode(followed)).toBe(0);

  const chain = await until(() => /^chain +(http:\S+) (ws:\S+)/m.exec(service.stdout));
  const cluster = ['--rpc-url', chain[1] ?? '', '--ws-url', chain[2] ?? ''];
  const equal = start(['verify', '--url', url, ...cluster]);
  expect(await exitCode(equal)).toBe(0);
  expect(equal.stdout).toMatch(/^equal: \d+ markets, \d+ orders$/m);

  const port = new URL(url).port;
  const second = start(['demo', '--port', port, '--makers', '1', '--log-level', 'silent']);
  expect(await exitCode(second)).toBe(1);
  expect(second.stderr).toContain('the port is in use, or the address is not one of this machine');

  service.child.kill('SIGQUIT');
  expect(await exitCode(service)).toBe(0);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

test('names the setting that is wrong, and exits with 2', async () => {
  const printed = await wrongUsage(['--port', '70000']);
  expect(printed).toBe('slotbook: --port was 70000, must be 0 to 65535\n');
});

test('of wrong usage the flag is named, its value is not, and it exits with 2', async () => {
  await expectUnknownOption(['serve', '--rpc-ulr=https://node.example/secret'], '--rpc-ulr');
});

test('an unknown command is refused in one line, with the nearest name', async () => {
  const line = "error: unknown command 'folow' (Did you mean follow?); see slotbook --help\n";
  expect(await wrongUsage(['folow'])).toBe(line);
});

test('--version prints name, version and commit', async () => {
  const version = start(['--version']);
  expect(await exitCode(version)).toBe(0);
  expect(version.stdout).toMatch(/^slotbook \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/);
});

test('answers 503 while its cluster cannot be reached', async () => {
  // Port 9 (discard) has no listener on loopback.
  const service = start([
    'serve',
    '--port',
    '0',
    '--no-history',
    '--rpc-url',
    'http://127.0.0.1:9',
  ]);
  const url = await until(
    () => /^more +(http:\/\/[^/]+)/m.exec(service.stdout)?.[1],
    UNTIL_RUNNER_ENDS,
  );
  const response = await fetch(`${url}/l2?marketName=SOL-PERP`);
  expect(response.status).toBe(503);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  service.child.kill('SIGHUP');
  expect(await exitCode(service)).toBe(0);
});

test('verify exits with 2 when nobody answers, and hides what the address has of secrets', async () => {
  const node = ['--rpc-url', 'http://127.0.0.1:9'];
  const nobody = start(['verify', '--url', 'http://127.0.0.1:9/secretkey', ...node]);
  expect(await exitCode(nobody)).toBe(2);
  expect(nobody.stdout).toBe('');
  const unreachable = 'SERVICE_UNREACHABLE: the service at 127.0.0.1:9 does not answer';
  expect(nobody.stderr).toContain(unreachable);
  expect(nobody.stderr).not.toContain('secretkey');
});

test.each([
  ['conform', 'http://'],
  ['sources', 'http//'],
  ['', 'http:/'],
  ['', 'http://'],
])("'%s' hides what an address that begins with %s has of secrets", async (command, start) => {
  const address = `${start}reader:p%40ss,word@127.0.0.1:9/secretkey?k=otherkey`;
  const printed = await wrongUsage([command, address].filter(Boolean));
  expect(printed).toMatch(start === 'http//' ? /url was \*\*\*,/ : '127.0.0.1:9');
  expect(printed).not.toMatch(/reader|p%40ss|p@ss|word|secretkey|otherkey/);
});

test('follow exits with 2 when there is nothing to follow', async () => {
  const printed = await wrongUsage(['follow', 'http://127.0.0.1:1', 'SOL-PERP', '--seconds', '60']);
  expect(printed).toMatch(/^slotbook: STREAM_UNREACHABLE: no stream at 127\.0\.0\.1:1: /);
});

test('npm run bench: a wrong option is one line and the usage', async () => {
  const program = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
  const help = startProgram(process.execPath, [program, '--help']);
  const wrong = startProgram(process.execPath, [program, '--rows', '1,none']);
  expect(await exitCode(help)).toBe(0);
  expect(help.stdout).toMatch(/^usage: npm run bench -- \[--rows 1,2,/);
  expect(await exitCode(wrong)).toBe(2);
  expect(wrong.stderr).toMatch(/^bench: --rows has none, must be of 1,2,.*\nusage: .*\n$/);
});
