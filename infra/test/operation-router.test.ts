import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DomainError } from '@alpenglow/domain';
import express from 'express';
import { expect, test } from 'vitest';
import { createErrorHandler } from '../src/http/errors.ts';
import { createOperationRouter } from '../src/http/operation-router.ts';
import { getInput, getPath, getQuery, parseQuery } from '../src/http/request-input.ts';
import { createLogger } from '../src/service/logger.ts';

test('a router handles the operations of the routers that it includes, and passes on others and errors', async () => {
  const inner = createOperationRouter()
    .on('bumpAd', (req, res) => void res.end(JSON.stringify({ id: req.params.id })))
    .on('deleteAd', async () => {
      throw new DomainError('ONLY_OWNER');
    });
  const router = createOperationRouter().include(createOperationRouter().include(inner));
  expect(router.operations.map(({ id }) => id)).toEqual(['bumpAd', 'deleteAd']);
  const app = express();
  app.use('/api', router);
  app.use((_req, res) => void res.json({ passed: true }));
  app.use(createErrorHandler(createLogger('silent')));
  const server = app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const call = async (method: string, path: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${port}/api${path}`, { method })).json();
    expect(await call('POST', '/ads/a%201/bump')).toEqual({ id: 'a 1' });
    expect(await call('DELETE', '/ads/a1')).toMatchObject({ code: 'ONLY_OWNER' });
    expect(await call('PUT', '/ads/a1')).toEqual({ passed: true });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a handler reads parameters and a body that are parsed with the declaration of the operation', () => {
  const request = (method: string, originalUrl: string) => ({ method, originalUrl, params: {}, query: {}, body: {} });
  const post = request('GET', '/api/community/threads/x/posts/7/history');
  const threadId = '0193a1b2-0000-7000-8000-000000000001';
  expect(getPath({ ...post, params: { id: threadId, number: '7' } })).toEqual({ id: threadId, number: 7 });
  for (const [params, code] of [
    [{ id: 'x', number: '7' }, 'THREAD_NOT_FOUND'],
    [{ id: threadId, number: '-1' }, 'POST_NOT_FOUND'],
  ] as const)
    expect(() => getPath({ ...post, params })).toThrow(expect.objectContaining({ code }) as Error);
  const query: object = { limit: '5', q: ' tea ', details: 'false', photo: '1', maxPrice: '' };
  const parsed = { limit: 5, q: 'tea', details: false, photo: true, maxPrice: null, sort: 'bumped', cursor: null };
  expect(getQuery({ ...request('GET', '/api/ads?limit=5'), query })).toMatchObject(parsed);
  expect(parseQuery('listAds', query)).toMatchObject(parsed);
  expect(() => parseQuery('listAds', { limit: '0' })).toThrow(
    expect.objectContaining({ fields: { limit: 'limit must be a whole number from 1 to 100' } }) as Error,
  );
  const body = { phone_number: '+17025550100', images: [], photos: undefined };
  const changes = getInput({ ...request('PUT', '/api/ads/a1'), body });
  expect(changes).toMatchObject({ phone: '+17025550100', photos: [] });
});

test('an operation must not have handlers twice', () => {
  const message = 'The operation bumpAd already has handlers';
  const create = () => createOperationRouter().on('bumpAd', (_req, res) => void res.end());
  expect(() => createOperationRouter().include(create(), create())).toThrow(message);
  expect(() => create().on('bumpAd', (_req, res) => void res.end())).toThrow(message);
});
