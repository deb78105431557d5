import { SUBSCRIPTIONS_MAX } from '../limits.js';

const PASSING = ['NOT_READY', 'RATE_LIMITED', 'INTERNAL', 'LIMIT_EXCEEDED'];

/**
 * Whether the same subscription may be asked for again after a refusal with this code. A limit of the
 * service passes when others leave, but not where it is this socket that has too many subscriptions.
 */
export function isTransient(code: string, subscriptionCount: number): boolean {
  if (code === 'LIMIT_EXCEEDED' && subscriptionCount > SUBSCRIPTIONS_MAX) return false;
  return PASSING.includes(code);
}
