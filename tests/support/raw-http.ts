import net from 'node:net';
import { MAX_WAIT_ms } from './max-wait.ts';

/** Sends raw bytes to the server at `url`. Returns all bytes that the server sends until the connection closes. */
export function sendRaw(url: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    socket.on('error', () => resolve(received));
    socket.setTimeout(MAX_WAIT_ms, () => reject(new Error('The server did not close the connection')));
  });
}
