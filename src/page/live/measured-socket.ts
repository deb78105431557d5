/**
 * A WebSocket class for the client library that counts bytes and compares clocks: it pings the
 * service, whose pong contains the service's time.
 */
import type { SocketClass } from '@slotbook/client';
import type { ClockSample } from '../model/clock-offset.js';
import { CLOCK_FIRST_PING_MS, CLOCK_FIRST_PINGS, CLOCK_PING_MS } from '../model/limits.js';

/** The `id` of the pings, which identifies their pongs. */
const PING_ID = 'clock';

/** Receives the measurements of a socket. */
export interface SocketMeter {
  addBytes(count: number): void;
  addClockSample(sample: ClockSample): void;
}

/** The clock of all comparisons: Unix milliseconds with fractions. */
export function preciseNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Returns a class whose sockets report to a meter; with `compare`, they also ping. */
export function measuredSocket(meter: SocketMeter, clock: 'compare' | 'ignore'): SocketClass {
  return class extends WebSocket {
    constructor(url: string) {
      super(url);
      const onPong = clock === 'compare' ? compareClocks(this, meter) : undefined;
      this.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
        // Texts are ASCII, one byte a character.
        meter.addBytes(typeof data === 'string' ? data.length : data.byteLength);
        if (typeof data === 'string' && data.startsWith('{"type":"pong"')) onPong?.(data);
      });
    }
  };
}

/** Pings while the socket is open. Returns the handler of pongs. */
function compareClocks(socket: WebSocket, meter: SocketMeter): (pong: string) => void {
  let sentMs = 0;
  let pings = 0;
  const ping = (): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    sentMs = preciseNowMs();
    pings += 1;
    socket.send(`{"type":"ping","id":"${PING_ID}"}`);
  };
  socket.addEventListener('open', ping);
  return (pong) => {
    const receivedMs = preciseNowMs();
    const { id, ts } = JSON.parse(pong) as { readonly id?: unknown; readonly ts?: unknown };
    if (id !== PING_ID || typeof ts !== 'number') return;
    meter.addClockSample({ sentMs, receivedMs, serviceMs: ts });
    setTimeout(ping, pings < CLOCK_FIRST_PINGS ? CLOCK_FIRST_PING_MS : CLOCK_PING_MS);
  };
}
