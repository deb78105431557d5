/** One GET over a bare socket, so that every byte of the response is seen as it was sent. */
import { connect } from 'node:net';

/** `text` is the whole response but for its date, `headers` pairs as sent, `body` text. */
export async function rawGet(port, path) {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const parts = [];
  for await (const part of socket) {
    parts.push(part);
    if (isWhole(Buffer.concat(parts).toString('latin1'))) break;
  }
  const text = Buffer.concat(parts)
    .toString('latin1')
    .replace(/^Date: .*\r\n/im, '');
  const [head, ...body] = text.split('\r\n\r\n');
  const headers = head
    .split('\r\n')
    .slice(1)
    .map((line) => /^([^:]+): (.*)$/.exec(line).slice(1));
  return { text, headers, body: body.join('\r\n\r\n') };
}

function isWhole(text) {
  const head = text.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  return head > 0 && text.length >= head + 4 + Number(length);
}
