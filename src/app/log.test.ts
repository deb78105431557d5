import { describe, expect, test } from 'vitest';
import { ConfigReader } from '../config/config.js';
import { Secrets, secrets } from '../config/secrets.js';
import { secretOf } from '../config/setting-kinds.js';
import { environmentNameOf, SETTINGS, type SettingName } from '../config/settings.js';
import { RpcError } from '../rpc/error.js';
import { createLog, LogLines, wordsOf } from './log.js';

/** A log, and its written lines. */
function newLog(hidden: Secrets = secrets) {
  const written: string[] = [];
  const write = (bytes: Uint8Array): number => {
    written.push(Buffer.from(bytes).toString());
    return bytes.length;
  };
  return { written, log: createLog({ logLevel: 'info' }, new LogLines(write, hidden)) };
}

/** A value of each kind of secret setting, and its parts that must not be logged. */
function exampleOf(name: SettingName): {
  readonly value: string;
  readonly hidden: readonly string[];
} {
  const setting = SETTINGS[name];
  const hidden = [`${name}-user`, `${name}-pass word`, `${name}-querykey`];
  if (secretOf(setting) === 'all') return { value: hidden.join('-'), hidden: [hidden.join('-')] };
  const scheme = 'protocols' in setting ? setting.protocols[0] : 'rpc:http:';
  const [user, password, query] = hidden.map(encodeURIComponent);
  const value = `${scheme}//${user}:${password}@host.example/database?key=${query}`;
  const isList = setting.kind === 'urls' || setting.kind === 'names';
  return { value: isList ? `${scheme}//first.example,${value}` : value, hidden };
}

describe('log: secrets', () => {
  const names = (Object.keys(SETTINGS) as SettingName[]).filter((name) => secretOf(SETTINGS[name]));

  test('tokens and all addresses of the settings are secret', () => {
    expect(names).toEqual(expect.arrayContaining(['grpcToken', 'source', 'nats', 'historyUrl']));
    const ofAddresses = Object.entries(SETTINGS).filter(([, row]) => 'protocols' in row);
    expect(names).toEqual(expect.arrayContaining(ofAddresses.map(([name]) => name)));
    const ofSecretNames = Object.keys(SETTINGS).filter((name) => /token|password|key$/i.test(name));
    expect(names).toEqual(expect.arrayContaining(ofSecretNames));
  });

  test.each(names)('a line has nothing of %s, given as a flag or in the environment', (name) => {
    const { value, hidden } = exampleOf(name);
    const another = value.replaceAll(name, `${name}Env`);
    new ConfigReader({ [name]: value }, {});
    new ConfigReader({}, { [environmentNameOf(name)]: another });
    const { written, log } = newLog();
    for (const text of [value, another]) {
      const all = `${text} ${[...hidden, ...hidden.map(encodeURIComponent)].join()}`;
      log.warn({ err: new Error(all, { cause: new Error(all) }), deep: [{ [all]: all }] }, all);
    }
    expect(written).toHaveLength(2);
    const left = hidden.flatMap((secret) => [secret, secret.replace(name, `${name}Env`)]);
    expect(left.filter((secret) => written.join().includes(secret))).toEqual([]);
    expect(written.join()).not.toContain(`${name}-pass`);
  });

  test('every part of a line is masked, and what is left is JSON', () => {
    const hidden = new Secrets();
    hidden.addSecret('the "key"');
    hidden.addSecret('7');
    const { written, log } = newLog(hidden);
    const serverText = 'bad the "key", said {"key":"the \\"key\\""}';
    const err = new RpcError('RPC_REJECTED', 'refused', { rpcCode: 7, serverText });
    log.warn({ err, list: ['the "key"'], seven: 7 }, 'with the "key" 7');
    const line = JSON.parse(written[0] ?? '') as Record<string, unknown>;
    expect(line).toMatchObject({ list: ['***'], seven: 7, msg: 'with *** ***' });
    expect(line['err']).toMatchObject({
      context: { rpcCode: 7, serverText: 'bad ***, said {"key":"***"}' },
    });
    expect(written[0]?.endsWith('}\n')).toBe(true);
  });

  test('a page that a server sends is cut, and not within a secret', () => {
    const hidden = new Secrets();
    hidden.addSecret('0123456789');
    const { written, log } = newLog(hidden);
    log.info({}, `${'x'.repeat(3_995)}0123456789${'y'.repeat(9_000)}`);
    const { msg } = JSON.parse(written[0] ?? '') as { msg: string };
    expect(msg).toBe(`${'x'.repeat(3_995)}***yy`);
  });
});

describe('log: a place that cannot be written', () => {
  /** Lines to a destination that accepts some more bytes, and then fails with this code. */
  function failing(code: string) {
    let text = '';
    const place = { room: Number.POSITIVE_INFINITY };
    const lines = new LogLines((bytes, from) => {
      if (place.room === 0) throw Object.assign(new Error(`${code}: write`), { code });
      const taken = bytes.subarray(from, from + Math.min(place.room, 7));
      place.room -= taken.length;
      text += Buffer.from(taken).toString();
      return taken.length;
    }, new Secrets());
    const read = (): readonly string[] =>
      text
        .split('\n')
        .map((line) => (line === '' ? '' : (JSON.parse(line) as { msg: string }).msg));
    return { lines, place, log: createLog({ logLevel: 'info' }, lines), read };
  }

  test.each(['ENOSPC', 'EPIPE', 'EIO', 'EBADF', 'EAGAIN'])(
    'throws nothing into what logs, and lines that are lost are counted: %s',
    (code) => {
      const { lines, place, log, read } = failing(code);
      log.info({}, 'first');
      place.room = 0;
      log.warn({}, 'lost');
      log.error({ err: new Error('lost') }, 'lost as well');
      expect(lines.lost).toBe(2);
      place.room = Number.POSITIVE_INFINITY;
      log.info({}, 'last');
      expect(lines.lost).toBe(2);
      expect(read()).toEqual(['first', 'last', '']);
    },
  );

  test('a line that was written in part is ended before the next one', () => {
    const { lines, place, log, read } = failing('ENOSPC');
    place.room = 10;
    log.info({}, 'torn');
    log.info({}, 'lost');
    place.room = 5;
    log.info({}, 'lost as well');
    place.room = Number.POSITIVE_INFINITY;
    log.info({}, 'last');
    expect(lines.lost).toBe(2);
    expect(read()).toEqual(['torn', 'last', '']);
  });

  test('a place that takes no byte of a line loses it', () => {
    const lines = new LogLines(() => 0, new Secrets());
    createLog({ logLevel: 'info' }, lines).info({}, 'lost');
    expect(lines.lost).toBe(1);
  });
});

describe('log: words', () => {
  const line = (members: object): string =>
    `${JSON.stringify({ time: 1_700_000_000_000, ...members })}\n`;

  test('name time, level, message and members', () => {
    const members = { slot: 7, node: 'a:1', reason: 'not now' };
    expect(wordsOf(line({ level: 30, msg: 'the book is live', ...members }))).toBe(
      '22:13:20 the book is live slot=7 node=a:1 reason="not now"\n',
    );
    expect(wordsOf(line({ level: 40, msg: 'connection lost', sources: ['a'] }))).toBe(
      '22:13:20 warn: connection lost sources=["a"]\n',
    );
  });

  test('show the stack of an error, and hide secrets in it', () => {
    const hidden = new Secrets();
    hidden.addSecret('hush-hush');
    const written: string[] = [];
    const lines = new LogLines(
      (bytes) => written.push(Buffer.from(bytes).toString()) * 0 + bytes.length,
      hidden,
    );
    const log = createLog({ logLevel: 'info', logFormat: 'words' }, lines);
    log.error({ err: new Error('hush-hush failed') }, 'a request failed');
    expect(written.join('')).toMatch(
      /^\d\d:\d\d:\d\d error: a request failed\nError: \S+ failed\n +at /,
    );
    expect(written.join('')).not.toContain('hush-hush');
  });
});
