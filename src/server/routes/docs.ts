/**
 * /docs: the API description as a Swagger UI page; script and style are served by this service.
 *
 * The files come from the package swagger-ui-dist. That package depends on @scarf/scarf, whose
 * install script reports installations to its maker. package.json disables the script:
 * `scarfSettings` for every npm, `allowScripts` for npm versions that support it. The packed
 * service contains the files of swagger-ui-dist without @scarf/scarf, of which this file loads
 * nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { commonHeaders, type Header, type Reply } from '../transport/reply.js';
import type { Path, Route } from './path.js';
import { TaggedReplies, type VersionTag } from './versioned-reply.js';

/** The path. */
export const docs = {
  summary: 'This description as a page',
  kind: 'service',
  body: { contentType: 'text/html' },
  files: ['init.js', 'page.css', 'swagger-ui-bundle.js', 'swagger-ui.css'],
  tagged: true,
  open: docsRoute,
} as const satisfies Path;

/** Links are relative, so the page works below each prefix and through a proxy. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>slotbook API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<header>
<a class="brand" href=".">slotbook</a>
<h1>API</h1>
<nav aria-label="Pages">
<a href=".">Market</a>
<a href="page/status">Status</a>
<a href="page/console">Console</a>
<a href="page/guide">Guide</a>
<a href="asyncapi.json">asyncapi.json</a>
</nav>
</header>
<div id="app"></div>
<noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> does not.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/init.js"></script>
</body>
</html>
`;

/**
 * Without `validatorUrl: null` the page would send the address of the description to an external
 * validator. The list of all schemas is omitted, because each operation shows its schemas. The
 * theme is the one chosen on the service's other pages, or else the system's.
 */
const init = `SwaggerUIBundle({
  url: 'openapi.json', dom_id: '#app', validatorUrl: null, defaultModelsExpandDepth: -1,
});
const preference = matchMedia('(prefers-color-scheme: dark)');
function applyTheme() {
  let chosen = null;
  try {
    chosen = localStorage.getItem('slotbook-theme');
  } catch {}
  const isDark = chosen === null ? preference.matches : chosen === 'dark';
  document.documentElement.classList.toggle('dark-mode', isDark);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
applyTheme();
preference.addEventListener('change', applyTheme);
`;

/**
 * The header is that of the other pages. Operations have neither links nor tags, and requests go to
 * the page's own host, so those parts of Swagger UI are hidden.
 */
const style = `body { margin: 0; background: #fff; color: #161c27; font: 12.5px/1.35 'Helvetica Neue', 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; padding: 8px 14px; min-height: 58px; box-sizing: border-box; border-bottom: 1px solid #dfe3e9; }
h1 { flex: 1; margin: 0; font-size: 14px; font-weight: 400; }
.brand { font-size: 14px; font-weight: 700; color: inherit; text-decoration: none; }
nav { display: flex; gap: 2px; }
nav a { padding: 3px 6px; color: #566072; text-decoration: none; }
html.dark-mode, html.dark-mode .swagger-ui { background: #10141b; }
.dark-mode body { background: #10141b; color: #dde3ec; }
.dark-mode header { border-color: #212835; }
.dark-mode nav a { color: #8f9aac; }
html nav a:hover { color: inherit; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #566072; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6b00; }
html:not(.dark-mode) .swagger-ui .info .link .url { color: #2159c4; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #2159c4; }
.swagger-ui .information-container .info { margin: 24px 0; }
.swagger-ui .opblock-tag, .swagger-ui .response-col_links, .swagger-ui .scheme-container { display: none; }
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file of the page, read and tagged at the start. */
interface DocsFile {
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

/**
 * Returns the route of /docs and of the files below it. Reads the files when it is called.
 *
 * # Errors
 * Throws an Error when swagger-ui-dist is not installed.
 */
function docsRoute(): Route {
  const files: Readonly<Record<string, DocsFile>> = {
    docs: newFile('text/html; charset=utf-8', Buffer.from(page)),
    'page.css': newFile('text/css; charset=utf-8', Buffer.from(style)),
    'init.js': newFile('text/javascript; charset=utf-8', Buffer.from(init)),
    'swagger-ui-bundle.js': newFile(
      'text/javascript; charset=utf-8',
      readPackageFile('swagger-ui-bundle.js'),
    ),
    'swagger-ui.css': newFile('text/css; charset=utf-8', readPackageFile('swagger-ui.css')),
  };
  const replies = new TaggedReplies();
  return (request): Reply | Promise<Reply> => {
    const key = request.path.slice(request.path.lastIndexOf('/') + 1);
    const file = files[key];
    if (file === undefined) throw new Error(`Invariant: the path ${request.path} names a file`);
    const { body, tag } = file;
    return replies.readHeaders(request)(tag, body, key);
  };
}

function readPackageFile(name: string): Uint8Array {
  try {
    return readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
  } catch (cause) {
    const message = `/docs needs ${name} of the package swagger-ui-dist: run npm install`;
    throw new Error(message, { cause });
  }
}

/** Files keep their names between versions, so clients must revalidate them. */
function newFile(contentType: string, body: Uint8Array): DocsFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers: readonly Header[] = [
    ['Content-Type', contentType],
    ...commonHeaders,
    ['Content-Security-Policy', policy],
    ['Cache-Control', 'no-cache'],
    ['Vary', 'Accept-Encoding'],
    ['ETag', etag],
  ];
  return { body, tag: { etag, headers } };
}
