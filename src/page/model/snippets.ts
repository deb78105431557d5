/** Texts that request the displayed book from the service, for scripts. */
import type { MomentQuery } from '@slotbook/client';

/** Levels a side. */
const DEPTH = 20;

/** The displayed book. */
interface SeenBook {
  /** The address of the service, with a slash at its end. */
  readonly url: string;
  /** The address of the page. */
  readonly link: string;
  readonly market: string;
  readonly grouping: number;
  readonly hasAmm: boolean;
  /** The past moment; undefined for the present. */
  readonly moment: MomentQuery | undefined;
}

/** Returns a link, a command and programs, each with its name. */
export function snippetsOf({ url, link, market, grouping, hasAmm, moment }: SeenBook) {
  const query = {
    ...{ marketName: market, depth: DEPTH, includeIndicative: true },
    ...(hasAmm ? { includeVamm: true } : {}),
    ...(grouping === 1 ? {} : { grouping }),
    ...moment,
  };
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const address = `${url}l2?${new URLSearchParams(texts)}`;
  return [
    ['Link', link],
    ['curl', `curl -s '${address}'`],
    ['TypeScript', typeScriptOf(url, JSON.stringify(query, null, 2))],
    ['Python', pythonOf(address)],
  ] as const;
}

function typeScriptOf(url: string, query: string): string {
  return `import { HttpClient } from '@slotbook/client';

const service = new HttpClient({ url: '${url}' });
const { bids, asks } = await service.l2(${query});
console.log(bids, asks);`;
}

function pythonOf(address: string): string {
  return `import json
from urllib.request import urlopen

with urlopen("${address}") as response:
    book = json.load(response)
print(book["bids"], book["asks"])`;
}
