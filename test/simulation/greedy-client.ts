/** A client that takes what it can get: many sockets, topics and messages at once, and reads none of it. */
import { currentMachine } from './globals.js';
import { type ClientConnection, openPort } from './stand-ins/uws.js';

/** More than one address may have, and than one socket may send. */
const SOCKETS = 120;
const MESSAGES_PER_SOCKET = 70;

/** Opens its sockets, floods them, and leaves after a while. */
export function beGreedy(lastsMs: number): void {
  const port = openPort();
  if (port === null) return;
  const connections: ClientConnection[] = [];
  const end = { receiveMessage: () => undefined, receiveClose: () => undefined };
  for (let count = 0; count < SOCKETS; count += 1) {
    const connection = port.connect({ ip: '10.0.9.9', ...end });
    connection.setReading(false);
    connections.push(connection);
  }
  const [first, second] = connections;
  for (let depth = 0; depth < MESSAGES_PER_SOCKET; depth += 1) {
    const market = 'SOL-PERP';
    const request = { type: 'subscribe', id: depth, channel: 'book', market, grouping: depth + 1 };
    first?.sendMessage(JSON.stringify(request));
    second?.sendMessage('{"type":"subscribe","channel":"l3","market":"SOL-PERP","depth":500}');
  }
  currentMachine().time.plan(lastsMs, () => {
    for (const connection of connections) connection.close();
  });
}
