import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, openSharedCounters } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createRedis } from '../../launcher/engines/redis.mjs';
import { eventually } from '../support/eventually.ts';

const ownInstance = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (ownInstance instanceof BackingServiceUnavailable)
  test.skip(`Request counts in Redis: not run, ${ownInstance.message}`);
else describe('request counts in Redis', () => testWithRedis(ownInstance));

function testWithRedis(instance: BackingService): void {
  const redisUrl = instance.env['REDIS_URL'] ?? '';
  const open = () => openSharedCounters({ redisUrl, databaseUrl: '', log: createLogger('silent') });
  beforeAll(() => instance.start());
  afterAll(() => instance.dispose());

  test('are shared, expire, and can be deleted', async () => {
    const [one, other] = [await open(), await open()];
    await eventually(async () => {
      const { count } = await one.add('ready', 1, 60);
      expect((await other.add('ready', 1, 60)).count).toBe(count + 1);
    });
    // On a busy machine, Redis may respond after the time limit of the counters, which then count separately.
    await eventually(async () => {
      const key = randomUUID();
      expect((await one.add(key, 1, 60)).count).toBe(1);
      const { count, left_ms } = await other.add(key, 2, 60);
      expect(count).toBe(3);
      expect(left_ms).toBeGreaterThan(0);
      expect(left_ms).toBeLessThanOrEqual(60_000);
    });
    await one.add('short', 1, 2);
    await eventually(async () => expect(await one.find('short')).toBeNull());
    await one.add('b', 1, 60);
    await other.reset('b');
    expect(await one.find('b')).toBeNull();
    await Promise.all([one.close(), other.close()]);
  });

  test('continue in each process during an outage', async () => {
    const counters = await open();
    await counters.add('c', 1, 60);
    await instance.stop('SIGKILL');
    expect((await counters.add('c', 1, 60)).count).toBeGreaterThanOrEqual(2);
    for (let n = 1; n <= 5; n += 1) expect((await counters.add('d', 1, 60)).count).toBe(n);
    await counters.close();
  });
}
