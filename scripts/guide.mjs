/**
 * Builds the guide of docs/ into dist/page/page/guide, which the service serves at /page/guide: one
 * page for each document that docs/README.md lists, a search index, and llms.txt. The pages need no
 * script but for the search, and load their own files alone.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { headingName, listedDocuments } from './guide-list.mjs';
import { root } from './process.mjs';

const out = path.join(root, 'dist', 'page', 'page', 'guide');
const assets = path.join(root, 'src', 'page', 'guide');
const read = (name) => readFileSync(path.join(root, name), 'utf8');
const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The documents with their pages and groups, in the order of the list. */
const documents = listedDocuments(read('docs/README.md'));
const documentOfFile = new Map(documents.map((document) => [document.file, document]));

/** A part is found by its title and text, and shown by its title. */
const SEARCH_FIELDS = { fields: ['title', 'text'], storeFields: ['page', 'heading', 'title'] };
const markdown = new MarkdownIt({ html: false });

/** Links to documents become links to their pages; a link to another file of the repository is plain text. */
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const href = token.attrGet('href') ?? '';
  if (/^(\w+:|#)/.test(href)) return self.renderToken(tokens, index, options);
  const [target = '', heading] = href.split('#');
  const file = path.posix.join(path.posix.dirname(env.file), target);
  const linked = documentOfFile.get(file);
  const page = linked?.page;
  nameByTitle(tokens[index + 1], linked);
  if (page === undefined) token.tag = 'span';
  token.attrs = page === undefined ? [] : [['href', heading ? `${page}#${heading}` : page]];
  if (page === undefined) tokens[closingLink(tokens, index)].tag = 'span';
  return self.renderToken(tokens, index, options);
};

/** A link whose text is the name of a file has the title of that page. */
function nameByTitle(text, linked) {
  const isName = text?.type === 'text' && /^[\w./-]+\.md$/.test(text.content);
  if (linked !== undefined && isName) text.content = linked.title;
}

function closingLink(tokens, index) {
  return tokens.findIndex((token, at) => at > index && token.type === 'link_close');
}

/** The pages load text alone. */
markdown.renderer.rules.image = () => '';
markdown.renderer.rules.table_open = () => '<div class="wide"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.heading_open = (tokens, index) =>
  `<${tokens[index].tag} id="${headingName(tokens[index + 1].content)}">`;

/** The text of a document without the comments that mark its generated parts. */
const sourceOf = ({ file }) => read(file).replace(/<!--[\s\S]*?-->\n?/g, '');

/** The parts of a document, one for each heading of the first three levels. */
function partsOf(tokens) {
  const parts = [];
  for (const [at, { type, tag, content }] of tokens.entries()) {
    if (type === 'heading_open' && /^h[123]$/.test(tag)) {
      const title = tokens[at + 1].content;
      parts.push({
        level: Number(tag[1]),
        title: title.replaceAll('`', ''),
        heading: headingName(title),
        text: '',
      });
    } else if ((type === 'inline' || type === 'fence') && parts.length > 0) {
      parts.at(-1).text += ` ${content}`;
    }
  }
  return parts;
}

function hashedName(stem, extension, content) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return `${stem}-${hash}.${extension}`;
}

/** Writes a file whose name has its hash, with its compressed copy, and returns the name. */
function writeHashed(stem, extension, content) {
  const name = hashedName(stem, extension, content);
  writeFileSync(path.join(out, name), content);
  writeFileSync(path.join(out, `${name}.gz`), gzipSync(content, { level: 9 }));
  return name;
}

/** The search: the library, and a module with the index of all parts. */
function writeSearch(pages) {
  const search = new MiniSearch(SEARCH_FIELDS);
  const parts = pages.flatMap(({ page, title, parts }) =>
    parts.map((part, at) => ({
      page,
      heading: at === 0 ? '' : part.heading,
      title: at === 0 ? title : `${title}: ${part.title}`,
      text: part.text,
    })),
  );
  search.addAll(parts.map((part, id) => ({ ...part, id })));
  const source = createRequire(import.meta.url).resolve('minisearch');
  const module = path.join(path.dirname(source), '..', 'es', 'index.js');
  const code = readFileSync(module, 'utf8').replace(/\n\/\/# sourceMappingURL.*/, '');
  const library = writeHashed('minisearch', 'js', code);
  const index = JSON.stringify(JSON.stringify(search));
  return writeHashed(
    'search',
    'js',
    `import MiniSearch from './${library}';
const index = MiniSearch.loadJSON(${index}, ${JSON.stringify(SEARCH_FIELDS)});
export const search = (words) => index.search(words, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4 } });
`,
  );
}

/** The list of all pages; `current` is marked. */
function listOfPages(current) {
  const groups = [...new Set(documents.map(({ group }) => group))];
  const lists = groups.map((group) => {
    const rows = documents
      .filter((document) => document.group === group)
      .map(({ page, title }) => {
        const mark = page === current ? ' aria-current="page"' : '';
        return `<li><a href="${page}"${mark}>${escapeHtml(title)}</a></li>`;
      });
    return `<h2>${escapeHtml(group)}</h2>\n<ul>\n${rows.join('\n')}\n</ul>`;
  });
  return lists.join('\n');
}

function nearPages(at) {
  const [previous, next] = [documents[at - 1], documents[at + 1]];
  const link = (document, text) =>
    document ? `<a href="${document.page}">${text}</a>` : '<span></span>';
  const back = link(previous, `← ${escapeHtml(previous?.title ?? '')}`);
  const forward = link(next, `${escapeHtml(next?.title ?? '')} →`);
  return `<nav class="near" aria-label="Next and previous page">${back}${forward}</nav>`;
}

/** One page. Links are relative, so the guide works below a prefix and through a proxy. */
function pageText({ page, title, parts, body }, at, { style, script }) {
  const own = parts
    .filter(({ level }) => level === 2)
    .map(({ heading, title: name }) => `<li><a href="#${heading}">${escapeHtml(name)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · slotbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<header>
<a class="brand" href="start">slotbook</a>
<form id="search" role="search"><input type="search" aria-label="Search the guide" placeholder="Search ( / )" autocomplete="off"><ul id="found" aria-live="polite"></ul></form>
<nav aria-label="Service">
<a href="../../">Market</a>
<a href="../status">Status</a>
<a href="../../docs">Try the API</a>
</nav>
</header>
<div class="columns">
<nav class="pages" aria-label="Guide"><details open><summary>All pages</summary>
${listOfPages(page)}
</details></nav>
<main>
${body}${nearPages(at)}
</main>
<nav class="parts" aria-label="On this page">${own.length > 0 ? `<h2>On this page</h2>\n<ul>\n${own.join('\n')}\n</ul>` : ''}</nav>
</div>
</body>
</html>
`;
}

/** The list of the documents for programs that read text: https://llmstxt.org. */
function listForModels() {
  const rows = documents.map(({ page, title, about }) => `- [${title}](${page}): ${about}`);
  return `# slotbook\n\n> Order book and market data of on-chain exchanges on Solana, over HTTP and WebSocket.\n\n## Guide\n\n${rows.join('\n')}\n`;
}

/** /page/guide itself, which leads to the first page. */
const firstPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=guide/start">
<title>slotbook</title>
<a href="guide/start">The guide</a>
</html>
`;

/** Builds the guide anew and returns how many pages it has. */
export function buildGuide() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const pages = documents.map((document) => {
    const tokens = markdown.parse(sourceOf(document), {});
    const body = markdown.renderer.render(tokens, markdown.options, { file: document.file });
    return { ...document, parts: partsOf(tokens), body };
  });
  const search = writeSearch(pages);
  const names = {
    style: writeHashed('guide', 'css', readFileSync(path.join(assets, 'guide.css'), 'utf8')),
    script: writeHashed(
      'guide',
      'js',
      readFileSync(path.join(assets, 'guide.js'), 'utf8').replace('SEARCH_FILE', search),
    ),
  };
  for (const [at, page] of pages.entries()) {
    writeFileSync(path.join(out, `${page.page}.html`), pageText(page, at, names));
  }
  writeFileSync(`${out}.html`, firstPage);
  writeFileSync(path.join(out, 'llms.txt'), listForModels());
  return pages.length;
}
