import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { createJobBackend, createJobQueue, createJobWorkers, createLogger } from '@alpenglow/infra';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createRedis } from '../../launcher/engines/redis.mjs';
import { describeJobPostponement } from '../contract/job-postponement.ts';
import { IDLE_HANDLERS, openJobSystem } from '../support/job-system.ts';
import { eventually } from '../support/eventually.ts';

const ownInstance = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (ownInstance instanceof BackingServiceUnavailable)
  test.skip(`Redis outage at the start: not run, ${ownInstance.message}`);
else describe('BullMQ on Redis', () => testWithRedis(ownInstance));

function testWithRedis(instance: BackingService): void {
  const connectionString = instance.env['REDIS_URL'] ?? '';
  const log = createLogger('silent');
  beforeAll(() => instance.start());
  afterAll(() => instance.dispose());

  describeJobPostponement('Redis', () => openJobSystem({ connectionString, prefix: `test-${randomUUID()}` }));

  test('queue and workers created during an outage report it, and work after the outage', async () => {
    await instance.stop('SIGKILL');
    const prefix = `test-${randomUUID()}`;
    const backend = await createJobBackend({ connectionString, prefix, log });
    await expect(backend.check()).rejects.toThrow(JobQueueUnavailable);
    const queue = createJobQueue(backend);
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    const workers = createJobWorkers(backend, { handlers: { ...IDLE_HANDLERS, 'photo-variants': handle }, log });
    const enqueue = () => queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'm1' });
    await expect(enqueue()).rejects.toThrow(JobQueueUnavailable);

    await instance.start();
    await eventually(() => backend.check());
    await eventually(enqueue);
    await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'm1' }, expect.anything()));
    // A queue writes its settings to Redis when it is created. If Redis is unavailable at that time, the queue writes
    // them after the outage.
    const redis = new Redis(connectionString);
    await eventually(async () =>
      expect(await redis.hget(`${prefix}:photo-variants:meta`, 'opts.maxLenEvents')).toBe('100'),
    );
    redis.disconnect();
    await workers.close();
    await queue.close();
    await backend.close();
  });

  test('queue, workers and connections can be closed if Redis was never reachable', async () => {
    await instance.stop('SIGKILL');
    const backend = await createJobBackend({ connectionString, log });
    const queue = createJobQueue(backend);
    const workers = createJobWorkers(backend, { handlers: IDLE_HANDLERS, log });
    await workers.close();
    await queue.close();
    await backend.close();
    await instance.start();
  });
}
