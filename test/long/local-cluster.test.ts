/** `slotbook local-cluster` with its real parts, and ops/compose.yaml, which has the same ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterEach, expect, test } from 'vitest';
import { coreOptions, edgeOptions } from '../../src/app/cli-options.js';
import { natsMissing } from '../support/nats-server.js';
import { postgresMissing } from '../support/postgres-server.js';
import { until } from '../support/until.js';

const cli = new URL('../../dist/src/app/cli.js', import.meta.url).pathname;
let child: ChildProcess | undefined;

afterEach(async () => {
  if (child === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
});

function run(args: readonly string[]): { readonly output: () => string } {
  let text = '';
  child = spawn(process.execPath, [cli, 'local-cluster', ...args]);
  const add = (chunk: unknown): void => {
    text += String(chunk);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return { output: () => text };
}

test('a cluster on one machine serves at both edges, and ends all that it started', async ({
  skip,
}) => {
  const missing = natsMissing ?? postgresMissing;
  skip(missing !== undefined, missing);
  const { output } = run([]);
  // A chain, three servers of NATS, Postgres, two cores and two edges, one after the other.
  await until(() => output().includes('ready ') || child?.exitCode !== null, 180_000);
  const urls = [...output().matchAll(/^edge-\d (\S+)\/$/gm)].map(([, url = '']) => url);
  const pids = [...output().matchAll(/(?:nats-\d|postgres|core-\d|edge-\d) (\d+)/g)];
  expect([urls.length, pids.length]).toEqual([2, 8]);
  for (const url of urls) {
    expect((await fetch(`${url}/l2?marketName=SOL-PERP&depth=5`)).status).toBe(200);
    await until(async () =>
      (await (await fetch(`${url}/trades?symbol=SOL-PERP`)).text()).includes('txSig'),
    );
  }
  child?.kill('SIGTERM');
  await until(() => child?.exitCode !== null);
  expect(child?.exitCode).toBe(0);
  await until(() => pids.every(([, pid]) => !existsSync(`/proc/${pid}`)));
});

test('a program that is not there is named in one line', async () => {
  const { output } = run(['--nats-server', '/absent/nats-server']);
  await until(() => child?.exitCode !== null);
  expect(child?.exitCode).toBe(2);
  expect(output()).toBe(
    'slotbook: local-cluster needs nats-server, and /absent/nats-server cannot be started: apt-get install nats-server\n',
  );
});

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[];
}

/** A mapping with the keys that it takes over from others. */
function merged(part: ComposeService & { readonly '<<'?: ComposeService }): ComposeService {
  return part['<<'] === undefined ? part : { ...merged(part['<<']), ...part };
}

const compose = load(readFileSync(new URL('../../ops/compose.yaml', import.meta.url), 'utf8')) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};

/** The options of the two commands, by their flags. */
const options = { core: coreOptions, edge: edgeOptions };

test('ops/compose.yaml has flags that there are, and parts that name each other', () => {
  const { services } = compose;
  const names = Object.keys(services);
  expect(names.filter((name) => /^(nats|core|edge)-/.test(name))).toHaveLength(7);
  for (const [name, { command = [], depends_on = [] }] of Object.entries(services).map(
    ([name, part]) => [name, merged(part)] as const,
  )) {
    expect(names).toEqual(expect.arrayContaining([...depends_on]));
    const kind = command[0] as keyof typeof options;
    if (!(kind in options)) continue;
    const flags = command.filter((word) => word.startsWith('--'));
    const known = options[kind].map(({ long }) => long);
    expect({ name, flags: flags.filter((flag) => !known.includes(flag)) }).toEqual({
      name,
      flags: [],
    });
    const nats = command[command.indexOf('--nats') + 1] ?? '';
    for (const url of nats.split(',')) expect(names).toContain(new URL(url).hostname);
    const history = new URL(command[command.indexOf('--history-url') + 1] ?? '');
    expect(names).toContain(history.hostname);
  }
});

test('the balancer of ops/compose.yaml knows each edge by its port', () => {
  const config = readFileSync(new URL('../../ops/haproxy-edges.cfg', import.meta.url), 'utf8');
  const servers = [...config.matchAll(/^ {4}server \S+ (edge-\d):(\d+) /gm)].map((match) =>
    match.slice(1),
  );
  expect(servers).toEqual(
    Object.entries(compose.services)
      .filter(([name]) => name.startsWith('edge-'))
      .map(([name, part]) => [name, merged(part)] as const)
      .map(([name, { command = [] }]) => [name, command[command.indexOf('--port') + 1]]),
  );
});
