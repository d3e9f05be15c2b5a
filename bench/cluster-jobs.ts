import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createJobQueue,
  createJobWorkers,
  createLogger,
  migrateJobs,
  openJobBackend,
  type JobBackend,
} from '@alpenglow/infra';
import { IDLE_HANDLERS } from '../tests/support/job-system.ts';
import { forEachInParallel } from './closed-loop.ts';
import { withDatabase } from './databases.ts';
import { median } from './statistics.ts';

interface JobRates {
  /** Number of jobs per second that can be enqueued with 16 parallel requests. */
  readonly enqueued: number;
  /** Number of jobs that one worker processes per second. The handler of the jobs does nothing. */
  readonly done: number;
}

/** Medians over all rounds. */
export interface JobFigures {
  /** Jobs that one worker processes per second. */
  readonly doneOnRedis: number;
  readonly doneOnPostgres: number;
  /** Enqueued jobs per second on Redis divided by those on Postgres. */
  readonly enqueuedRatio: number;
}

const PARALLEL_REQUESTS = 16;
const WARM_UP_JOBS = 200;
const DONE_LIMIT_ms = 120_000;

/**
 * Measures the job queue and a worker of the product on Redis and on Postgres. The order of the two alternates between
 * rounds.
 */
export async function benchJobs({
  redisUrl,
  databaseUrl,
  rounds,
  jobs,
}: {
  redisUrl: string;
  databaseUrl: string;
  rounds: number;
  jobs: number;
}): Promise<JobFigures> {
  return withDatabase(databaseUrl, async (connectionString) => {
    await migrateJobs(connectionString);
    const measured: { redis: JobRates; postgres: JobRates }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // The prefix is unique, because the workers of the cluster also have queues on this Redis server.
      const onRedis = () => measureJobs({ connectionString: redisUrl, prefix: `bench-${randomUUID()}` }, jobs);
      const onPostgres = () => measureJobs({ connectionString }, jobs);
      const first = round % 2 === 0 ? await onRedis() : null;
      const postgres = await onPostgres();
      measured.push({ redis: first ?? (await onRedis()), postgres });
    }
    return {
      doneOnRedis: median(measured.map(({ redis }) => redis.done)),
      doneOnPostgres: median(measured.map(({ postgres }) => postgres.done)),
      enqueuedRatio: median(measured.map(({ redis, postgres }) => redis.enqueued / postgres.enqueued)),
    };
  });
}

async function measureJobs(connection: { connectionString: string; prefix?: string }, jobs: number): Promise<JobRates> {
  const backend = await openJobBackend(connection);
  const queue = createJobQueue(backend);
  try {
    await enqueue(queue, WARM_UP_JOBS);
    const enqueueStarted_ms = performance.now();
    await enqueue(queue, jobs);
    const enqueued = jobs / ((performance.now() - enqueueStarted_ms) / 1_000);
    return { enqueued, done: await processJobs(backend, jobs) };
  } finally {
    await queue.close();
    await backend.close();
  }
}

const enqueue = (queue: ReturnType<typeof createJobQueue>, jobs: number): Promise<void> =>
  forEachInParallel(Array.from({ length: jobs }), PARALLEL_REQUESTS, () =>
    queue.enqueue('photo-variants', { mediaId: randomUUID() }, { jobId: randomUUID() }),
  );

/** Processes `jobs` jobs after a warm-up. Returns the number of jobs per second. */
async function processJobs(backend: JobBackend, jobs: number): Promise<number> {
  let done = 0;
  let started_ms = 0;
  let finish: (ended_ms: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const workers = createJobWorkers(backend, {
    handlers: {
      ...IDLE_HANDLERS,
      'photo-variants': async () => {
        done += 1;
        if (done === WARM_UP_JOBS) started_ms = performance.now();
        if (done === WARM_UP_JOBS + jobs) finish(performance.now());
      },
    },
    log: createLogger('silent'),
  });
  try {
    const ended_ms = await Promise.race([finished, pause(DONE_LIMIT_ms, null, { ref: false })]);
    if (ended_ms === null) throw new Error(`Only ${done} of ${jobs} jobs were done within ${DONE_LIMIT_ms} ms`);
    return jobs / ((ended_ms - started_ms) / 1_000);
  } finally {
    await workers.close();
  }
}
