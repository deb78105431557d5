/** docs/lifecycle.md follows one account: its functions are in their files, and are called in its order. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { Engine } from '../src/engine/engine.js';
import { TopicFrames } from '../src/engine/topics.js';
import { RecordBatch } from '../src/engine/turn-records.js';
import { Turns } from '../src/feed/model/turns.js';
import { SubscriptionTable } from '../src/rpc/subscriptions.js';
import { Publisher } from '../src/server/sockets/publisher.js';
import { SocketServer } from '../src/server/sockets/socket-server.js';
import { StreamTopic } from '../src/server/sockets/stream-topic.js';
import { StreamTopics } from '../src/server/sockets/stream-topics.js';
import { type World, world } from './world/world.js';

const root = new URL('../', import.meta.url);
const document = readFileSync(new URL('docs/lifecycle.md', root), 'utf8');
const section = document.split('## An account update\n')[1]?.split('\n## ')[0] ?? '';

/** The functions of the section, each behind the file that has it. */
const named = [...section.matchAll(/`((?:src|crates)\/[^`]+)`|`(\w+\.\w+|\w+)\(\)`/g)].reduce(
  ({ file, functions }, [, path, name]) =>
    path === undefined
      ? { file, functions: [...functions, { file, name: name ?? '' }] }
      : { file: path, functions },
  { file: '', functions: [] as readonly { file: string; name: string }[] },
).functions;

const CLASSES = {
  SubscriptionTable,
  Engine,
  RecordBatch,
  Turns,
  SocketServer,
  StreamTopics,
  Publisher,
  StreamTopic,
  TopicFrames,
};

let started: World | undefined;
const restored: (() => void)[] = [];

afterEach(async () => {
  await started?.stop();
  started = undefined;
  for (const restore of restored.splice(0)) restore();
});

test('each function that it names is in its file', () => {
  expect(named.length).toBeGreaterThan(12);
  for (const { file, name } of named) {
    const [owner, method] = name.includes('.') ? name.split('.') : [undefined, name];
    const text = readFileSync(new URL(file, root), 'utf8');
    if (owner !== undefined) expect(text, name).toMatch(new RegExp(`class ${owner}\\b`));
    expect(text, name).toMatch(new RegExp(`(fn |function |^  (async )?)${method}[(<]`, 'm'));
  }
});

test('an account calls them in the order of the document', async () => {
  const methods = named.map(({ name }) => name).filter((name) => name.includes('.'));
  const calls: string[] = [];
  for (const name of methods) {
    const [owner = '', method = ''] = name.split('.');
    const { prototype }: { readonly prototype: object } = CLASSES[owner as keyof typeof CLASSES];
    const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
    Reflect.set(prototype, method, function (this: unknown, ...args: unknown[]): unknown {
      calls.push(name);
      return original.apply(this, args);
    });
    restored.push(() => Reflect.set(prototype, method, original));
  }
  started = await world();
  const client = await started.connect();
  await client.follow({ channel: 'book', market: 'SOL-PERP', depth: 20 });
  calls.length = 0;
  await started.run(5_000);
  // Heartbeats are sent in between: the account whose frame is rendered first is followed.
  const rendered = calls.indexOf('StreamTopic.renderFrame');
  const received = calls.lastIndexOf(
    'SubscriptionTable.handleMessage',
    calls.lastIndexOf('Engine.push', calls.lastIndexOf('Turns.runTurn', rendered)),
  );
  expect(received).toBeGreaterThanOrEqual(0);
  expect([...new Set(calls.slice(received))]).toEqual(methods);
});
