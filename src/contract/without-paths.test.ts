import { expect, test } from 'vitest';
import { withoutPaths } from './without-paths.js';

test.each([
  [
    'the disk is full: /var/lib/my data/Abc.db (SQLITE_FULL)',
    'the disk is full: Abc.db (SQLITE_FULL)',
  ],
  ["ENOENT: no such file, mkdir '/srv/a/b'", "ENOENT: no such file, mkdir 'b'"],
  ['Cannot find module "/opt/x/worker.js"', 'Cannot find module "worker.js"'],
  ['/etc/passwd', 'passwd'],
  ['C:\\data\\x.db is damaged', 'x.db is damaged'],
  ['docs/operations.md says; https://node.example/ was 12/13 behind', null],
])('of %s no path of the machine is left', (reason, expected) => {
  expect(withoutPaths(reason, '/var/lib/my data')).toBe(expected ?? reason);
});
