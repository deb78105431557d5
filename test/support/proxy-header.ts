const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const PROXY_COMMAND = 0x21;
const TCP_OVER_IPV4 = 0x11;

/** The header of the PROXY protocol, version 2, with which a proxy names its client (IPv4). */
export function proxyHeader(client: string): Buffer {
  const source = client.split('.').map(Number);
  const [destination, ports] = [
    [127, 0, 0, 1],
    [0x30, 0x39, 0, 80],
  ];
  const address = Buffer.from([...source, ...destination, ...ports]);
  const head = Buffer.from([PROXY_COMMAND, TCP_OVER_IPV4, 0, address.length]);
  return Buffer.concat([SIGNATURE, head, address]);
}
