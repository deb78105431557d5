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
  const url = /^more +(http:\/\/[^/]+)/m.exec(service.stdout)?.[1];
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
  [
    ['--prt=70000'],
    "error: unknown option '--prt' (Did you mean --port?); see slotbook start --help\n",
  ],
  [['record'], "error: missing required argument 'folder'; see slotbook record --help\n"],
  [
    ['serve', 'now'],
    "error: too many arguments for 'serve'. Expected 0 arguments but got 1; see slotbook serve --help\n",
  ],
])('%j is refused in one line, with the nearest name', async (args, line) => {
  expect(await wrongUsage(args)).toBe(line);
});

test('a word after -- is an argument as it stands', async () => {
  const printed = await wrongUsage(['replay', '--port=0', '--', '--no=file']);
  expect(printed).toMatch(/^slotbook: DIR was --no=file, /);
});

test('--help groups the commands, and each command its options, which its examples use', async () => {
  const help = start(['--help']);
  expect(await exitCode(help)).toBe(0);
  const names = [...help.stdout.matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(
    ([, name]) => name ?? '',
  );
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) {
    const one = start([name, '--help']);
    expect(await exitCode(one)).toBe(0);
    const [options = '', examples = ''] = one.stdout.split('\nExamples:\n');
    expect(examples, name).toMatch(new RegExp(`^  slotbook ${name}`));
    for (const [flag] of examples.matchAll(/--[a-z-]+/g))
      expect(options, name).toContain(`${flag} `);
  }
  const demo = start(['demo', '--help']);
  await exitCode(demo);
  const headings = [...demo.stdout.matchAll(/^([A-Z].*):$/gm)].map(([, heading]) => heading);
  expect(headings.slice(0, 5)).toEqual(['Demo', 'Chain', 'Serve', 'Limits of clients', 'History']);
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
