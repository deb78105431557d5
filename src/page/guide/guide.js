/** The guide's theme and search. The index is loaded when the search field is first used. */
const root = document.documentElement;
try {
  const chosen = localStorage.getItem('slotbook-theme');
  if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;
} catch {
  // Without storage the system's theme is shown.
}

// On a narrow screen the list of pages is closed at first.
if (matchMedia('(max-width: 760px)').matches) document.querySelector('.pages details').open = false;

const field = document.querySelector('#search input');
const found = document.querySelector('#found');
const base = new URL('.', import.meta.url);
let loading;

function load() {
  loading ??= import(new URL('SEARCH_FILE', base).href);
  return loading;
}

function row({ page, heading, title }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = new URL(heading === '' ? page : `${page}#${heading}`, base).href;
  link.textContent = title;
  item.append(link);
  return item;
}

function nothing() {
  const item = document.createElement('li');
  const text = document.createElement('span');
  text.textContent = 'Nothing found';
  item.append(text);
  return item;
}

async function show() {
  const words = field.value.trim();
  const { search } = await load();
  if (field.value.trim() !== words) return;
  const rows = words === '' ? [] : search(words).slice(0, 20).map(row);
  found.replaceChildren(...(rows.length === 0 && words !== '' ? [nothing()] : rows));
}

field.addEventListener('focus', () => void load());
field.addEventListener('input', () => void show());
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') found.replaceChildren();
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isTyping) return;
  event.preventDefault();
  field.focus();
});
