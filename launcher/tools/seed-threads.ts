import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { createResourceStack, createLogger, openAccounts, readConfig } from '@alpenglow/infra';
import { seedGeneratedAds, type SeedShare } from '../seed/seed-generated-ads.ts';

interface ShareOfSeeding {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly count: number;
  readonly share: SeedShare;
}

/** A message with which a worker thread reports its progress. */
interface Progress {
  readonly done: number;
}

export interface SeedInThreadsOptions extends Omit<ShareOfSeeding, 'share'> {
  readonly env: NodeJS.ProcessEnv;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number, of: number) => void;
}

/**
 * The code that each worker thread runs. It imports the bundle of this tool and calls `seedShare` with the task of the
 * thread.
 */
const THREAD =
  "const { bundle, task } = require('node:worker_threads').workerData; " +
  'import(bundle).then(({ seedShare }) => seedShare(task))';
const REPORT_INTERVAL_ads = 500;

/**
 * Creates generated ads in several worker threads, because a single thread cannot use the full speed of Postgres. Each
 * thread has its own share of the ads and its own connections. If a thread fails or `signal` aborts, rejects after all
 * threads have ended.
 */
export async function seedInThreads(
  { env, threads, signal, onProgress, ...work }: SeedInThreadsOptions,
  bundle: string,
): Promise<void> {
  const done = Array.from({ length: threads }, () => 0);
  const failed = new AbortController();
  const stop = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
  const ended = done.map(async (_, index) => {
    const task: ShareOfSeeding = { ...work, share: { index, of: threads } };
    const thread = new Worker(THREAD, { eval: true, env, workerData: { bundle, task } });
    const requestStop = () => thread.postMessage('stop');
    stop.addEventListener('abort', requestStop);
    thread.on('message', (progress: Progress) => {
      done[index] = progress.done;
      onProgress(
        done.reduce((sum, count) => sum + count),
        work.count,
      );
    });
    try {
      // Waits for the end of the thread. Rejects if the thread has thrown an error.
      await once(thread, 'exit');
    } finally {
      stop.removeEventListener('abort', requestStop);
    }
  });
  for (const thread of ended) thread.catch((error: unknown) => failed.abort(error));
  await Promise.allSettled(ended);
  stop.throwIfAborted();
}

/** Creates the ads in the share of one worker thread. This function runs in the thread. */
export async function seedShare({ databaseUrl, dataDir, count, share }: ShareOfSeeding): Promise<void> {
  const stop = new AbortController();
  const port = parentPort;
  port?.on('message', () => stop.abort());
  const config = readConfig(process.env);
  const closing = createResourceStack();
  try {
    const { commands, createAccountId } = await openAccounts({
      config,
      databaseUrl,
      dataDir,
      log: createLogger(config.logLevel),
      onStop: closing.add,
    });
    const onProgress = (done: number, of: number) => {
      if (done % REPORT_INTERVAL_ads === 0 || done === of) port?.postMessage({ done } satisfies Progress);
    };
    await seedGeneratedAds({ commands, createAccountId, onProgress }, count, {
      share,
      signal: stop.signal,
    });
  } finally {
    await closing.closeAll();
    port?.close();
  }
}
