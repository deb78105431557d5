// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The states of a book, by their codes in binary frames. */
export const FEED_STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const;
