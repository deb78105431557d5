/** Stands in for the check of the native build of the transport, which a world does not load. */

export const transportVersion = 'in memory';

/** Nothing native is needed. */
export function assertNativeTransport(): void {}
