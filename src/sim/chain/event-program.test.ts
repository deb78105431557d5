import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventProgram } from './event-program.js';
import { assembleProgram } from './testing/event-program.js';

const GENERATED = fileURLToPath(new URL('./generated/event-program.ts', import.meta.url));

test('the file of the program is the one that its instructions make', () => {
  const text =
    '// Generated from src/sim/chain/testing/event-program.ts by src/sim/chain/event-program.test.ts.\n\n' +
    '/** The ELF file of the program, base64. */\n' +
    `export const EVENT_PROGRAM =\n  '${assembleProgram().toString('base64')}';\n`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GENERATED, text);
  expect(readFileSync(GENERATED, 'utf8')).toBe(text);
  expect(eventProgram()).toEqual(assembleProgram());
});
