import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

let product: TestProduct;
let api: ApiClient;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product.stop());

test('headers that take more than 20 s end with 408, and other requests do not wait for them', async () => {
  const socket = net.connect(Number(new URL(product.url).port), '127.0.0.1');
  const closed = new Promise<string>((resolve) => {
    let response = '';
    socket.on('data', (chunk) => (response += chunk.toString('latin1')));
    socket.on('close', () => resolve(response));
    socket.on('error', () => resolve(response));
  });
  socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n');
  const slowHeaders = setInterval(() => socket.write('X-Slow: 1\r\n'), 1_000);
  expect((await api.call('GET', '/api/health')).status).toBe(200);
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /u);
  clearInterval(slowHeaders);
});
