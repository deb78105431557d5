import { type Component, mount } from 'svelte';

/** Mounts a page into the element with the id `app` of its document. */
export function mountPage<Props extends Record<string, unknown>>(
  page: Component<Props>,
  props: Props,
): void {
  const target = document.querySelector('#app');
  if (target === null) throw new Error('Invariant: every document of the page has #app');
  mount(page, { target, props });
}
