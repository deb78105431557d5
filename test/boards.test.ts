/** The alerts and the board of `ops` against /metrics: every name in them is one that is printed. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { metricsText } from './support/metrics-text.js';
import { type Matcher, selectorsIn } from './support/promql.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** What Prometheus adds to every series itself. */
const OF_PROMETHEUS = { metric: 'up', labels: ['job', 'instance'] };

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const rules: readonly Rule[] = read('ops/prometheus-alerts.yaml')
  .split(/^ {6}- /m)
  .slice(1)
  .map((text) => {
    const textOf = (name: string) => new RegExp(`^ *${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
    return { alert: textOf('alert'), expr: textOf('expr') };
  });

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly h: number;
    readonly w: number;
    readonly x: number;
    readonly y: number;
  };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

const board: { readonly panels: readonly Panel[] } = JSON.parse(read('ops/grafana-dashboard.json'));
const charts = board.panels.filter(({ type }) => type !== 'row');

/** The values of each label of each metric, by `metric` and by `metric label`. */
let printed: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  const found = new Map<string, Set<string>>();
  for (const line of (await metricsText()).split('\n')) {
    const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (!found.has(metric)) found.set(metric, new Set());
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      found.set(`${metric} ${label}`, (found.get(`${metric} ${label}`) ?? new Set()).add(value));
    }
  }
  printed = found;
});

/** Fails where an expression names a metric, a label or one of a few values that are not printed. */
function checkNames(expression: string): void {
  const selectors = selectorsIn(expression);
  expect(selectors.length).toBeGreaterThan(0);
  for (const { metric, matchers } of selectors) {
    if (metric === OF_PROMETHEUS.metric) continue;
    expect([metric, printed.has(metric)]).toEqual([metric, true]);
    for (const matcher of matchers) checkMatcher(metric, matcher);
  }
}

function checkMatcher(metric: string, { label, isPattern, value }: Matcher): void {
  if (OF_PROMETHEUS.labels.includes(label)) return;
  const values = printed.get(`${metric} ${label}`) ?? new Set();
  const wanted = isPattern ? value.split('|') : [value];
  expect([metric, label, wanted.filter((one) => !values.has(one))]).toEqual([metric, label, []]);
}

describe('an alert', () => {
  test.each(rules)('$alert is an expression over metrics that there are', ({ alert, expr }) => {
    expect(alert).toMatch(/^Slotbook[A-Z]\w+$/);
    checkNames(expr);
    // Without a comparison it would always fire.
    expect(expr).toMatch(/ (==|>|<|>=|<=) /);
  });

  test('stands in the file for each that docs/alerts.md has', () => {
    const [, section = ''] = read('docs/alerts.md').split('\n## Alerts\n');
    const listed = [
      ...(section.split('\n## ')[0] ?? '').matchAll(/^\| [^|]+ \| [^`|]*`([^`]+)`/gm),
    ];
    expect(listed.length).toBeGreaterThan(10);
    const texts = listed.map(([, text = '']) => text);
    const missing = texts.filter((text) => !rules.some(({ expr }) => expr.includes(text)));
    expect(missing).toEqual([]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe('the board', () => {
  test.each(charts)('shows $title ($id) by metrics that there are', ({ targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) checkNames(expr);
  });

  test('shows every metric of the service', () => {
    const shown = charts.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => selectorsIn(expr).map(({ metric }) => metric)),
    );
    const bases = [...printed.keys()].filter((name) => /^slotbook_\w+$/.test(name));
    const of = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const missing = bases.filter((name) => !shown.some((one) => of(one) === of(name)));
    expect(missing).toEqual([]);
  });

  test('has no two panels in one place or of one number', () => {
    const cells = board.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    expect(Math.max(...board.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });
});

test.each([
  'rate(slotbook_slot)',
  'slotbook_slot >',
  'slotbook_slot{state=live}',
  'sum by (a (slotbook_slot)',
  'nothing(slotbook_slot)',
  'slotbook_slot slotbook_ready',
  'slotbook_slot[5 minutes]',
])('what is no expression would be seen: %s', (text) => {
  expect(() => selectorsIn(text)).toThrow(/wanted|token/);
});

test('a name that is not printed would be seen', () => {
  expect(() => checkNames('slotbook_nothing > 1')).toThrow();
  expect(() => checkNames('slotbook_history_state{state="asleep"} == 1')).toThrow();
  expect(() => checkNames('slotbook_history_state{mood="live"} == 1')).toThrow();
});
