// @ts-check
/**
 * Baseline of the live channel benchmark. A plain `ws` server sends every text from the parent process to all its
 * clients. The server reports its port to the parent process.
 */
import { WebSocket, WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
});
process.on('message', (text) => {
  const data = Buffer.from(String(text));
  server.clients.forEach((client) => {
    if (client.readyState === WebSocket.OPEN) client.send(data, { binary: false });
  });
});
process.once('disconnect', () => process.exit(0));
