/** The code of a page that follows one book topic; it runs in a browser and knows nothing of Node.js. */
export const FOLLOW_IN_PAGE = `(url, subscribe) => {
  const CHECKSUM_ROWS = 10;
  const crcTable = Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc >>> 0;
  });
  const crc32 = (text) => {
    let crc = 0xffffffff;
    for (const byte of new TextEncoder().encode(text)) {
      crc = crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8);
    }
    return (crc ^ 0xffffffff) >>> 0;
  };
  const report = { epoch: null, seq: -1, deltas: 0, faults: [] };
  const sides = { bids: new Map(), asks: new Map() };
  const rowsOf = (name) => {
    const sign = name === 'bids' ? -1 : 1;
    return [...sides[name].values()].sort(([a], [b]) => sign * Number(BigInt(a) - BigInt(b)));
  };
  const change = (side, row) => {
    const [price, size] = row;
    if (size !== '0') side.set(price, row);
    else if (!side.delete(price)) report.faults.push(price + ' was not there to be removed');
  };
  const checksum = () => {
    const [bids, asks] = [rowsOf('bids'), rowsOf('asks')];
    const parts = [];
    for (let at = 0; at < CHECKSUM_ROWS; at += 1) {
      for (const row of [bids[at], asks[at]]) if (row) parts.push(row[0], row[1]);
    }
    return crc32(parts.join(':'));
  };
  const check = ({ type, epoch }, seq) => {
    if (epoch === report.epoch && seq === report.seq) return;
    report.faults.push(type + ' of ' + seq + ' after ' + report.seq);
  };
  const take = (message) => {
    const { type } = message;
    if (type === 'error') report.faults.push(message.message);
    if (type === 'heartbeat') check(message, message.seq);
    if (type === 'delta') {
      report.deltas += 1;
      const isAlone = message.bids.length === 0 && message.asks.length === 0;
      const isNew = message.seq > report.seq || (message.seq === report.seq && isAlone);
      check(message, message.prev <= report.seq && isNew ? report.seq : message.prev);
    }
    if (type === 'snapshot') {
      report.epoch = message.epoch;
      sides.bids.clear();
      sides.asks.clear();
    }
    if (type !== 'snapshot' && type !== 'delta') return;
    report.seq = message.seq;
    for (const name of ['bids', 'asks']) for (const row of message[name]) change(sides[name], row);
    if (checksum() !== message.crc) report.faults.push('crc ' + message.crc + ' at ' + message.seq);
  };
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send(subscribe);
  globalThis.finish = () => new Promise((resolve) => {
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === 'pong') resolve({ ...report, bids: rowsOf('bids'), asks: rowsOf('asks') });
      else take(message);
    };
    socket.send(JSON.stringify({ type: 'ping', id: 'end' }));
  });
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('the browser could not connect'));
    socket.onmessage = ({ data }) => {
      take(JSON.parse(data));
      resolve();
    };
  });
}`;
