import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { createApp, createHttpServer } from '../src/http/server.ts';
import { createLogger } from '../src/logger.ts';
import { createMetrics, httpMetrics } from '../src/metrics.ts';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = runInThisContext('(one, other) => %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean;

test('requests share one shape, and answers another, however many properties Express has given them', async () => {
  const app = createApp({ trustedProxies: 0, log: createLogger('silent'), metrics: httpMetrics(createMetrics()) });
  const seen: [Request, Response][] = [];
  app.get('/ads/:id', (req, res) => {
    seen.push([req, res]);
    res.json({ id: req.params.id });
  });
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const id of ['a1', 'a2', 'a3'])
      expect(await (await fetch(`http://127.0.0.1:${port}/ads/${id}`)).json()).toEqual({ id });
    // The first request of all is where V8 learns the shapes.
    const [, [req, res] = [], [otherReq, otherRes] = []] = seen;
    expect(haveSameShape(req as object, otherReq as object)).toBe(true);
    expect(haveSameShape(res as object, otherRes as object)).toBe(true);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
