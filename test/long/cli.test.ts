/** What the command line refuses and prints, beyond test/process/cli.test.ts. */
import { expect, test } from 'vitest';
import {
  exitCode,
  expectUnknownOption,
  PATIENT,
  start,
  wrongUsage,
} from '../support/command-line.js';
import { until } from '../support/until.js';

test('says which names of --markets are not on the chain, and is not ready with none', async () => {
  const flags = ['--port', '0', '--makers', '20', '--no-history', ...PATIENT];
  const service = start(['demo', ...flags, '--markets', 'NOPE,NOR-PERP']);
  const line = await until(() => /^\{.*"missing":.*$/m.exec(service.stderr)?.[0]);
  const { missing, markets } = JSON.parse(line);
  expect(missing).toEqual(['NOPE', 'NOR-PERP']);
  expect(markets).toContain('SOL-PERP');
  const url = /^book +(http:\/\/[^/]+)/m.exec(service.stdout)?.[1];
  const response = await fetch(`${url}/ready`);
  const { code, message } = JSON.parse(await response.text()).error;
  expect([response.status, code]).toEqual([503, 'NOT_READY']);
  expect(message).toBe('no market of --markets is on this chain: NOPE, NOR-PERP');
  expect(service.stdout).not.toMatch(/^ready/m);
});

test.each([
  [['--prt=70000'], '--prt'],
  [["--rpc-ulr=https://node.example/'secret'?"], '--rpc-ulr'],
  [['demo', '--rpc-urlhttps://node.example/secret'], '--rpc-urlhttps'],
])(
  '%j is wrong usage: the flag is named, its value is not, and it exits with 2',
  expectUnknownOption,
);

test.each([
  [['--prt=70000'], "error: unknown option '--prt' (Did you mean --port?)\n"],
  [['record'], "error: missing required argument 'folder'\n"],
  [['serve', 'now'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1.\n"],
])('%j is refused in one line, with the nearest name', async (args, line) => {
  expect(await wrongUsage(args)).toBe(line);
});

test('a word after -- is an argument as it stands', async () => {
  const printed = await wrongUsage(['replay', '--port=0', '--', '--no=file']);
  expect(printed).toMatch(/^slotbook: DIR was --no=file, /);
});

test('--help is no error', async () => {
  const help = start(['demo', '--help']);
  expect(await exitCode(help)).toBe(0);
  expect(help.stdout).toContain('--makers');
});

test('a closed standard output does not end the service', async () => {
  const service = start([
    'serve',
    '--port',
    '0',
    '--no-history',
    '--rpc-url',
    'http://127.0.0.1:9',
  ]);
  service.child.stdout?.destroy();
  const url = await until(() => /"url":"(http:[^"]+)"/.exec(service.stderr)?.[1]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect(await exitCode(service)).toBe(0);
});

test('serve without a cluster says which flag is missing', async () => {
  expect(await wrongUsage(['serve'])).toContain('--rpc-url is missing');
});
