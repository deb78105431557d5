/**
 * Which client a request comes from, and by what its limits are counted.
 *
 * Behind a proxy every connection has the proxy's address. What a proxy says of its clients is believed of
 * trusted proxies only, because everybody can write the same headers.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { LIMITS } from '../../config/limits.js';
import type { RequestOrigin } from '../transport/native-http.js';
import { addressKey, isLoopback, mappedIPv4 } from './client-address.js';

/** Takes an address that sends X-Forwarded-For and is not trusted: a forgotten proxy, or a lie. */
export type OnIgnored = (peer: string) => void;

/** Finds the clients of requests, behind trusted proxies if there are any. */
export class ClientAddresses {
  /** Undefined while no proxy is trusted. */
  readonly #trusted: BlockList | undefined;
  #onIgnored: OnIgnored | undefined;

  /**
   * `trustedProxies` are addresses and CIDR networks, IPv4 and IPv6, that the settings have checked.
   * `onIgnored` is called the first time that somebody else forwards a request.
   */
  constructor(trustedProxies: readonly string[] = [], onIgnored?: OnIgnored) {
    this.#trusted = trustedProxies.length === 0 ? undefined : blockListOf(trustedProxies);
    this.#onIgnored = onIgnored;
  }

  /** Returns the address of a client: the last one on the way here that is not a trusted proxy's. */
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
   * Returns the key by which the limits of an address count; undefined for one without limits. That is
   * loopback while no proxy is trusted: with one, it is the address of a proxy on this machine.
   */
  limitKey(ip: string): string | undefined {
    return this.#trusted === undefined && isLoopback(ip) ? undefined : addressKey(ip);
  }

  /**
   * Each proxy appends the address that it was called from, so the list is read from its right end. An
   * entry that is no address ends it: the client is then the proxy that wrote it.
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

/** The entries of all lines of the header, the last one first, without empty ones, up to a limit. */
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

/** The address of an entry, which may have a port behind it; undefined when it has none. */
function readAddress(entry: string): string | undefined {
  if (entry.length > ENTRY_CHARS_MAX) return undefined;
  const bare = /^\[(.+)\](:\d{1,5})?$/.exec(entry)?.[1] ?? entry.replace(PORT_OF_IPV4, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** The longest IPv6 address in brackets with a port has 53, and a zone some more. */
const ENTRY_CHARS_MAX = 80;
const PORT_OF_IPV4 = /^([\d.]+):\d{1,5}$/;
