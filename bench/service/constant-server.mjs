/**
 * uWebSockets.js answering one constant: the least that any service on this transport can do.
 * Commands: see `verbs`.
 */
import uws from 'uWebSockets.js';
import { answerCommands } from './commands.mjs';

const verbs = {
  /** `listen ANSWER`: answers GET of every path with `{headers, body}`, which is base64 of JSON. */
  listen(answer) {
    const { headers, body } = JSON.parse(Buffer.from(answer, 'base64').toString());
    const bytes = Buffer.from(body);
    const app = uws.App();
    app.get('/*', (response) => {
      response.writeStatus('200 OK');
      for (const [name, value] of headers) response.writeHeader(name, value);
      response.end(bytes);
    });
    return new Promise((resolve, reject) => {
      app.listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no port to listen on'));
        else resolve({ port: uws.us_socket_local_port(socket) });
      });
    });
  },
};

await answerCommands(verbs);
