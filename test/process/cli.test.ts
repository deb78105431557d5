import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';

/** The compiled command line, which the set-up of `npm test` has just made. */
const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));

/** A busy machine is no reason to call a book late. */
const PATIENT = ['--lagging-after-ms', '60000', '--stale-after-ms', '120000'] as const;

interface Running {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
}

const running: Running[] = [];

function start(args: readonly string[]): Running {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const process_ = { child, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    process_.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    process_.stderr += chunk;
  });
  running.push(process_);
  return process_;
}

async function exitCode({ child }: Running): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** The URL of the `ready` line. Fails at once when the process ends before it. */
function readyUrl(service: Running): Promise<string> {
  return until(() => {
    if (service.child.exitCode !== null) throw new Error(`ended early: ${service.stderr}`);
    return /^ready (http:\S+)$/m.exec(service.stdout)?.[1];
  });
}

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL');
    await exitCode(one);
  }
});

describe('slotbook', () => {
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
    const body = async () =>
      JSON.parse(await (await fetch(`${url}/l2?marketName=sol-perp`)).text());
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
    expect(walk.stdout).toMatch(/^filled base +1\.5 \(1500000000\)$/m);
    const refused = start(['match', 'SOL-PERP', '--side', 'buy', '--size', '-1', '--url', url]);
    expect(await exitCode(refused)).toBe(2);
    expect(refused.stderr).toContain('slotbook: MATCH_REFUSED: OUT_OF_RANGE: size was -1000000000');

    const port = new URL(url).port;
    const second = start(['demo', '--port', port, '--makers', '1', '--log-level', 'silent']);
    expect(await exitCode(second)).toBe(1);
    expect(second.stderr).toContain(
      'the port is in use, or the address is not one of this machine',
    );

    service.child.kill('SIGTERM');
    expect(await exitCode(service)).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

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

  test('names the setting that is wrong, and exits with 2', async () => {
    const wrong = start(['--port', '70000']);
    expect(await exitCode(wrong)).toBe(2);
    expect(wrong.stderr).toBe('slotbook: --port was 70000, must be 0 to 65535\n');
  });

  test.each([
    [['--prt=70000'], '--prt'],
    [['serve', '--rpc-ulr=https://node.example/secret'], '--rpc-ulr'],
    [["--rpc-ulr=https://node.example/'secret'?"], '--rpc-ulr'],
    [['demo', '--rpc-urlhttps://node.example/secret'], '--rpc-urlhttps'],
  ])(
    '%j is wrong usage: the flag is named, its value is not, and it exits with 2',
    async (args, flag) => {
      const wrong = start(args);
      expect(await exitCode(wrong)).toBe(2);
      expect(wrong.stderr).toContain(`error: unknown option '${flag}'`);
      expect(wrong.stderr).not.toMatch(/secret|70000/);
    },
  );

  test.each([
    [['--prt=70000'], "error: unknown option '--prt' (Did you mean --port?)\n"],
    [['folow'], "error: unknown command 'folow' (Did you mean follow?)\n"],
    [['record'], "error: missing required argument 'folder'\n"],
    [['serve', 'now'], "error: too many arguments for 'serve'. Expected 0 arguments but got 1.\n"],
  ])('%j is refused in one line, with the nearest name', async (args, line) => {
    const wrong = start(args);
    expect(await exitCode(wrong)).toBe(2);
    expect(wrong.stderr).toBe(line);
  });

  test('a word after -- is an argument as it stands', async () => {
    const replay = start(['replay', '--port=0', '--', '--no=file']);
    expect(await exitCode(replay)).toBe(2);
    expect(replay.stderr).toMatch(/^slotbook: DIR was --no=file, /);
  });

  test('--version prints name, version and commit', async () => {
    const version = start(['--version']);
    expect(await exitCode(version)).toBe(0);
    expect(version.stdout).toMatch(/^slotbook \d+\.\d+\.\d+( \([0-9a-f]{12}\))?\n$/);
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
    const wrong = start(['serve']);
    expect(await exitCode(wrong)).toBe(2);
    expect(wrong.stderr).toContain('--rpc-url is missing');
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
    const url = await until(() => /^book +(http:\/\/[^/]+)/m.exec(service.stdout)?.[1]);
    const response = await fetch(`${url}/l2?marketName=SOL-PERP`);
    expect(response.status).toBe(503);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/ready`)).status).toBe(503);
    service.child.kill('SIGINT');
    expect(await exitCode(service)).toBe(0);
  });
});
