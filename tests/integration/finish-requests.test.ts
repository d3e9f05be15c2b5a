import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTestProduct, type TestProduct } from '../support/product.ts';

const BODY = JSON.stringify({ email: 'nobody@example.org', password: 'wrong-password' });

/** Sends the headers and the first half of the body of a login. Resolves when the product has received them. */
async function startLogin({ url }: TestProduct): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/auth/login HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`,
  );
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(response.toString()).toContain('100 Continue');
  socket.write(BODY.slice(0, 10));
  return socket;
}

test('a stopping product finishes active requests within FINISH_REQUESTS_MS, and aborts longer ones', async () => {
  const patient = await startTestProduct({ finishRequests_ms: 600_000 });
  const impatient = await startTestProduct({ finishRequests_ms: 0 });
  const [finished, aborted] = [await startLogin(patient), await startLogin(impatient)];
  // The product with the long time stops first, so its request would be aborted first if both had the same time.
  const stopped = [patient.stop(), impatient.stop()];
  expect(await text(aborted)).toBe('');
  finished.write(BODY.slice(10));
  expect(await text(finished)).toMatch(/^HTTP\/1\.1 401 /u);
  await Promise.all(stopped);
});
