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
import { IDLE_HANDLERS } from '../support/job-system.ts';
import { withDatabase } from './databases.ts';
import { median } from './statistics.ts';

export interface JobRates {
  /** Jobs a second that are taken, 16 at a time. */
  readonly enqueued: number;
  /** Jobs a second one worker does that has nothing to do for each. */
  readonly done: number;
}

export interface JobFigures {
  readonly redis: JobRates;
  readonly postgres: JobRates;
  /** Redis ÷ Postgres: medians of the rounds' own ratios. */
  readonly ratio: JobRates;
}

const AT_A_TIME = 16;
const WARM_UP_JOBS = 200;
const DONE_LIMIT_ms = 120_000;

/** The product's queue and workers on Redis and on Postgres, in turn. */
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
      // A name of its own: the workers of the cluster have queues on this Redis too.
      const onRedis = () => runJobs({ connectionString: redisUrl, prefix: `bench-${randomUUID()}` }, jobs);
      const onPostgres = () => runJobs({ connectionString }, jobs);
      const first = round % 2 === 0 ? await onRedis() : null;
      const postgres = await onPostgres();
      measured.push({ redis: first ?? (await onRedis()), postgres });
    }
    const each = (pick: (round: (typeof measured)[number]) => JobRates): JobRates => ({
      enqueued: median(measured.map((round) => pick(round).enqueued)),
      done: median(measured.map((round) => pick(round).done)),
    });
    return {
      redis: each(({ redis }) => redis),
      postgres: each(({ postgres }) => postgres),
      ratio: each(({ redis, postgres }) => ({
        enqueued: redis.enqueued / postgres.enqueued,
        done: redis.done / postgres.done,
      })),
    };
  });
}

async function runJobs(place: { connectionString: string; prefix?: string }, jobs: number): Promise<JobRates> {
  const backend = await openJobBackend(place);
  const queue = createJobQueue(backend);
  try {
    await enqueue(queue, WARM_UP_JOBS);
    const enqueueBegun = performance.now();
    await enqueue(queue, jobs);
    const enqueued = jobs / ((performance.now() - enqueueBegun) / 1_000);
    return { enqueued, done: await work(backend, jobs) };
  } finally {
    await queue.close();
    await backend.close();
  }
}

async function enqueue(queue: ReturnType<typeof createJobQueue>, jobs: number): Promise<void> {
  let left = jobs;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await queue.enqueue('photo-variants', { mediaId: randomUUID() }, { jobId: randomUUID() });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

/** Jobs a second, from the end of the warm-up. */
async function work(backend: JobBackend, jobs: number): Promise<number> {
  let done = 0;
  let begun_ms = 0;
  let finish: (ended_ms: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const workers = createJobWorkers(backend, {
    handlers: {
      ...IDLE_HANDLERS,
      'photo-variants': async () => {
        done += 1;
        if (done === WARM_UP_JOBS) begun_ms = performance.now();
        if (done === WARM_UP_JOBS + jobs) finish(performance.now());
      },
    },
    log: createLogger('silent'),
  });
  try {
    const ended_ms = await Promise.race([finished, pause(DONE_LIMIT_ms, null, { ref: false })]);
    if (ended_ms === null) throw new Error(`${done} of ${jobs} jobs in ${DONE_LIMIT_ms} ms`);
    return jobs / ((ended_ms - begun_ms) / 1_000);
  } finally {
    await workers.close();
  }
}
