/** docs/operations.md names every metric, event and flag that there is, and none that there is not. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPTIONS } from '../src/app/cli-options.js';
import { BOOK_SETTINGS } from '../src/config/command-configs.js';
import { flagOf, SETTINGS } from '../src/config/settings.js';
import { READINESS_STATES } from '../src/contract/feed-status.js';
import { feedMetrics, newCounters } from '../src/feed/model/feed-stats.js';
import { newCounters as historyCounters } from '../src/history/ingest/parts.js';
import { metricsText } from './support/metrics-text.js';
import { withSettingsTables } from './support/settings-document.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The text of the section of states, without those above and below. */
function statesSection(): string {
  const found = /\n## States\n([\s\S]+?)(?=\n## )/.exec(read('docs/operations.md'))?.[1];
  if (found === undefined) throw new Error('there is no section States');
  return found;
}

/** The table of a metric's events. */
function eventsOf(metric: string): string {
  const [, rest = ''] = read('docs/metrics.md').split(`Events of \`${metric}\`:\n\n`);
  return rest.split('\n\n')[0] ?? '';
}

/** The first cells of all table rows. */
function firstCells(text: string): string {
  return [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell).join('\n');
}

const matches = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();

test('every metric is listed, and none that is not there', async () => {
  const printed = matches(await metricsText(), /^# TYPE (slotbook_\w+)/gm);
  expect(printed.length).toBeGreaterThan(20);
  expect(matches(firstCells(read('docs/metrics.md')), /`(slotbook_\w+)/g)).toEqual(printed);
});

test('the labels of each metric are listed with it', async () => {
  const text = await metricsText();
  const labelled = matches(text, /^(slotbook_\w+\{[^}]+\}) /gm)
    .filter((sample) => !sample.includes('_bucket{'))
    .map((sample) => sample.replaceAll(/="[^"]*"/g, ''));
  const listed = matches(firstCells(read('docs/metrics.md')), /`(slotbook_\w+\{[^}]+\})`/g);
  expect(listed).toEqual([...new Set(labelled)].sort());
});

test('every event of the feed is listed, and none that is not there', () => {
  const socket = {
    connects: 0,
    closes: 0,
    messages: 0,
    malformed: 0,
    unknown: 0,
    subscriptions: 0,
  };
  const stats = {
    ...newCounters(),
    ...{ slot: 0, slotAgeMs: 0, slotLag: 0, unixSeconds: 0 },
    ...{ genesisHash: null, node: '', lastAudit: null },
    ...{ clockSkewMs: null, clockReason: null, sources: undefined },
  };
  const replayed = ['journal/replayer.ts', 'journal/log-follower.ts'].flatMap((file) => {
    const fields = /interface \w*(?:Replayer|Follower)Stats \{([\s\S]+?)\n\}/.exec(
      read(`src/${file}`),
    )?.[1];
    return matches(fields ?? '', /readonly (\w+): number/g);
  });
  expect(replayed.length).toBe(9);
  const counted = [...Object.keys(feedMetrics(stats, [socket]).events), ...replayed].sort();
  const events = eventsOf('slotbook_feed_events_total');
  expect(matches(firstCells(events), /`(\w+)`/g)).toEqual(counted);
});

test('every event of the history is listed, and none that is not there', () => {
  const counted = [...Object.keys(historyCounters()), 'workerRestarts'].sort();
  const events = eventsOf('slotbook_history_events_total');
  expect(matches(firstCells(events), /`(\w+)`/g)).toEqual(counted);
});

test('the tables of settings are those of the code', () => {
  const names = ['docs/configuration.md', 'docs/configuration-parts.md'];
  const documents = names.map(read);
  const written = documents.map(withSettingsTables);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    for (const [at, name] of names.entries()) {
      writeFileSync(new URL(`../${name}`, import.meta.url), written[at] ?? '');
    }
  }
  expect(written.join('').match(/<!-- settings: /g)?.length).toBe(4);
  expect(documents).toEqual(written);
  const listed = matches(documents.join('\n'), /^\| `(--[a-z-]+)` \|/gm);
  expect(listed).toEqual(Object.keys(SETTINGS).map(flagOf).sort());
});

test('every setting is read for some command', () => {
  const reader = ['config', 'command-configs', 'aggregator-settings']
    .map((name) => read(`src/config/${name}.ts`))
    .join();
  const ofBooks: readonly string[] = BOOK_SETTINGS;
  const isRead = (name: string): boolean => ofBooks.includes(name) || reader.includes(`'${name}'`);
  expect(Object.keys(SETTINGS).filter((name) => !isRead(name))).toEqual([]);
});

test('every setting is an option of a command', () => {
  const { serve, demo, core, edge, replay, verify } = OPTIONS;
  const commands = [serve, demo, core, edge, replay, verify];
  // Arguments of one run are no settings.
  const ofRuns = ['--json', '--evidence', '--kept', '--key', '--log', '--other', '--other-key'];
  const flags = commands.flat().flatMap(({ long }) => (ofRuns.includes(long ?? '') ? [] : [long]));
  expect([...new Set(flags)].sort()).toEqual(Object.keys(SETTINGS).map(flagOf).sort());
});

test('the states of a book are listed', () => {
  const listed = matches(firstCells(statesSection()), /`(\w+)`/g);
  expect(listed).toEqual([...READINESS_STATES].sort());
});
