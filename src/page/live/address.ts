/** What the address of the page says, so that a link shows the same. */
import type { MomentQuery } from '@slotbook/client';
import type { BookChoice } from './book-feed.js';
import type { Theme } from './theme.js';

/** Where this script was loaded from: one folder below the address of the service, on every page. */
const scriptUrl = import.meta.url;

/** The address of the service, which has sent this page. */
export const serviceUrl = new URL('..', scriptUrl).href;

/** Groups that the ladder offers, in ticks. */
export const GROUPINGS = [1, 10, 100, 500, 1_000] as const;

/** The market of the address; null where it names none. */
export function marketOfAddress(): string | null {
  return new URLSearchParams(location.search).get('market');
}

/** The grouping of the address, 1 where it names none that is offered. */
export function groupingOfAddress(): number {
  const sent = Number(new URLSearchParams(location.search).get('grouping'));
  return GROUPINGS.find((one) => one === sent) ?? 1;
}

/** The moment of the past that the address names, as paths do, which say what is wrong with it; undefined for now. */
export function momentOfAddress(): MomentQuery | undefined {
  const query = new URLSearchParams(location.search);
  const named = ['ts', 'slot', 'seq'].filter((name) => query.has(name));
  if (named.length === 0) return undefined;
  const numbers = named.map((name) => [name, Number(query.get(name) || Number.NaN)]);
  const epoch = query.get('epoch');
  return { ...Object.fromEntries(numbers), ...(epoch === null ? {} : { epoch }) };
}

/** The theme of the address, which a page that embeds this one chooses; null where it names none. */
export function themeOfAddress(): Theme | null {
  const sent = new URLSearchParams(location.search).get('theme');
  return sent === 'light' || sent === 'dark' ? sent : null;
}

/** Puts what is shown into the address, as a step that the browser can go back where the market changes. */
export function setAddress(
  { market, grouping }: BookChoice,
  moment: MomentQuery | undefined,
): void {
  const query = new URLSearchParams({ market });
  if (grouping !== 1) query.set('grouping', String(grouping));
  for (const [name, value] of Object.entries(moment ?? {})) query.set(name, String(value));
  if (location.search === `?${query}`) return;
  const isSame = marketOfAddress() === market || marketOfAddress() === null;
  history[isSame ? 'replaceState' : 'pushState'](null, '', `?${query}`);
}
