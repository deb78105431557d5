/**
 * Finds the address of the client of a request, and the key of that client's limits.
 *
 * Connections that come through a proxy have the proxy's address. Only trusted proxies may name
 * their clients, because anyone can write the same headers.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { LIMITS } from '../../config/limits.js';
import { addressKey, isLoopback, mappedIPv4 } from '../transport/client-address.js';
import type { RequestOrigin } from '../transport/native-http.js';

/**
 * Called with an untrusted address that sends X-Forwarded-For: a proxy that is not configured, or a
 * forgery.
 */
type OnIgnored = (peer: string) => void;

/** Finds the clients of requests, which may come through trusted proxies. */
export class ClientAddresses {
  readonly #trusted: BlockList | undefined;
  #onIgnored: OnIgnored | undefined;

  /**
   * `trustedProxies` are validated addresses and CIDR networks, IPv4 and IPv6. `onIgnored` is
   * called for the first untrusted X-Forwarded-For header.
   */
  constructor(trustedProxies: readonly string[] = [], onIgnored?: OnIgnored) {
    this.#trusted = trustedProxies.length === 0 ? undefined : blockListOf(trustedProxies);
    this.#onIgnored = onIgnored;
  }

  /** Returns the client's address: the last address on the path that is not a trusted proxy's. */
  findClient(origin: RequestOrigin): string {
    const { peer } = origin;
    if (!this.#isTrusted(peer)) {
      if (this.#onIgnored !== undefined && origin.isForwarded) this.#reportIgnored(peer);
      return peer;
    }
    const proxied = origin.readProxied();
    if (proxied === '') return this.#findForwarded(peer, origin);
    return this.#isTrusted(proxied) ? this.#findForwarded(proxied, origin) : proxied;
  }

  /**
   * Returns the key for the limits of an address; undefined when the address has no limits.
   * Loopback has no limits unless a proxy is trusted: then loopback is the address of a proxy on
   * this machine.
   */
  limitKey(ip: string): string | undefined {
    return this.#trusted === undefined && isLoopback(ip) ? undefined : addressKey(ip);
  }

  /**
   * Each proxy appends the address of its peer, so the list is read from the right. Reading ends at
   * an invalid entry: the client is then the proxy that wrote that entry.
   */
  #findForwarded(proxy: string, origin: RequestOrigin): string {
    let client = proxy;
    for (const entry of entriesFromRight(origin.readForwarded())) {
      const address = readAddress(entry);
      if (address === undefined) return client;
      client = address;
      if (!this.#isTrusted(client)) return client;
    }
    return client;
  }

  #reportIgnored(peer: string): void {
    this.#onIgnored?.(peer);
    this.#onIgnored = undefined;
  }

  #isTrusted(ip: string): boolean {
    if (this.#trusted === undefined) return false;
    const address = mappedIPv4(ip) ?? ip;
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const [family, bits] = isIPv4(address) ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family);
  }
  return list;
}

/** Yields the non-empty entries of all lines of the header, last first, up to a limit. */
function* entriesFromRight(lines: readonly string[]): Generator<string> {
  const list = lines.join(',');
  let end = list.length;
  for (let count = 0; count < LIMITS.forwardedHopsMax && end >= 0; count += 1) {
    const comma = end === 0 ? -1 : list.lastIndexOf(',', end - 1);
    const entry = list.slice(comma + 1, end).trim();
    if (entry !== '') yield entry;
    end = comma;
  }
}

/** Returns the address of an entry without its port; undefined for an invalid entry. */
function readAddress(entry: string): string | undefined {
  if (entry.length > ENTRY_CHARS_MAX) return undefined;
  const bare = /^\[(.+)\](:\d{1,5})?$/.exec(entry)?.[1] ?? entry.replace(PORT_OF_IPV4, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** The longest IPv6 address in brackets with a port has 53 characters, plus a zone. */
const ENTRY_CHARS_MAX = 80;
const PORT_OF_IPV4 = /^([\d.]+):\d{1,5}$/;
