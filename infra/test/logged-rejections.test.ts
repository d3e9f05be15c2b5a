import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DomainError } from '@alpenglow/domain';
import { afterEach, expect, test } from 'vitest';
import { createErrorHandler } from '../src/http/errors.ts';
import { createApp } from '../src/http/server.ts';
import { createLogger } from '../src/service/logger.ts';
import { createMetrics, createHttpMetrics } from '../src/service/metrics.ts';

/** Tests that a rejection which a client causes is no error in the log. */

const ERROR_LEVEL = 50;
const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** Returns the log lines of a request whose route throws `error`. */
async function logOf(error: Error): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('debug', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const app = createApp({ trustedProxies: 0, log, metrics: createHttpMetrics(createMetrics()) });
  app.get('/api/ads', () => {
    throw error;
  });
  app.use(createErrorHandler(log));
  const server = app.listen(0, '127.0.0.1');
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ads`)).text();
  await expect.poll(() => lines.some(({ msg }) => msg === 'request')).toBe(true);
  return lines;
}

test.each([new DomainError('UPLOADS_BUSY', {}, 5), new DomainError('UNAVAILABLE', {}, 2)])(
  'a rejection with status 503 is logged as a warning without a stack: %s',
  async (error) => {
    const lines = await logOf(error);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'not answered', status: 503, rejection: error.code }));
    for (const line of lines) expect(line['level']).toBeLessThan(ERROR_LEVEL);
    expect(JSON.stringify(lines)).not.toContain('stack');
  },
);

test('a mistake in the product is logged as an error with its stack', async () => {
  const lines = await logOf(new TypeError('a mistake'));
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'not answered', level: ERROR_LEVEL }));
  expect(JSON.stringify(lines)).toContain('logged-rejections.test.ts');
});
