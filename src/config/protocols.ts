/** The protocols of addresses in settings. */

/** Of requests. */
export const HTTP = ['http:', 'https:'] as const;
/** Of subscriptions. */
export const WS = ['ws:', 'wss:'] as const;
/** Of a Postgres database. */
export const POSTGRES = ['postgres:', 'postgresql:'] as const;
/** Of a NATS server. */
export const NATS = ['nats:', 'tls:'] as const;
