import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cleanUp, newFolder } from '../journal/testing.js';
import { copyHistory } from './copy-command.js';

afterEach(cleanUp);

test('a file that is missing is refused, and is not made', async () => {
  const folder = newFolder();
  const file = path.join(folder, 'data', 'E2Gm59RbUKhxr7UqqHxyExevnC3m7TUwKgo18dvFaKt8.db');
  const flags = { historyUrl: 'postgres://127.0.0.1:1/slotbook' };
  const copying = copyHistory(file, flags, { write: () => undefined });
  await expect(copying).rejects.toThrow(`FILE was ${file}, must be the file of a history`);
  expect(existsSync(path.dirname(file))).toBe(false);
});
