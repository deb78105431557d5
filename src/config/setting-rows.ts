/**
 * The rows of the table of settings, by kind. The `text` of a row is its purpose, a phrase without
 * a full stop; its `value` is the placeholder in the help.
 */
import { LIMITS } from './limits.js';
import type { ListSetting, Setting, SettingGroup } from './setting-kinds.js';

type SettingRow = Setting extends infer Each
  ? Each extends Setting
    ? Omit<Each, 'group'>
    : never
  : never;

/** Members of a row that most rows leave out; see `SettingBase`. */
interface Rare {
  readonly absent?: string;
  readonly secret?: 'all' | 'addresses';
}

interface NumberRow<Default> extends Pick<Rare, 'absent'> {
  readonly default: Default;
  readonly min: number;
  readonly max: number;
  readonly unit?: string;
  /** By default the unit, or `count`. */
  readonly value?: string;
}

interface TextRow<Default> extends Rare {
  readonly default: Default;
  readonly value: string;
}

interface ListRow extends Rare {
  readonly value: string;
  readonly countMax: number;
}

/** Adds the group to rows. */
export function inGroup<const Group extends SettingGroup, Rows extends Record<string, SettingRow>>(
  group: Group,
  rows: Rows,
): { readonly [Name in keyof Rows]: Rows[Name] & { readonly group: Group } } {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { group, ...row }]),
  ) as never;
}

/** A whole number within a range that includes both ends; a default of null is unset. */
export function integerRow<Default extends number | null>(text: string, row: NumberRow<Default>) {
  return { kind: 'integer', value: row.unit ?? 'count', ...row, text } as const;
}

/** A duration, by default within the bounds of all durations. */
export function durationRow(
  text: string,
  { default: fallback, min = LIMITS.durationMsMin, max = LIMITS.durationMsMax }: DurationRow,
) {
  return integerRow(text, { default: fallback, unit: 'ms', min, max });
}

interface DurationRow {
  readonly default: number;
  readonly min?: number;
  readonly max?: number;
}

/** A rate. */
export function rateRow(text: string, row: Omit<NumberRow<number>, 'unit'>) {
  return integerRow(text, { value: 'count', ...row, unit: 'per second' });
}

/** A text. */
export function textRow<Default extends string | null>(text: string, row: TextRow<Default>) {
  return { kind: 'text', ...row, text } as const;
}

/** One of several words. */
export function choiceRow<const Choices extends readonly string[], Default extends string | null>(
  text: string,
  row: TextRow<Default> & { readonly choices: Choices },
) {
  return { kind: 'choice', ...row, text } as const;
}

/** An address, which is unset by default. */
export function urlRow(text: string, protocols: readonly string[], absent: string) {
  return { kind: 'url', protocols, default: null, value: 'url', absent, text } as const;
}

/** A comma-separated list of addresses, which is unset by default. */
export function urlsRow(
  text: string,
  row: {
    readonly protocols: readonly string[];
    readonly countMax: number;
    readonly absent: string;
  },
) {
  return { kind: 'urls', default: null, value: 'urls', ...row, text } as const;
}

/** A list, which is empty by default. */
export function listRow<Kind extends ListSetting['kind']>(kind: Kind, text: string, row: ListRow) {
  return { kind, default: [] as readonly string[], ...row, text } as const;
}

/** A switch that disables something; its flag is `--no-...`. */
export function offRow(text: string) {
  return { kind: 'off', default: false, value: '', text } as const;
}

/** A switch that enables something. */
export function onRow(text: string) {
  return { kind: 'on', default: false, value: '', text } as const;
}
