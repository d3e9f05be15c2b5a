import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BusyError, createErrorHandler, createLogger } from '@alpenglow/infra';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendBusyPage } from '../server/busy-page.ts';

/** The responses to requests that the fair queue rejects. */

let server: Server;
let url: string;
beforeAll(async () => {
  const app = express();
  app.use((req, res, next) => {
    // The headers of a rejected request are not those of a page.
    res.setHeader('X-Request-Id', 'r1');
    next(req.path === '/other' ? new Error('broken') : new BusyError());
  });
  app.use(sendBusyPage);
  app.use(createErrorHandler(createLogger('silent')));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8', ...headers } });

test.each([
  ['en', 'Alpenglow is busy'],
  ['de', 'Alpenglow ist ausgelastet'],
  ['fr', 'Alpenglow est surchargé'],
  ['it', 'Alpenglow è sovraccarico'],
])('the page is in the language of the visitor: %s', async (language, title) => {
  const response = await get('/listings?x=1', { 'accept-language': language });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const html = await response.text();
  expect(html).toContain(`<html lang="${language}">`);
  expect(html).toContain(`<h1>${title}</h1>`);
  expect(html).toContain('<meta http-equiv="refresh" content="5">');
});

test('a language that the visitor has chosen has priority', async () => {
  expect(await (await get('/', { cookie: 'locale=fr', 'accept-language': 'de' })).text()).toContain('lang="fr"');
});

test.each([
  ['/api/ads', 'text/html,*/*;q=0.8'],
  ['/listings', 'application/json'],
  ['/mf/mf-listings/x.js', '*/*'],
])('a request that is no page gets the usual error: %s %s', async (path, accept) => {
  const response = await get(path, { accept });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
});

test('other errors of a page are passed on', async () => {
  expect((await get('/other')).status).toBe(500);
});
