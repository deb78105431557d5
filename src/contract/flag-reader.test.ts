import { expect, test } from 'vitest';
import { FlagReader } from './flag-reader.js';

const reader = new FlagReader((message) => new Error(message));

test.each<[() => unknown, string]>([
  [() => reader.readAddress('--url', 'ftp://x'), '--url must begin with http:// or https://'],
  [() => reader.readAddress('--url', 'x', ['http:', 'ws:', 'wss:']), 'http://, ws:// or wss://'],
  [() => reader.readWhole('rate', '0', [1, 9]), '--rate was 0, must be 1 to 9'],
  [() => reader.readWhole('rate', '-1', [0, 9]), '--rate was -1, must be 0 to 9'],
  [() => reader.readWhole('rate', '9'.repeat(400), [1, 9]), 'must be 1 to 9'],
  [() => reader.readChoice('depth', '11', [10, 20]), '--depth was 11, must be 10, 20'],
])('a wrong flag is refused with its rule: %#', (read, message) => {
  expect(read).toThrow(message);
});

test('a flag within its rule is read', () => {
  expect(reader.readAddress('--url', 'https://host/a').href).toBe('https://host/a');
  expect(reader.readWhole('readers', '0', [0, 9])).toBe(0);
  expect(reader.readChoice('depth', '20', [10, 20])).toBe(20);
});
