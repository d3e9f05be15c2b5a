import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, openSharedCounters } from '@alpenglow/infra';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createRedis } from '../../infra/engines/redis.mjs';
import { eventually } from '../support/eventually.ts';

const own = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof EngineUnavailable) return error;
    throw error;
  },
);
if (own instanceof EngineUnavailable) test.skip(`Counts of requests in Redis: not run, ${own.message}`);
else describe('counts of requests in Redis', () => onRedis(own));

function onRedis(engine: Engine): void {
  const redisUrl = engine.env['REDIS_URL'] ?? '';
  // Not touched where there is a Redis.
  const pool = new Pool();
  const open = () => openSharedCounters({ redisUrl, pool, log: createLogger('silent') });
  beforeAll(() => engine.start());
  afterAll(() => engine.dispose());

  test('are shared, end by themselves, and can be ended', async () => {
    const [one, other] = [await open(), await open()];
    await eventually(async () => {
      const { count } = await one.add('ready', 1, 60);
      expect((await other.add('ready', 1, 60)).count).toBe(count + 1);
    });
    expect((await one.add('a', 1, 5)).count).toBe(1);
    const { count, left_ms } = await other.add('a', 2, 5);
    expect(count).toBe(3);
    expect(left_ms).toBeGreaterThan(0);
    expect(left_ms).toBeLessThanOrEqual(5_000);
    await eventually(async () => expect(await one.find('a')).toBeNull());
    await one.add('b', 1, 60);
    await other.forget('b');
    expect(await one.find('b')).toBeNull();
    await Promise.all([one.close(), other.close()]);
  });

  test('go on in each process while it is away', async () => {
    const counters = await open();
    await counters.add('c', 1, 60);
    await engine.stop('SIGKILL');
    for (let n = 1; n <= 5; n += 1) expect((await counters.add('d', 1, 60)).count).toBe(n);
    await counters.close();
  });
}
