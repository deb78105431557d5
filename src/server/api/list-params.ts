/** List parameters: entry n of the batch consists of the n-th value of each list. */
import type { TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { ServerError } from '../transport/errors.js';
import { splitQuery, type Texts } from './param-check.js';

/**
 * Splits comma-separated lists of equal length into the texts of each entry; an empty value counts
 * as not given.
 */
export function splitLists(raw: string, { properties }: TObject): readonly Texts[] {
  const texts = splitQuery(raw, properties);
  const lists = Array.from(texts, ([name, text]) => ({ name, values: text.split(',') }));
  return Array.from({ length: commonLength(lists) }, (_, index) => {
    const given = lists.map(({ name, values }) => [name, values[index] ?? ''] as const);
    return new Map(given.filter(([, value]) => value !== ''));
  });
}

/** Returns an entry of a batch, or the error of that entry. */
export function batchEntry<Entry>(read: () => Entry): Entry | ServerError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
}

interface List {
  readonly name: string;
  readonly values: readonly string[];
}

function commonLength(lists: readonly List[]): number {
  let longest: List = { name: '', values: [] };
  for (const list of lists) if (list.values.length > longest.values.length) longest = list;
  const { length } = longest.values;
  if (length > LIMITS.batchEntriesMax) {
    const message = `${longest.name} was a list of ${length}, must have at most ${LIMITS.batchEntriesMax}`;
    throw new ServerError('OUT_OF_RANGE', message, longest.name);
  }
  for (const { name, values } of lists) {
    if (values.length === length) continue;
    const message = `${name} was a list of ${values.length}, must have ${length} as ${longest.name} has`;
    throw new ServerError('INVALID_PARAM', message, name);
  }
  return length;
}
