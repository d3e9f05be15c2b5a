import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Router, type Response } from 'express';
import { afterEach, expect, test } from 'vitest';
import { createErrorHandler } from '../src/http/errors.ts';
import { createApp } from '../src/http/server.ts';
import { createLogger } from '../src/service/logger.ts';
import { createHttpMetrics, createMetrics } from '../src/service/metrics.ts';

/** A browser aborts a request when a person leaves the page. The log must not contain an error of the server then. */

let stop: () => Promise<unknown> = () => Promise.resolve();
afterEach(() => stop());

/** Serves a route that throws after `wait`. Returns the URL and the log entries. */
async function serve(wait: (res: Response) => Promise<unknown>) {
  const lines: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const log = createLogger('debug', output);
  const app = createApp({ trustedProxies: 0, log, metrics: createHttpMetrics(createMetrics()) });
  let handled: () => void = () => undefined;
  const isHandled = new Promise<void>((resolve) => (handled = resolve));
  const onError = createErrorHandler(log);
  app.use(
    Router().get('/wait', async (_req, res) => {
      await wait(res);
      throw new Error('the connection was lost');
    }),
  );
  app.use(((error, req, res, next) => {
    onError(error, req, res, next);
    handled();
  }) satisfies typeof onError);
  const server = app.listen(0, '127.0.0.1');
  stop = () => new Promise((resolve) => server.close(resolve));
  await once(server, 'listening');
  const levels = () => lines.map((line) => (JSON.parse(line) as { level: string | number }).level);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/wait`, isHandled, levels };
}

test('an aborted request is not logged as an error of the server', async () => {
  const abort = new AbortController();
  const { url, isHandled, levels } = await serve((res) => {
    abort.abort();
    return once(res, 'close');
  });
  await expect(fetch(url, { signal: abort.signal })).rejects.toThrow();
  await isHandled;
  expect(levels().filter((level) => level === 'error' || level === 50)).toEqual([]);
});

test('an error while the client waits is logged', async () => {
  const { url, levels } = await serve(() => Promise.resolve());
  expect((await fetch(url)).status).toBe(500);
  expect(levels().filter((level) => level === 'error' || level === 50)).not.toEqual([]);
});
