/** The page's state in its URL, so that a link reproduces it. */
import type { MomentQuery } from '@slotbook/client';
import { writeChoices } from '../model/choices.js';
import type { BookChoice } from './book-feed.js';
import { choices } from './choices.svelte.js';

/** The URL of this script, which on every page lies one folder below the service's URL. */
const scriptUrl = import.meta.url;

/** The address of the service that served this page. */
export const serviceUrl = new URL('..', scriptUrl).href;

/** Returns the market in the URL; null for none. */
export function marketOfAddress(): string | null {
  return new URLSearchParams(location.search).get('market');
}

/** Returns the grouping in the URL, in ticks; 1 when it is missing or not a grouping. */
export function groupingOfAddress(): number {
  const sent = new URLSearchParams(location.search).get('grouping') ?? '';
  return /^[1-9]\d{0,5}$/.test(sent) ? Number(sent) : 1;
}

/**
 * Returns the past moment in the URL; undefined for the present. The service's paths validate the
 * moment.
 */
export function momentOfAddress(): MomentQuery | undefined {
  const query = new URLSearchParams(location.search);
  const named = ['ts', 'slot', 'seq'].filter((name) => query.has(name));
  if (named.length === 0) return undefined;
  const numbers = named.map((name) => [name, Number(query.get(name) || Number.NaN)]);
  const epoch = query.get('epoch');
  return { ...Object.fromEntries(numbers), ...(epoch === null ? {} : { epoch }) };
}

/** Writes the displayed state to the URL; a change of market adds a history entry. */
export function setAddress(
  { market, grouping }: BookChoice,
  moment: MomentQuery | undefined,
): void {
  const query = new URLSearchParams({ market });
  writeChoices(query, choices);
  if (grouping !== 1) query.set('grouping', String(grouping));
  for (const [name, value] of Object.entries(moment ?? {})) query.set(name, String(value));
  if (location.search === `?${query}`) return;
  const isSame = marketOfAddress() === market || marketOfAddress() === null;
  history[isSame ? 'replaceState' : 'pushState'](null, '', `?${query}`);
}
