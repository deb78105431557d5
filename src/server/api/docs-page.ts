/**
 * /docs: the API description as one page. It has no script and loads nothing, so its policy forbids
 * everything but its own style.
 */
import { createHash } from 'node:crypto';
import { commonHeaders, type Reply } from '../transport/reply.js';
import type { ApiDescription, Operation, Parameter, PathItem } from './openapi.js';

/** The page of a description. */
export function docsReply(api: ApiDescription): Reply {
  const hash = createHash('sha256').update(style).digest('base64');
  const policy =
    `default-src 'none'; style-src 'sha256-${hash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ...commonHeaders,
      ['Content-Security-Policy', policy],
    ],
    body: page(api),
  };
}

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, h2, th { font-family: ui-monospace, monospace; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 0; border-top: 1px solid #8886; padding-top: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8883; }
th { font-weight: 600; white-space: nowrap; }
td { min-width: 4.5rem; }
td:nth-child(2) { white-space: nowrap; }
ul.paths { columns: 3; padding-left: 1rem; font-family: ui-monospace, monospace; }
.wide { overflow-x: auto; }
`;

function page({ info, paths, components }: ApiDescription): string {
  const items = Object.entries(paths);
  const links = items.map(([path]) => `<li><a href="#${html(path)}">${html(path)}</a></li>`);
  const bodies = Object.entries(components.schemas);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${html(info.title)} ${html(info.version)}</title><style>${style}</style></head>`,
    `<body><h1>${html(info.title)} ${html(info.version)}</h1>`,
    `<p>${html(info.description)}</p>`,
    '<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>',
    `<ul class="paths">${links.join('')}</ul>`,
    ...items.map(([path, item]) => (item === undefined ? '' : pathSection(path, item))),
    ...bodies.map(([name, schema]) => bodySection(name, schema)),
    '</body></html>',
  ].join('\n');
}

function pathSection(path: string, { servers, get }: PathItem): string {
  const also = servers.map(({ url }) => url).filter((url) => url !== '/');
  return [
    `<h2 id="${html(path)}">GET ${html(path)}</h2>`,
    `<p>${html(get.summary)}. Also under ${also.map(code).join(', ')}.</p>`,
    table(get.parameters.map(parameterRow)),
    table(answerRows(get)),
  ].join('\n');
}

function parameterRow({ name, required, description, schema }: Parameter): readonly string[] {
  const need = required ? 'required' : defaultOf(schema);
  return [code(name), html(typeOf(schema)), html(need), html(description)];
}

function defaultOf(schema: unknown): string {
  const value = member(schema, 'default') ?? member(member(schema, 'items'), 'default');
  return value === undefined ? 'optional' : `default ${String(value)}`;
}

function answerRows({ responses }: Operation): readonly (readonly string[])[] {
  return Object.entries(responses).map(([status, { description, headers, content }]) => {
    const names = Object.keys(headers).join(', ');
    return [code(status), contentOf(content), html(description), html(names)];
  });
}

function contentOf(content: unknown): string {
  const [type = ''] = Object.keys(content ?? {});
  const ref = member(member(member(content, type), 'schema'), '$ref');
  if (typeof ref !== 'string') return html(type);
  const name = html(nameOf(ref));
  return `<a href="#${name}">${name}</a>`;
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function bodySection(name: string, schema: unknown): string {
  const about = [typeOf(schema), member(schema, 'description')].filter((part) => part).join('. ');
  return `<h2 id="${html(name)}">${html(name)}</h2>\n<p>${html(about)}</p>\n${table(memberRows('', schema))}`;
}

/** One row for each member, those of nested objects by their whole name. */
function memberRows(path: string, schema: unknown): readonly (readonly string[])[] {
  const description = member(schema, 'description');
  // The items of a list have no line of their own: the list's says what they are.
  const own =
    path === '' || path.endsWith('[]')
      ? []
      : [[code(path), html(typeOf(schema)), html(String(description ?? ''))]];
  const branches = member(schema, 'anyOf');
  if (Array.isArray(branches)) {
    return [...own, ...branches.flatMap((branch) => memberRows(path, branch).slice(own.length))];
  }
  const items = member(schema, 'items');
  if (items !== undefined) return [...own, ...memberRows(`${path}[]`, items)];
  const members = Object.entries(member(schema, 'properties') ?? {});
  return [
    ...own,
    ...members.flatMap(([key, value]) => memberRows(path === '' ? key : `${path}.${key}`, value)),
  ];
}

function typeOf(schema: unknown): string {
  const ref = member(schema, '$ref');
  if (typeof ref === 'string') return nameOf(ref);
  const items = member(schema, 'items');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  const branches = member(schema, 'anyOf');
  if (Array.isArray(branches)) return branches.map(typeOf).join(' or ');
  const words = member(schema, 'enum');
  if (Array.isArray(words)) return words.join(' | ');
  const type = [member(schema, 'type')].flat().join(' or ');
  const [low, high] = [member(schema, 'minimum'), member(schema, 'maximum')];
  return high === undefined ? type : `${type} ${String(low)}..${String(high)}`;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([head = '', ...cells]) =>
      `<tr><th>${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return `<div class="wide"><table>${lines.join('\n')}</table></div>`;
}

function code(text: string): string {
  return `<code>${html(text)}</code>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function html(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
