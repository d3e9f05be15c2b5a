import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { createApp, createHttpServer } from '../src/http/server.ts';
import { createLogger } from '../src/service/logger.ts';
import { createMetrics, createHttpMetrics } from '../src/service/metrics.ts';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;

test('all requests share one shape and all responses share another, whatever properties Express adds', async () => {
  const app = createApp({
    trustedProxies: 0,
    log: createLogger('silent'),
    metrics: createHttpMetrics(createMetrics()),
  });
  const handled: [Request, Response][] = [];
  app.get('/ads/:id', (req, res) => {
    handled.push([req, res]);
    res.json({ id: req.params.id });
  });
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const id of ['a1', 'a2', 'a3'])
      expect(await (await fetch(`http://127.0.0.1:${port}/ads/${id}`)).json()).toEqual({ id });
    // V8 determines hidden classes during the first request, so the test compares the two later requests.
    const [, [req, res] = [], [otherReq, otherRes] = []] = handled;
    expect(haveSameShape(req as object, otherReq as object)).toBe(true);
    expect(haveSameShape(res as object, otherRes as object)).toBe(true);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
