import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JobQueueUnavailable, type JobHandler } from '@alpenglow/domain';
import { createMetrics, createLogger, openJobBackend, queueDepthMetrics } from '@alpenglow/infra';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createRedis } from '../../infra/engines/redis.mjs';
import { jobInspectorContract } from '../contract/job-inspector.ts';
import { jobQueueContract, type JobSystem } from '../contract/job-queue.ts';
import { eventually } from '../support/eventually.ts';
import { openJobSystem } from '../support/job-system.ts';

const url = process.env['REDIS_URL'];
if (url === undefined) test.skip('Redis: not run, REDIS_URL is not set');
else {
  jobQueueContract('BullMQ on Redis', () => openOn(url).then(({ system }) => system));
  jobInspectorContract('BullMQ on Redis', async () => {
    const prefix = newPrefix();
    const backend = await openJobBackend({ connectionString: url, prefix });
    return {
      backend,
      async close() {
        await backend.close();
        await removeKeys(url, prefix);
      },
    };
  });
  describe('BullMQ on a Redis that works', () => thatWorks(url));
}

/** Outages are made on an instance of our own. */
const own = await createRedis({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-redis-')) }).catch(
  (error: unknown) => {
    if (error instanceof EngineUnavailable) return error;
    throw error;
  },
);
if (own instanceof EngineUnavailable) test.skip(`Redis outages: not run, ${own.message}`);
else describe('BullMQ on a Redis that fails', () => thatFails(own));

/** A job system with keys of its own, which go when it is closed. */
async function openOn(connectionString: string): Promise<{ system: JobSystem; prefix: string }> {
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

/** Longer than any test may take. */
const HANGS_ms = 60 * 60_000;

const photo = ({ queue }: JobSystem, mediaId: string) =>
  queue.enqueue('photo-variants', { mediaId }, { jobId: mediaId });
const idsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** The error that something ends with, or null. A call that has no limit of time never ends where Redis stays away. */
function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (reason: unknown) => reason,
  );
}

function thatWorks(connectionString: string): void {
  let system: JobSystem;
  let prefix: string;
  beforeEach(async () => {
    ({ system, prefix } = await openOn(connectionString));
  });
  afterEach(() => system.close());

  test('a job whose worker is gone is taken over', async () => {
    await photo(system, 'orphan');
    const connection = new Redis(connectionString, { maxRetriesPerRequest: null });
    const gone = new Worker('photo-variants', null, { connection, prefix, lockDuration: 200, autorun: false });
    expect(await gone.getNextJob('gone')).toMatchObject({ data: { mediaId: 'orphan' } });
    await gone.close();
    await connection.quit();
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.work({ 'photo-variants': handle });
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
  });

  test('a queue keeps few events and a bounded number of jobs that are done', async () => {
    system.work({});
    for (const id of idsOf('m', 1_300)) await photo(system, id);
    await eventually(async () =>
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
    );
    const redis = new Redis(connectionString);
    expect(await redis.zcard(`${prefix}:photo-variants:completed`)).toBe(1_000);
    // Redis trims streams by whole blocks of 100 entries.
    expect(await redis.xlen(`${prefix}:photo-variants:events`)).toBeLessThan(300);
    await redis.quit();
  });

  test('jobs carry ids, nothing else', async () => {
    await photo(system, 'm1');
    const redis = new Redis(connectionString);
    expect(await redis.hget(`${prefix}:photo-variants:job-m1`, 'data')).toBe('{"mediaId":"m1"}');
    await redis.quit();
  });

  test('its depth is in the metrics', async () => {
    const metrics = createMetrics();
    queueDepthMetrics(metrics, system.queue);
    await photo(system, 'm1');
    expect(await metrics.metrics()).toContain('jobs{kind="photo-variants",state="waiting"} 1');
  });
}

function thatFails(engine: Engine): void {
  const connectionString = engine.env['REDIS_URL'] ?? '';
  let system: JobSystem;
  beforeAll(() => engine.start());
  afterAll(() => engine.dispose());
  beforeEach(async () => {
    system = await openJobSystem({ connectionString, prefix: newPrefix() });
  });
  afterEach(async () => {
    await system.close();
    await engine.stop();
    await engine.start();
  });

  async function command(...words: [string, ...string[]]): Promise<void> {
    const redis = new Redis(connectionString);
    await redis.call(...words);
    redis.disconnect();
  }

  test('killed and started again, has every job done: those that waited, were under way, or were to be tried again', async () => {
    const runs = new Map<string, number>();
    const isAway = vi.fn(() => false);
    const begunBefore = new Set<string>();
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const handle: JobHandler<'photo-variants'> = async ({ mediaId }, { attempt }) => {
      if (mediaId.startsWith('again') && attempt < 4) throw new Error('not yet');
      runs.set(mediaId, (runs.get(mediaId) ?? 0) + 1);
      if (!isAway()) begunBefore.add(mediaId);
      if (mediaId.startsWith('active')) await held;
    };
    const ids = [...idsOf('again', 20), ...idsOf('active', 2), ...idsOf('waiting', 200)];
    for (const id of ids) await photo(system, id);
    // Two workers with a job each in hand, the rest waiting behind them or for their next attempt.
    system.work({ 'photo-variants': handle });
    system.work({ 'photo-variants': handle });
    await eventually(() => expect([...runs.keys()].filter((id) => id.startsWith('active'))).toHaveLength(2));
    const before = await system.queue.counts();
    expect(before['photo-variants']?.waiting).toBeGreaterThan(100);

    await engine.stop('SIGKILL');
    isAway.mockReturnValue(true);
    await pause(1_000);
    finish();
    await engine.start();

    await eventually(
      async () =>
        expect(await system.queue.counts()).toMatchObject({
          'photo-variants': { waiting: 0, active: 0, delayed: 0, failed: 0 },
        }),
      { interval_ms: 200 },
    );
    expect([...runs.keys()].toSorted()).toEqual(ids.toSorted());
    const doubled = [...runs].filter(([, count]) => count > 1).map(([id]) => id);
    // What Redis did not hear the end of may run again, nothing else may.
    expect(doubled.filter((id) => !begunBefore.has(id))).toEqual([]);
    expect(doubled.length).toBeLessThanOrEqual(2);
  });

  test('killed again and again under load, has every acknowledged job done', async () => {
    const done = new Set<string>();
    const handle: JobHandler<'photo-variants'> = async ({ mediaId }) => {
      await pause(2);
      done.add(mediaId);
    };
    system.work({ 'photo-variants': handle });
    system.work({ 'photo-variants': handle });
    const acknowledged: string[] = [];
    let isLoading = true;
    const loading = (async () => {
      for (let index = 0; isLoading; index += 1) {
        const id = `m${index}`;
        // As a reactor does: the same job again until it is taken.
        for (;;) {
          const error = await errorOf(photo(system, id));
          if (error === null) break;
          expect(error).toBeInstanceOf(JobQueueUnavailable);
          await pause(50);
        }
        acknowledged.push(id);
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      await pause(700);
      await engine.stop('SIGKILL');
      await pause(300 * round);
      await engine.start();
    }
    await pause(1_500);
    isLoading = false;
    await loading;
    expect(acknowledged.length).toBeGreaterThan(100);
    await eventually(() => expect(acknowledged.filter((id) => !done.has(id))).toEqual([]), { interval_ms: 200 });
    expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } });
  });

  test('away: enqueuing says so at once, metrics leave it out, and both work again after its return', async () => {
    const metrics = createMetrics();
    queueDepthMetrics(metrics, system.queue);
    await engine.stop('SIGKILL');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const error = await errorOf(photo(system, 'm1'));
      expect(error).toBeInstanceOf(JobQueueUnavailable);
    }
    const scrape = await metrics.metrics();
    expect(scrape).not.toContain('jobs{');
    expect(scrape).toContain('process_cpu');

    await engine.start();
    await eventually(() => photo(system, 'm1'));
    expect(await metrics.metrics()).toContain('jobs{kind="photo-variants",state="waiting"} 1');
  });

  test('that hangs: enqueuing says so within seconds, and jobs are done when it goes on', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.work({ 'photo-variants': handle });
    await photo(system, 'before');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    await command('CLIENT', 'PAUSE', '9000', 'ALL');
    const error = await errorOf(photo(system, 'during'));
    expect(error).toBeInstanceOf(JobQueueUnavailable);
    await eventually(() => photo(system, 'during'));
    await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'during' }, expect.anything()));
    expect(handle).toHaveBeenCalledTimes(2);
  });

  test('that forgot everything: new jobs are done', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.work({ 'photo-variants': handle });
    await photo(system, 'before');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    await command('FLUSHALL');
    await photo(system, 'after');
    await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
  });

  test('away: closing idle workers, queue and connections is bounded', async () => {
    const workers = system.work({});
    await photo(system, 'm1');
    await eventually(async () =>
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 0, active: 0 } }),
    );
    await engine.stop('SIGKILL');
    await pause(500);
    expect(await errorOf(workers.close())).toBeNull();
    expect(await errorOf(system.close())).toBeNull();
  });

  test('away: closing workers that have a job in hand, or never reached it, is bounded', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>(
      (_payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closing')))),
    );
    const workers = system.work({ 'photo-variants': handle });
    await photo(system, 'm1');
    await eventually(() => expect(handle).toHaveBeenCalled());
    await engine.stop('SIGKILL');
    const late = system.work({});
    await pause(300);
    expect(await Promise.all([errorOf(workers.close()), errorOf(late.close())])).toEqual([null, null]);

    await engine.start();
    const another = vi.fn<JobHandler<'photo-variants'>>().mockResolvedValue();
    system.work({ 'photo-variants': another });
    await eventually(() => expect(another).toHaveBeenCalledWith({ mediaId: 'm1' }, expect.anything()));
  });

  test('that hangs: closing is bounded, too', async () => {
    const handle = vi.fn<JobHandler<'photo-variants'>>(() => pause(1_000));
    const busy = system.work({ 'photo-variants': handle });
    await photo(system, 'm1');
    await eventually(() => expect(handle).toHaveBeenCalled());
    const idle = system.work({});
    await command('CLIENT', 'PAUSE', String(HANGS_ms), 'ALL');
    try {
      expect(await Promise.all([errorOf(busy.close()), errorOf(idle.close())])).toEqual([null, null]);
      expect(await errorOf(system.close())).toBeNull();
    } finally {
      // A Redis that hangs does not take the command that ends it.
      await engine.stop('SIGKILL');
      await engine.start();
    }
  });

  describe('on opening', () => {
    const log = createLogger('silent');

    test('is not waited for when it is away', async () => {
      await engine.stop();
      const error = await errorOf(openJobBackend({ connectionString, log }));
      expect(error).toBeInstanceOf(JobQueueUnavailable);
    });

    test('is not waited for when it hangs', async () => {
      await command('CLIENT', 'PAUSE', '7000', 'ALL');
      const error = await errorOf(openJobBackend({ connectionString, log }));
      expect(error).toBeInstanceOf(JobQueueUnavailable);
    });

    test('is refused when it may drop jobs', async () => {
      await command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(openJobBackend({ connectionString, log })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('allkeys-lru'),
      });
      await command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await (await openJobBackend({ connectionString, log })).close();
    });

    test('is refused when it refuses us, without a word of the password', async () => {
      await command('ACL', 'SETUSER', 'anna', 'on', '>right', '~*', '+@all');
      const withPassword = (password: string) => connectionString.replace('//', `//anna:${password}@`);
      const error = await errorOf(openJobBackend({ connectionString: withPassword('wrong-secret'), log }));
      expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('WRONGPASS') });
      expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('wrong-secret');
      await (await openJobBackend({ connectionString: withPassword('right'), log })).close();
    });

    test('is refused when it is too old', async () => {
      const old = await answering({ INFO: 'redis_version:6.0.16\r\nmaxmemory_policy:noeviction' });
      await expect(openJobBackend({ connectionString: old.url, log })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('6.0.16'),
      });
      await old.close();
    });

    test('is warned about, not refused, when it does not tell its policy', async () => {
      const silent = await answering({ INFO: 'redis_version:7.2.4' });
      const warn = vi.spyOn(log, 'warn');
      const backend = await openJobBackend({ connectionString: silent.url, log });
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('maxmemory-policy'));
      await backend.close();
      await silent.close();
    });
  });
}

/** A stand-in for servers that cannot be had here: it says OK to everything but what it is given an answer for. */
async function answering(answers: Readonly<Record<string, string>>): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // A command is an array of strings, each after its length: `*1 $4 INFO`.
      for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/gu)) {
        const answer = answers[name.toUpperCase()];
        socket.write(answer === undefined ? '+OK\r\n' : `$${answer.length}\r\n${answer}\r\n`);
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
