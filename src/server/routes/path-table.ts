/** Finds the route of a requested path: by the whole path, or by a pattern with names in braces. */

import type { Texts } from '../api/param-check.js';
import { prefixesOf } from '../api/path-spec.js';
import { ServerError } from '../transport/errors.js';
import type { Route } from './path.js';
import { type PathName, pathOf } from './paths.js';

/** The routes by path name; a path that is not served has no route. */
export type Routes = Readonly<Partial<Record<PathName, Route>>>;

/** A route with the properties of its path. */
export interface NamedRoute {
  readonly name: PathName | 'unknown';
  readonly handle: Route;
  /** Whether requests are exempt from the rate limit. */
  readonly isUnlimited: boolean;
  /** Whether errors have the format of TradingView's UDF. */
  readonly isUdf: boolean;
}

/** The route of a path, and the undecoded values of its names in braces. */
export interface FoundRoute {
  readonly route: NamedRoute;
  readonly texts: Texts;
}

/** The route of all paths that are not served. */
export const unknownRoute: NamedRoute = {
  name: 'unknown',
  handle: () => {
    throw new ServerError('UNKNOWN_PATH', 'there is no such path; GET / lists them');
  },
  isUnlimited: false,
  isUdf: false,
};

const noTexts: Texts = new Map();
const unknown: FoundRoute = { route: unknownRoute, texts: noTexts };

/** The paths as requests write them: each name with each of its prefixes. */
export class PathTable {
  readonly #exact = new Map<string, FoundRoute>();
  readonly #below = new Map<string, FoundRoute>();
  readonly #patterns: { readonly parts: readonly string[]; readonly route: NamedRoute }[] = [];

  /** `pageFiles` are the paths of the page's files, which the route of `/` sends. */
  constructor(routes: Routes, names: readonly PathName[], pageFiles: Iterable<string> = []) {
    for (const name of names) this.#addPath(name, routes[name]);
    for (const file of pageFiles) this.#addPageFile(file);
  }

  /** Returns the route of a path, or the route of unknown paths. */
  findRoute(path: string): FoundRoute {
    return this.#exact.get(path) ?? this.#findAbove(path) ?? this.#matchPattern(path) ?? unknown;
  }

  #addPath(name: PathName, handle: Route | undefined): void {
    if (handle === undefined) throw new Error(`Invariant: ${name} is served, so it has a route`);
    const { kind, unlimited = false, udf = false, files = [], below = false } = pathOf(name);
    const route = { name, handle, isUnlimited: unlimited, isUdf: udf };
    for (const prefix of prefixesOf[kind]) {
      const path = `${prefix}${name}`;
      if (below) this.#below.set(`${path}/`, { route, texts: noTexts });
      else if (name.includes('{')) this.#patterns.push({ parts: path.split('/'), route });
      else this.#exact.set(path, { route, texts: noTexts });
      for (const file of files) this.#exact.set(`${path}/${file}`, { route, texts: noTexts });
    }
  }

  #findAbove(path: string): FoundRoute | undefined {
    for (const [above, found] of this.#below) if (path.startsWith(above)) return found;
    return undefined;
  }

  #addPageFile(file: string): void {
    for (const prefix of prefixesOf.service) {
      const index = this.#exact.get(`${prefix}/`);
      if (index !== undefined) this.#exact.set(`${prefix}/${file}`, index);
    }
  }

  #matchPattern(path: string): FoundRoute | undefined {
    const sent = path.split('/', PARTS_MAX);
    for (const { parts, route } of this.#patterns) {
      const texts = textsOf(parts, sent);
      if (texts !== undefined) return { route, texts };
    }
    return undefined;
  }
}

/** One more part than any path has, so that longer paths match none. */
const PARTS_MAX = 9;

function textsOf(parts: readonly string[], sent: readonly string[]): Texts | undefined {
  if (parts.length !== sent.length) return undefined;
  const texts = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const text = sent[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== text) return undefined;
    } else if (text === '') {
      return undefined;
    } else {
      texts.set(part.slice(1, -1), text);
    }
  }
  return texts;
}

/**
 * Decodes the percent codes in the texts of a path. Throws a ServerError that names the malformed
 * text.
 */
export function decodeTexts(texts: Texts): Texts {
  if (texts.size === 0) return texts;
  return new Map(Array.from(texts, ([name, text]) => [name, decodeText(name, text)]));
}

function decodeText(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServerError('INVALID_PARAM', `${name} has a malformed percent code`, name);
  }
}
