/** The examples run as their users run them, against the demo. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../src/app/book-service.js';
import { startDemoService } from '../src/app/start-service.js';
import { ConfigReader } from '../src/config/config.js';
import { until } from './support/until.js';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const DEADLINE_MS = 120_000;

let service: Service;

beforeAll(async () => {
  const flags = { port: '0', makers: '20', seed: '5', logLevel: 'warn' };
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
});

test('every example is run here and has fewer than 60 lines', () => {
  const names = readdirSync(folder).sort();
  expect(names).toEqual(['candle-recorder.mjs', 'depth-chart.mjs', 'quoting-loop.mjs']);
  for (const name of names) {
    expect(readFileSync(`${folder}${name}`, 'utf8').split('\n').length).toBeLessThan(60);
  }
});
