import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { createMetrics, createLogger, openJobBackend, registerQueueMetrics } from '@alpenglow/infra';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createRedis } from '../../launcher/engines/redis.mjs';
import { describeJobInspector } from '../contract/job-inspector.ts';
import { describeJobQueue, type JobSystem } from '../contract/job-queue.ts';
import { describeLostJobs } from '../contract/lost-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { openJobSystem } from '../support/job-system.ts';

const url = process.env['REDIS_URL'];
if (url === undefined) test.skip('Redis: not run, REDIS_URL is not set');
else {
  describeJobQueue('BullMQ on Redis', () => openWithOwnKeys(url).then(({ system }) => system));
  const openOwnBackend = async () => {
    const prefix = newPrefix();
    const backend = await openJobBackend({ connectionString: url, prefix });
    return {
      backend,
      async close() {
        await backend.close();
        await removeKeys(url, prefix);
      },
    };
  };
  describeJobInspector('BullMQ on Redis', openOwnBackend);
  describeLostJobs('BullMQ on Redis', openOwnBackend);
  describe('BullMQ on a working Redis', () => testWorkingRedis(url));
}

/** Separate Redis server for outage tests, because other tests use the shared server. */
const ownInstance = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (ownInstance instanceof BackingServiceUnavailable) test.skip(`Redis outages: not run, ${ownInstance.message}`);
else describe('BullMQ on a failing Redis', () => testFailingRedis(ownInstance));

/** Opens a job system whose keys have a unique prefix. Closing the job system removes these keys. */
async function openWithOwnKeys(connectionString: string): Promise<{ system: JobSystem; prefix: string }> {
  const prefix = newPrefix();
  const system = await openJobSystem({ connectionString, prefix }, () => removeKeys(connectionString, prefix));
  return { system, prefix };
}

function newPrefix(): string {
  return `test-${randomUUID()}`;
}

async function removeKeys(connectionString: string, prefix: string): Promise<void> {
  const redis = new Redis(connectionString);
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>)
    if (keys.length > 0) await redis.unlink(keys);
  await redis.quit();
}

/** Time for which Redis does not respond. It is longer than any test. */
const HANG_ms = 60 * 60_000;

const enqueuePhoto = ({ queue }: JobSystem, mediaId: string) =>
  queue.enqueue('photo-variants', { mediaId }, { jobId: mediaId });
const idsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Resolves with the error of `work`, or null. Redis stays unavailable, so only a time limit can end `work`. */
function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (reason: unknown) => reason,
  );
}

function testWorkingRedis(connectionString: string): void {
  let system: JobSystem;
  let prefix: string;
  beforeEach(async () => {
    ({ system, prefix } = await openWithOwnKeys(connectionString));
  });
  afterEach(() => system.close());

  test('another worker takes over the job of a lost worker', async () => {
    await enqueuePhoto(system, 'orphan');
    const connection = new Redis(connectionString, { maxRetriesPerRequest: null });
    const lostWorker = new Worker('photo-variants', null, { connection, prefix, lockDuration: 200, autorun: false });
    expect(await lostWorker.getNextJob('lost')).toMatchObject({ data: { mediaId: 'orphan' } });
    await lostWorker.close();
    await connection.quit();
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.startWorkers({ 'photo-variants': handle });
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
  });

  test('a queue stores few events and a limited number of completed jobs', async () => {
    system.startWorkers({});
    for (const id of idsOf('m', 1_300)) await enqueuePhoto(system, id);
    await eventually(async () =>
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
    );
    const redis = new Redis(connectionString);
    expect(await redis.zcard(`${prefix}:photo-variants:completed`)).toBe(1_000);
    // Redis trims streams in blocks of 100 entries, so the stream may be longer than its limit.
    expect(await redis.xlen(`${prefix}:photo-variants:events`)).toBeLessThan(300);
    await redis.quit();
  });

  test('jobs contain only ids', async () => {
    await enqueuePhoto(system, 'm1');
    const redis = new Redis(connectionString);
    expect(await redis.hget(`${prefix}:photo-variants:job-m1`, 'data')).toBe('{"mediaId":"m1"}');
    await redis.quit();
  });

  test('the metrics contain the depth of a queue', async () => {
    const metrics = createMetrics();
    registerQueueMetrics(metrics, system.queue);
    await enqueuePhoto(system, 'm1');
    expect(await metrics.metrics()).toContain('jobs{kind="photo-variants",state="waiting"} 1');
  });
}

function testFailingRedis(instance: BackingService): void {
  const connectionString = instance.env['REDIS_URL'] ?? '';
  let system: JobSystem;
  beforeAll(() => instance.start());
  afterAll(() => instance.dispose());
  beforeEach(async () => {
    system = await openJobSystem({ connectionString, prefix: newPrefix() });
  });
  afterEach(async () => {
    await system.close();
    await instance.stop();
    await instance.start();
  });

  async function sendCommand(...args: [string, ...string[]]): Promise<void> {
    const redis = new Redis(connectionString);
    await redis.call(...args);
    redis.disconnect();
  }

  /** Ends the hanging of Redis. It accepts no commands meanwhile, so it is killed. */
  async function restartHanging(): Promise<void> {
    await instance.stop('SIGKILL');
    await instance.start();
  }

  test('after a kill and a restart, every job is completed: waiting jobs, active jobs and retries', async () => {
    const runs = new Map<string, number>();
    const isStopped = vi.fn(() => false);
    const startedBefore = new Set<string>();
    let finish: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (finish = resolve));
    const handle: JobHandler<'photo-variants'> = async ({ mediaId }, { attempt }) => {
      if (mediaId.startsWith('again') && attempt < 4) throw new Error('not yet');
      runs.set(mediaId, (runs.get(mediaId) ?? 0) + 1);
      if (!isStopped()) startedBefore.add(mediaId);
      if (mediaId.startsWith('active')) await released;
    };
    const ids = [...idsOf('again', 20), ...idsOf('active', 2), ...idsOf('waiting', 200)];
    for (const id of ids) await enqueuePhoto(system, id);
    // Each of the two workers has an active job. The other jobs wait for a worker or for their next attempt.
    system.startWorkers({ 'photo-variants': handle });
    system.startWorkers({ 'photo-variants': handle });
    await eventually(() => expect([...runs.keys()].filter((id) => id.startsWith('active'))).toHaveLength(2));
    const before = await system.queue.counts();
    expect(before['photo-variants']?.waiting).toBeGreaterThan(100);

    await instance.stop('SIGKILL');
    isStopped.mockReturnValue(true);
    await pause(1_000);
    finish();
    await instance.start();

    await eventually(
      async () =>
        expect(await system.queue.counts()).toMatchObject({
          'photo-variants': { waiting: 0, active: 0, delayed: 0, failed: 0 },
        }),
      { interval_ms: 200 },
    );
    expect([...runs.keys()].toSorted()).toEqual(ids.toSorted());
    const repeated = [...runs].filter(([, count]) => count > 1).map(([id]) => id);
    // Only a job whose completion did not reach Redis may run again.
    expect(repeated.filter((id) => !startedBefore.has(id))).toEqual([]);
    expect(repeated.length).toBeLessThanOrEqual(2);
  });

  test('after repeated kills under load, every acknowledged job is done', async () => {
    const done = new Set<string>();
    const handle: JobHandler<'photo-variants'> = async ({ mediaId }) => {
      await pause(2);
      done.add(mediaId);
    };
    system.startWorkers({ 'photo-variants': handle });
    system.startWorkers({ 'photo-variants': handle });
    const acknowledged: string[] = [];
    let isLoading = true;
    const loading = (async () => {
      for (let index = 0; isLoading; index += 1) {
        const id = `m${index}`;
        // Enqueues the job again until the queue accepts it, as a reactor does.
        for (;;) {
          const error = await errorOf(enqueuePhoto(system, id));
          if (error === null) break;
          expect(error).toBeInstanceOf(JobQueueUnavailable);
          await pause(50);
        }
        acknowledged.push(id);
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      await pause(700);
      await instance.stop('SIGKILL');
      await pause(300 * round);
      await instance.start();
    }
    await pause(1_500);
    isLoading = false;
    await loading;
    expect(acknowledged.length).toBeGreaterThan(100);
    await eventually(() => expect(acknowledged.filter((id) => !done.has(id))).toEqual([]), { interval_ms: 200 });
    expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } });
  });

  test('during an outage, enqueue fails at once and the metrics omit the queue, until Redis is back', async () => {
    const metrics = createMetrics();
    registerQueueMetrics(metrics, system.queue);
    await instance.stop('SIGKILL');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const error = await errorOf(enqueuePhoto(system, 'm1'));
      expect(error).toBeInstanceOf(JobQueueUnavailable);
    }
    const scrape = await metrics.metrics();
    expect(scrape).not.toContain('jobs{');
    expect(scrape).toContain('process_cpu');

    await instance.start();
    await eventually(() => enqueuePhoto(system, 'm1'));
    expect(await metrics.metrics()).toContain('jobs{kind="photo-variants",state="waiting"} 1');
  });

  test('while Redis hangs, enqueue fails within seconds; the jobs are done afterwards', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.startWorkers({ 'photo-variants': handle });
    await enqueuePhoto(system, 'before');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    // The pause is much longer than the time limit of the queue, so that the limit ends first on a busy machine, too.
    await sendCommand('CLIENT', 'PAUSE', '20000', 'ALL');
    const error = await errorOf(enqueuePhoto(system, 'during'));
    expect(error).toBeInstanceOf(JobQueueUnavailable);
    await eventually(() => enqueuePhoto(system, 'during'));
    await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'during' }, expect.anything()));
    expect(handle).toHaveBeenCalledTimes(2);
  });

  test('after Redis has lost all data, new jobs are done', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.startWorkers({ 'photo-variants': handle });
    await enqueuePhoto(system, 'before');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    await sendCommand('FLUSHALL');
    await enqueuePhoto(system, 'after');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
  });

  test('during an outage, closing idle workers, queue and connections ends in time', async () => {
    const workers = system.startWorkers({});
    await enqueuePhoto(system, 'm1');
    await eventually(async () =>
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
    );
    await instance.stop('SIGKILL');
    await pause(500);
    expect(await errorOf(workers.close())).toBeNull();
    expect(await errorOf(system.close())).toBeNull();
  });

  test('during an outage, closing workers with an active job or without a connection ends in time', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>(
      (_payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closing')))),
    );
    const workers = system.startWorkers({ 'photo-variants': handle });
    await enqueuePhoto(system, 'm1');
    await eventually(() => expect(handle).toHaveBeenCalled());
    await instance.stop('SIGKILL');
    const late = system.startWorkers({});
    await pause(300);
    expect(await Promise.all([errorOf(workers.close()), errorOf(late.close())])).toEqual([null, null]);

    await instance.start();
    const another = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.startWorkers({ 'photo-variants': another });
    await eventually(() => expect(another).toHaveBeenCalledWith({ mediaId: 'm1' }, expect.anything()));
  });

  test('while Redis hangs, closing workers and queue ends in time', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>(() => pause(1_000));
    const busy = system.startWorkers({ 'photo-variants': handle });
    await enqueuePhoto(system, 'm1');
    await eventually(() => expect(handle).toHaveBeenCalled());
    const idle = system.startWorkers({});
    await sendCommand('CLIENT', 'PAUSE', String(HANG_ms), 'ALL');
    try {
      expect(await Promise.all([errorOf(busy.close()), errorOf(idle.close())])).toEqual([null, null]);
      expect(await errorOf(system.close())).toBeNull();
    } finally {
      await restartHanging();
    }
  });

  describe('opening a backend', () => {
    const log = createLogger('silent');

    test('fails at once if Redis is unavailable', async () => {
      await instance.stop();
      const error = await errorOf(openJobBackend({ connectionString, log }));
      expect(error).toBeInstanceOf(JobQueueUnavailable);
    });

    test('fails at once if Redis hangs', async () => {
      await sendCommand('CLIENT', 'PAUSE', String(HANG_ms), 'ALL');
      try {
        const error = await errorOf(openJobBackend({ connectionString, log }));
        expect(error).toBeInstanceOf(JobQueueUnavailable);
      } finally {
        await restartHanging();
      }
    });

    test('is rejected if Redis may evict jobs', async () => {
      await sendCommand('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(openJobBackend({ connectionString, log })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('allkeys-lru'),
      });
      await sendCommand('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await (await openJobBackend({ connectionString, log })).close();
    });

    test('is rejected if Redis rejects the login, without the password in the error', async () => {
      await sendCommand('ACL', 'SETUSER', 'anna', 'on', '>right', '~*', '+@all');
      const withPassword = (password: string) => connectionString.replace('//', `//anna:${password}@`);
      const error = await errorOf(openJobBackend({ connectionString: withPassword('wrong-secret'), log }));
      expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('WRONGPASS') });
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('wrong-secret');
      await (await openJobBackend({ connectionString: withPassword('right'), log })).close();
    });

    test('is rejected if Redis is too old', async () => {
      const old = await startFakeRedis({ INFO: 'redis_version:6.0.16\r\nmaxmemory_policy:noeviction' });
      await expect(openJobBackend({ connectionString: old.url, log })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('6.0.16'),
      });
      await old.close();
    });

    test('logs a warning if Redis does not report its eviction policy', async () => {
      const silent = await startFakeRedis({ INFO: 'redis_version:7.2.4' });
      const warn = vi.spyOn(log, 'warn');
      const backend = await openJobBackend({ connectionString: silent.url, log });
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('maxmemory-policy'));
      await backend.close();
      await silent.close();
    });
  });
}

/**
 * Starts a fake Redis server for Redis versions and settings that are not available here. It responds with OK to every
 * command that `responses` does not contain.
 */
async function startFakeRedis(
  responses: Readonly<Record<string, string>>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // A Redis command is an array of strings. The length of each string precedes it, as in `*1 $4 INFO`.
      for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/gu)) {
        const response = responses[name.toUpperCase()];
        socket.write(response === undefined ? '+OK\r\n' : `$${response.length}\r\n${response}\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
