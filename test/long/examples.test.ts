/** The examples, and what the README and the tour show, run as their users run them, against the demo. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import { commandsIn, maskedLines, shapeOf } from '../support/document-answers.js';
import { until } from '../support/until.js';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
const cli = fileURLToPath(new URL('../../dist/src/app/cli.js', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const documents = `${readme}\n${readFileSync(`${root}docs/tour.md`, 'utf8')}`;
const execute = promisify(execFile);
const DEADLINE_MS = 120_000;
/** A busy machine is no reason to call a book late. */
const PATIENT = { laggingAfterMs: '60000', staleAfterMs: '120000' } as const;

let service: Service;

beforeAll(async () => {
  const flags = { port: '0', makers: '20', seed: '5', logLevel: 'warn', ...PATIENT };
  service = await startDemoService(new ConfigReader(flags, {}).readDemo());
  const isReady = async () => (await fetch(`${service.url}/ready`)).status === 200;
  await until(isReady, DEADLINE_MS);
}, DEADLINE_MS);

afterAll(() => service?.stop());

/** What an example prints until it ends by itself; what it complains of is a failure. */
async function runExample(name: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [`${folder}${name}`, service.url, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  expect(errors).toBe('');
  expect(child.exitCode).toBe(0);
  return output;
}

/** The first lines that code prints which never ends by itself, such as the README's bot. */
async function firstLinesOf(code: string, count: number): Promise<readonly string[]> {
  const source = code.replace('http://127.0.0.1:8080', service.url);
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: DEADLINE_MS,
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (lines.push(line) === count) break;
  }
  child.kill();
  await ended;
  return lines;
}

/**
 * An answer without what comes and goes from one moment to the next: the averages of the market makers'
 * oracle are left out while its own price is used, and a busy machine may make an oracle old.
 */
function parseAnswer(text: string): unknown {
  return JSON.parse(text, (key, value) => {
    if (key === 'offsetOrdersExcluded') return undefined;
    if (key !== 'mmOracleData') return value;
    const { twap: _, twapConfidence: _confidence, ...always } = value;
    return always;
  });
}

/** Where the documents have their service, and what the service has there. */
async function readShown(shown: string): Promise<Response> {
  return fetch(shown.replace('http://127.0.0.1:8080', service.url));
}

const shownCommands = commandsIn(documents);
const shownRequests = shownCommands.flatMap(({ commands, answer }) =>
  commands.flatMap((line) => {
    const [, url] = /^curl -s '(\S+)'$/.exec(line) ?? [];
    return url === undefined ? [] : [{ url, answer: commands.length === 1 ? answer : null }];
  }),
);
describe.concurrent('the README and the tour', () => {
  test.each(shownRequests)(
    '$url is answered as they show',
    async ({ url, answer }) => {
      // A trade takes a moment to be made, and its candle with it.
      const hasRecords = async () => {
        const reply = await readShown(url);
        return reply.ok && (await reply.text()) !== '[]';
      };
      await until(hasRecords, DEADLINE_MS);
      const response = await readShown(url);
      expect(response.status).toBe(200);
      const body = parseAnswer(await response.text());
      if (answer !== null) expect(shapeOf(body)).toEqual(shapeOf(parseAnswer(answer)));
    },
    DEADLINE_MS,
  );

  test(
    'match prints the table that they show',
    async () => {
      const shown = shownCommands.find(
        ({ commands, answer }) => answer !== null && commands[0]?.includes('-- match'),
      );
      const [, args = ''] = /-- (.*)$/.exec(shown?.commands[0] ?? '') ?? [];
      const { stdout } = await execute('node', [cli, ...args.split(' '), '--url', service.url]);
      expect(maskedLines(stdout)).toEqual(maskedLines(shown?.answer ?? ''));
    },
    DEADLINE_MS,
  );

  test(
    'have a bot in ten lines that prints what they show',
    async () => {
      const [, code = ''] = /^```js\n([\s\S]*?)^```/m.exec(readme) ?? [];
      expect(code.match(/^.*\S.*$/gm)?.length).toBeLessThanOrEqual(10);
      const shown = shownCommands.find(({ commands }) => commands[0] === 'node bot.mjs');
      const printed = await firstLinesOf(code, 3);
      expect(maskedLines(printed.join('\n'))).toEqual(maskedLines(shown?.answer ?? ''));
    },
    DEADLINE_MS,
  );

  test('list paths that are served', async () => {
    const rows = [...documents.matchAll(/^\| (`\/.*?`) \|/gm)].map(([, cell = '']) => cell);
    const paths = rows.flatMap((cell) => cell.replaceAll('`', '').split(' '));
    expect(paths.length).toBeGreaterThan(15);
    const makers = await fetch(`${service.url}/topMakers?marketName=SOL-PERP&side=bid`);
    const [account = ''] = (await makers.json()) as readonly string[];
    const replies = paths.map(async (path) => {
      const { status } = await fetch(`${service.url}${path.replace('ACCOUNT', account)}`);
      return { path, status };
    });
    const expected = paths.map((path) => ({ path, status: path.endsWith('ws') ? 426 : 200 }));
    expect(await Promise.all(replies)).toEqual(expected);
  });
});

test('an answer that no document shows would be seen', () => {
  expect(shownRequests.filter(({ answer }) => answer !== null)).toHaveLength(3);
  expect(shapeOf({ a: 1, b: ['2', '3'] })).toEqual(shapeOf({ a: 5, b: ['7'] }));
  expect(shapeOf({ a: 1, b: ['2'] })).not.toEqual(shapeOf({ b: ['2'], a: 1 }));
  expect(shapeOf({ a: 1 })).not.toEqual(shapeOf({ a: '1' }));
  expect(maskedLines('fee  0.1\nfee 0.25')).toEqual(['fee 0']);
});

interface NamedAccount {
  readonly account: string;
  readonly authority: string;
  readonly name: string;
}

/** A maker of one of the newest trades, which will have others. */
async function filledAccount(): Promise<NamedAccount> {
  let maker: string | null | undefined;
  await until(async () => {
    const answer = await fetch(`${service.url}/trades?symbol=SOL-PERP&limit=50`);
    const trades = answer.ok ? ((await answer.json()) as { maker: string | null }[]) : [];
    maker = trades.find((trade) => trade.maker !== null)?.maker;
    return maker !== undefined;
  }, DEADLINE_MS);
  return (await (await fetch(`${service.url}/accounts/${maker}`)).json()) as NamedAccount;
}

describe.concurrent('the example', () => {
  test(
    'quoting-loop prints a bid below an ask whenever they change',
    async () => {
      const lines = (await runExample('quoting-loop.mjs', ['SOL-PERP', '5'])).trim().split('\n');
      expect(lines).toHaveLength(5);
      const quotes = lines.filter((line) => line.startsWith('SOL-PERP bid '));
      expect(quotes.length).toBeGreaterThan(0);
      for (const line of quotes) {
        const [, bid, ask] = /^SOL-PERP bid ([\d.]+) ask ([\d.]+)$/.exec(line) ?? [];
        expect(Number(bid)).toBeGreaterThan(0);
        expect(Number(ask)).toBeGreaterThan(Number(bid));
      }
    },
    DEADLINE_MS,
  );

  test(
    'candle-recorder writes a row for each candle',
    async () => {
      const [head, ...rows] = (await runExample('candle-recorder.mjs', ['SOL-PERP', '-', '0']))
        .trim()
        .split('\n');
      expect(head).toBe('ts,open,high,low,close,volume');
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toMatch(/^\d+(,\d+(\.\d+)?){5}$/);
    },
    DEADLINE_MS,
  );

  test(
    'depth-chart draws both sides',
    async () => {
      const output = await runExample('depth-chart.mjs', ['SOL-PERP', '3']);
      expect(output.match(/^SOL-PERP \w+ at slot \d+$/gm)).toHaveLength(3);
      expect(output).toMatch(/█/);
      expect(output).toMatch(/░/);
    },
    DEADLINE_MS,
  );

  test(
    'fill-log prints the fills of a wallet',
    async () => {
      const account = await filledAccount();
      const output = await runExample('fill-log.mjs', [account.authority, '2']);
      const fill = new RegExp(
        `^${account.name}: \\S+ order \\d+ (long|short) [\\d.]+ for [\\d.]+$`,
        'gm',
      );
      expect(output.match(fill)).toHaveLength(2);
    },
    DEADLINE_MS,
  );

  test(
    'health-watch warns of an account below its limit',
    async () => {
      const { account, name } = await filledAccount();
      const output = await runExample('health-watch.mjs', [account, '101', '3']);
      expect(output.match(new RegExp(`^${name}: health \\d+, free -?[\\d.]+$`, 'gm'))).toHaveLength(
        3,
      );
    },
    DEADLINE_MS,
  );
});

test('every example is run here and has fewer than 60 lines', () => {
  const names = readdirSync(folder).sort();
  // The exchange class for ccxt and the book in a process have tests of their own.
  expect(names).toEqual([
    'candle-recorder.mjs',
    'ccxt',
    'depth-chart.mjs',
    'fill-log.mjs',
    'health-watch.mjs',
    'in-process.mjs',
    'quoting-loop.mjs',
  ]);
  for (const name of names.filter((one) => one.endsWith('.mjs'))) {
    expect(readFileSync(`${folder}${name}`, 'utf8').split('\n').length).toBeLessThan(60);
  }
});
