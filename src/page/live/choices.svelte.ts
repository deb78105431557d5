/** The reader's choices, shared by all panels. */
import { type Choices, REMEMBERED, readChoices, writeChoices } from '../model/choices.js';
import { readStored, writeStored } from './stored.js';

const KEY = 'slotbook-';

/** The current choices; {@link choose} changes them. */
export const choices: Choices = $state(
  readChoices(new URLSearchParams(location.search), (name) => readStored(KEY + name)),
);

/** Changes a choice, writes it to the URL, and stores it when it is a remembered one. */
export function choose<Name extends keyof Choices>(name: Name, value: Choices[Name]): void {
  choices[name] = value;
  if (REMEMBERED.some((one) => one === name)) writeStored(KEY + name, value);
  const query = new URLSearchParams(location.search);
  query.delete(name);
  writeChoices(query, choices);
  history.replaceState(null, '', `?${query}`);
}
