import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { createJobBackend, createJobQueue, createJobWorkers, createLogger } from '@alpenglow/infra';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createRedis } from '../../infra/engines/redis.mjs';
import { jobPostponingContract } from '../contract/job-postponing.ts';
import { IDLE_HANDLERS, openJobSystem } from '../support/job-system.ts';
import { eventually } from '../support/eventually.ts';

const own = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof EngineUnavailable) return error;
    throw error;
  },
);
if (own instanceof EngineUnavailable) test.skip(`Redis that is away at the start: not run, ${own.message}`);
else describe('BullMQ on Redis', () => onRedis(own));

function onRedis(engine: Engine): void {
  const connectionString = engine.env['REDIS_URL'] ?? '';
  const log = createLogger('silent');
  beforeAll(() => engine.start());
  afterAll(() => engine.dispose());

  jobPostponingContract('Redis', () => openJobSystem({ connectionString, prefix: `test-${randomUUID()}` }));

  test('queue and workers made while it is away say so, and work once it is there', async () => {
    await engine.stop('SIGKILL');
    const prefix = `test-${randomUUID()}`;
    const backend = await createJobBackend({ connectionString, prefix, log });
    await expect(backend.check()).rejects.toThrow(JobQueueUnavailable);
    const queue = createJobQueue(backend);
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    const workers = createJobWorkers(backend, { handlers: { ...IDLE_HANDLERS, 'photo-variants': handle }, log });
    const enqueue = () => queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'm1' });
    await expect(enqueue()).rejects.toThrow(JobQueueUnavailable);

    await engine.start();
    await eventually(() => backend.check());
    await eventually(enqueue);
    await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'm1' }, expect.anything()));
    // What a queue says when it is made, it says then.
    const redis = new Redis(connectionString);
    await eventually(async () =>
      expect(await redis.hget(`${prefix}:photo-variants:meta`, 'opts.maxLenEvents')).toBe('100'),
    );
    redis.disconnect();
    await workers.close();
    await queue.close();
    await backend.close();
  });

  test('all of it can be closed while it was never there', async () => {
    await engine.stop('SIGKILL');
    const backend = await createJobBackend({ connectionString, log });
    const queue = createJobQueue(backend);
    const workers = createJobWorkers(backend, { handlers: IDLE_HANDLERS, log });
    await workers.close();
    await queue.close();
    await backend.close();
    await engine.start();
  });
}
