/** The documents' commands are known to the command line, and their JSON is JSON. */
import { readdirSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { OPTIONS } from '../src/app/cli-options.js';
import { commandsIn } from './support/document-answers.js';

const root = new URL('../', import.meta.url);
const documents = [
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...['README.md', 'CONTRIBUTING.md', 'src/client/README.md', 'python/README.md'],
];
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');

/** What follows the program's name in a line of a shell. */
const CALL = /(?:^|&& )(?:npm start(?: --)?|(?:npx )?slotbook)(?= |$)(.*)/;

/** Throws for a command or an option that the program has not. */
function parseShown(words: readonly string[]): void {
  const [first = '', ...others] = words;
  const isNamed = first !== '' && !first.startsWith('-');
  const name = isNamed ? first : 'start';
  const options = Object.entries(OPTIONS).find(([command]) => command === name)?.[1];
  if (options === undefined) throw new Error(`no command ${first}`);
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of options) command.addOption(option);
  command.allowExcessArguments().parse(isNamed ? others : words, { from: 'user' });
}

/** The calls of the program in a document, as words. */
function callsIn(document: string): readonly (readonly string[])[] {
  const lines = commandsIn(document).flatMap(({ commands }) => commands);
  return lines.flatMap((line) => {
    const [, rest] = CALL.exec(line.replace(/(^|\s)#.*/, '')) ?? [];
    return rest === undefined
      ? []
      : [
          rest
            .trim()
            .split(/\s+/)
            .filter((word) => word !== ''),
        ];
  });
}

const calls = documents.flatMap((name) =>
  callsIn(read(name)).map((words) => [name, words.join(' ')] as const),
);

test.each(calls)('%s: slotbook %s', (_, text) => {
  parseShown(text === '' ? [] : text.split(' '));
});

test('a wrong option or command would be seen', () => {
  expect(calls.length).toBeGreaterThan(30);
  expect(() => parseShown(['serve', '--no-such'])).toThrow();
  expect(() => parseShown(['serves'])).toThrow('no command');
});

test.each(documents)('%s: its JSON is JSON', (name) => {
  const blocks = [...read(name).matchAll(/^```json\n([\s\S]*?)^```$/gm)];
  const parts = blocks.flatMap(([, block = '']) => partsOf(block));
  expect(parts.filter((part) => !isJson(part))).toEqual([]);
});

/** The values of a block: one, or several that each begin on a line. */
function partsOf(block: string): readonly string[] {
  const parts: string[] = [];
  let open = '';
  for (const line of block.trim().split('\n')) {
    open += line;
    if (!isJson(open)) continue;
    parts.push(open);
    open = '';
  }
  return open === '' ? parts : [...parts, open];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
