/** The documents of the guide, as docs/README.md lists them: groups are headings, documents are rows. */
import path from 'node:path';

/**
 * Returns the listed documents in their order: `file` from the root, `page` below /page/guide,
 * `title`, `about` (one line) and `group`. A row is `- [Title](file.md): about`.
 */
export function listedDocuments(list) {
  const documents = [];
  let group = '';
  for (const line of list.split('\n')) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, target, about] = /^- \[([^\]]+)\]\(([^)]+)\): (.+)$/.exec(line) ?? [];
    if (title === undefined) continue;
    const file = path.posix.join('docs', target);
    documents.push({ file, page: pageOf(file), title, about, group });
  }
  return documents;
}

/** A document has its own name; a README has the name of its folder, and that of the root is `start`. */
function pageOf(file) {
  if (file === 'README.md') return 'start';
  const name = path.posix.basename(file, '.md');
  return (name === 'README' ? path.posix.basename(path.posix.dirname(file)) : name).toLowerCase();
}

/** The name of a heading in links, as GitHub makes it. */
export function headingName(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
