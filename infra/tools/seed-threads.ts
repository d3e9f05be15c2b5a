import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { createClosing, createLogger, openCore, readConfig } from '../src/index.ts';
import { seedGenerated, type Share } from '../embedded/seed/seed-generated.ts';

export interface ShareOfSeeding {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly count: number;
  readonly share: Share;
}

/** What a thread says while it works. */
interface Progress {
  readonly done: number;
}

export interface SeedInThreadsOptions extends Omit<ShareOfSeeding, 'share'> {
  readonly env: NodeJS.ProcessEnv;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number, of: number) => void;
}

/** The bundle of the tool, out of which a thread takes its part. A thread has no arguments, so it is told in its data. */
const THREAD = `const { bundle, task } = require('node:worker_threads').workerData; import(bundle).then(({ seedShare }) => seedShare(task))`;
const TOLD_EVERY_ads = 500;

/**
 * Puts up made-up ads in several threads, each with a share and connections of its own: one thread alone decides and seals more slowly than
 * Postgres takes in. Rejects when one of them fails, or `signal` aborts, once all have ended.
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
    const tell = () => thread.postMessage('stop');
    stop.addEventListener('abort', tell);
    thread.on('message', (progress: Progress) => {
      done[index] = progress.done;
      onProgress(
        done.reduce((sum, one) => sum + one),
        work.count,
      );
    });
    try {
      // Rejects with what the thread threw.
      await once(thread, 'exit');
    } finally {
      stop.removeEventListener('abort', tell);
    }
  });
  for (const one of ended) one.catch((error: unknown) => failed.abort(error));
  await Promise.allSettled(ended);
  stop.throwIfAborted();
}

/** A thread's part of `seedInThreads`. */
export async function seedShare({ databaseUrl, dataDir, count, share }: ShareOfSeeding): Promise<void> {
  const stop = new AbortController();
  const port = parentPort;
  port?.on('message', () => stop.abort());
  const config = readConfig(process.env);
  const closing = createClosing();
  try {
    const { commands, accountIdOf } = await openCore({
      config,
      databaseUrl,
      dataDir,
      log: createLogger(config.logLevel),
      onStop: closing.add,
    });
    const onProgress = (done: number, of: number) => {
      if (done % TOLD_EVERY_ads === 0 || done === of) port?.postMessage({ done } satisfies Progress);
    };
    await seedGenerated({ commands, accountIdOf, onProgress }, count, { share, signal: stop.signal });
  } finally {
    await closing.closeAll();
    port?.close();
  }
}
