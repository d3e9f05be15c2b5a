import net from 'node:net';
import { PATIENCE_ms } from './patience.ts';

/** Sends bytes as they are to the server of an `http://…` address and answers what comes back until it closes the connection. */
export function sendRaw(url: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', () => resolve(answer));
    socket.setTimeout(PATIENCE_ms, () => reject(new Error('the server keeps the connection')));
  });
}
