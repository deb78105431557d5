/** All families that are run in TypeScript. */
import type { Family } from './family.js';

export const families: readonly Family[] = [];
