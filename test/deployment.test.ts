/** The files of `ops` name flags, files and parts that there are. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../src/app/cli-options.js';
import { environmentNameOf, SETTINGS } from '../src/config/settings.js';
import { container, directive, instruction, readInRoot, root } from './support/ops-files.js';

test.each([
  ['the unit', directive('ExecStart').split(/\s+/).slice(2)],
  ['the image', instruction('CMD')],
])('%s starts the service with flags that there are', (_, [command, ...args]) => {
  expect(command).toBe('serve');
  const known = OPTIONS.serve.map(({ long }) => long);
  const flags = args.filter((word) => word.startsWith('--'));
  expect(flags.length).toBeGreaterThan(0);
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
});

test('the unit lets the service write its own folder only, and bounds its memory', () => {
  expect(directive('ProtectSystem')).toBe('strict');
  expect(directive('NoNewPrivileges')).toBe('yes');
  expect(directive('MemoryMax')).toMatch(/^\d+G$/);
  expect(directive('Restart')).toBe('always');
  expect(directive('User')).not.toBe('root');
  const [, written] = /--data-dir (\S+)/.exec(directive('ExecStart')) ?? [];
  expect(written).toBe(`/var/lib/${directive('StateDirectory')}`);
});

test('the image is built of what there is, runs as nobody special and says whether it lives', () => {
  const sources = [...container.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, from = '']) => from);
  expect(sources.filter((from) => !existsSync(path.join(root, from)))).toEqual([]);
  const stage = container.slice(container.lastIndexOf('\nFROM '));
  expect(/^USER (\S+)$/m.exec(stage)?.[1]).toBe('node');
  expect(/^RUN node (\S+)/m.exec(container)?.[1]).toSatisfy((script: string) =>
    existsSync(path.join(root, script)),
  );
  const port = instruction('CMD')[instruction('CMD').indexOf('--metrics-port') + 1];
  expect(stage).toContain(`http://127.0.0.1:${port}/health`);
});

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[];
}

/** A mapping with the keys that it takes over from others. */
function merged(part: ComposeService & { readonly '<<'?: ComposeService }): ComposeService {
  return part['<<'] === undefined ? part : { ...merged(part['<<']), ...part };
}

const compose = load(readInRoot('ops/compose.yaml')) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};

/** The options of the two commands, by their flags. */
const options = { core: OPTIONS.core, edge: OPTIONS.edge };

test('ops/compose.yaml has flags that there are, and parts that name each other', () => {
  const { services } = compose;
  const names = Object.keys(services);
  expect(names.filter((name) => /^(nats|core|edge)-/.test(name))).toHaveLength(7);
  const variables = Object.keys(SETTINGS).map(environmentNameOf);
  for (const [name, { command = [], depends_on = [], environment = {} }] of Object.entries(
    services,
  ).map(([name, part]) => [name, merged(part)] as const)) {
    expect(names).toEqual(expect.arrayContaining([...depends_on]));
    const kind = command[0] as keyof typeof options;
    if (!(kind in options)) continue;
    const flags = command.filter((word) => word.startsWith('--'));
    const known = options[kind].map(({ long }) => long);
    expect({ name, flags: flags.filter((flag) => !known.includes(flag)) }).toEqual({
      name,
      flags: [],
    });
    expect(variables).toEqual(expect.arrayContaining(Object.keys(environment)));
    const { SLOTBOOK_NATS: nats = '', SLOTBOOK_HISTORY_URL: history = '' } = environment;
    for (const url of nats.split(',')) {
      expect(names).toContain(new URL(url).hostname);
      expect(new URL(url).username, 'the login of its role').toBe(kind);
    }
    expect(names).toContain(new URL(history).hostname);
  }
});

test('no command line of ops/compose.yaml has a secret, and each NATS server has the logins', () => {
  for (const part of Object.values(compose.services).map(merged))
    expect((part.command ?? []).join(' ')).not.toContain('${');
  const servers = Object.entries(compose.services).filter(([name]) => name.startsWith('nats-'));
  for (const [, { command = [] }] of servers) expect(command).toContain('/nats.conf');
});

test('the balancer of ops/compose.yaml knows each edge by its port', () => {
  const config = readInRoot('ops/haproxy-edges.cfg');
  const servers = [...config.matchAll(/^ {4}server \S+ (edge-\d):(\d+)$/gm)].map((match) =>
    match.slice(1),
  );
  expect(servers).toEqual(
    Object.entries(compose.services)
      .filter(([name]) => name.startsWith('edge-'))
      .map(([name, part]) => [name, merged(part)] as const)
      .map(([name, { command = [] }]) => [name, command[command.indexOf('--port') + 1]]),
  );
  // Else HAProxy does not start while an edge is away, and keeps the address of one that has moved.
  expect(config).toMatch(/^ {4}default-server resolvers names init-addr last,libc,none check /m);
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

describe('the release', () => {
  const workflow = load(readInRoot('.github/workflows/release.yml')) as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };
  const jobs = Object.entries(workflow.jobs);

  test('uses actions by digest, and no job writes but what it publishes', () => {
    expect(workflow.permissions).toEqual({});
    const uses = jobs.flatMap(([, { steps }]) => steps.flatMap(({ uses: name }) => name ?? []));
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
    const writers = jobs.filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(writers.map(([name]) => name)).toEqual(['draft', 'npm', 'pypi']);
  });

  test('runs scripts that there are', () => {
    const runs = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? [])).join('\n');
    const scripts = [...runs.matchAll(/\b(?:node|bash) ([\w./-]+)/g)].map(([, name = '']) => name);
    expect(scripts).toContain('scripts/release-version.mjs');
    expect(scripts.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test('every package has one version, which the changelog names', async () => {
    const { faultsOf } = await import(path.join(root, 'scripts/release-version.mjs'));
    const { version } = JSON.parse(readInRoot('package.json'));
    expect(faultsOf(version)).toEqual([]);
    expect(faultsOf('99.0.0')).toContain('CHANGELOG.md has no section [99.0.0]');
  });
});
