/**
 * Returns the key that identifies a client for limits: an IPv4 address itself, or the 56-bit
 * network of an IPv6 address, because a customer gets up to 256 networks of 64 bits.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { QueuedClient } from '../../contract/fair-share.js';
import type { HttpRequest } from './reply.js';

/**
 * Number of groups of an IPv6 address that identify its network: three whole groups and half of the
 * fourth.
 */
const NETWORK_GROUPS = 3;

/**
 * Returns the same key for all addresses of one client. A text that is no address is its own key.
 */
export function addressKey(ip: string): string {
  const mapped = mappedIPv4(ip);
  if (mapped !== undefined) return mapped;
  const groups = ipv6Groups(ip);
  if (groups === undefined) return ip;
  const half = Number.parseInt(groups[NETWORK_GROUPS] ?? '0', 16) & 0xff00;
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}:${half.toString(16)}::/56`;
}

/**
 * Returns the client of a request in a queue, before the first await of its handler; this machine's
 * own address has no key.
 */
export function queuedClient(request: Pick<HttpRequest, 'ip' | 'isGone'>): QueuedClient {
  const { ip } = request;
  return { client: isLoopback(ip) ? undefined : addressKey(ip), isGone: () => request.isGone };
}

/** Whether the address is of this machine. */
export function isLoopback(ip: string): boolean {
  const v4 = mappedIPv4(ip) ?? ip;
  if (isIPv4(v4)) return v4.startsWith('127.');
  const groups = ipv6Groups(ip);
  return groups?.every((group, index) => group === (index === 7 ? '1' : '0')) ?? false;
}

/**
 * Returns the IPv4 address in an IPv4-mapped IPv6 address, which a dual-stack socket reports for
 * IPv4 clients.
 */
export function mappedIPv4(ip: string): string | undefined {
  const groups = ipv6Groups(ip);
  if (groups === undefined || groups.slice(0, 6).join() !== '0,0,0,0,0,ffff') return undefined;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  if (high === undefined || low === undefined) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns the eight groups without leading zeros; undefined for an invalid IPv6 address. */
function ipv6Groups(ip: string): readonly string[] | undefined {
  if (!isIPv6(ip)) return undefined;
  const [address = ''] = ip.split('%');
  const [head = [], tail] = address.split('::').map(groupsOf);
  if (tail === undefined) return head;
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap(hexGroups);
}

function hexGroups(part: string): readonly string[] {
  if (!part.includes('.')) return [Number.parseInt(part, 16).toString(16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
