/** The files of `ops` name flags, files and parts that there are. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { coreOptions, edgeOptions, serveOptions } from '../src/app/cli-options.js';
import { container, directive, instruction, readInRoot, root } from './support/ops-files.js';

test.each([
  ['the unit', directive('ExecStart').split(/\s+/).slice(2)],
  ['the image', instruction('CMD')],
])('%s starts the service with flags that there are', (_, [command, ...args]) => {
  expect(command).toBe('serve');
  const known = serveOptions.map(({ long }) => long);
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
  const config = readInRoot('ops/haproxy-edges.cfg');
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
