import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findRunningPostgres } from '../launcher/postgres/index.ts';
import { postgresPid } from '../tests/support/launched-product.ts';
import { createServerFolder, removeServerFiles } from '../tests/support/server-folder.mjs';
import { processTreeOf, readCpuTime, readMemory, readOwnCpuTime, type Memory } from '../tests/support/process-usage.ts';

export interface RunningProduct {
  readonly url: string;
  /** URL of the embedded Postgres. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly ready_ms: number;
  /** Returns the resident memory of the processes of Node and Postgres. */
  memory(): Promise<Memory>;
  /** Returns the processor seconds of the process of Node so far, without Postgres. */
  processorTime_s(): Promise<number>;
  /** Returns the processor seconds so far of all processes of the product and of Postgres that run now. */
  wholeTime_s(): Promise<number>;
  /** Returns the processor seconds of Postgres so far, including sessions that have ended. */
  postgresTime_s(): Promise<number>;
  /** Stops the product and, unless `removesData` is false, removes its data directory. */
  stop(options?: { readonly removesData?: boolean }): Promise<void>;
}

/** Creates a data directory for the product of a benchmark. */
export const createDataDir = (): Promise<string> => createServerFolder('bench');

/**
 * Starts the product in a separate process, as `npm start` does, and waits until it is ready. Uses a free port and, by
 * default, a new data directory.
 */
export async function startProductProcess(
  root: string,
  env: Record<string, string> = {},
  existingDataDir: string | null = null,
): Promise<RunningProduct> {
  const dataDir = existingDataDir ?? (await createDataDir());
  const started_ms = Date.now();
  // Runs the script of `npm start` directly. The shell replaces itself with Node, so `child` is the process of Node.
  const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(20_000 + Math.floor(Math.random() * 20_000)),
      DATA_DIR: dataDir,
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await waitForUrl(child);
  const ready_ms = Date.now() - started_ms;
  const databaseUrl = await findRunningPostgres(dataDir);
  if (databaseUrl === null) throw new Error('The product has no embedded Postgres');
  return {
    url,
    databaseUrl,
    dataDir,
    ready_ms,
    memory: () => memoryOfProduct(child.pid ?? 0, dataDir),
    processorTime_s: () => readOwnCpuTime(child.pid ?? 0),
    async wholeTime_s() {
      const pids = await processTreeOf([child.pid ?? 0, await findPostmaster(dataDir)]);
      const times_s = await Promise.all(pids.map(readOwnCpuTime));
      return times_s.reduce((sum, time_s) => sum + time_s, 0);
    },
    postgresTime_s: async () => readCpuTime(await findPostmaster(dataDir)),
    async stop({ removesData = true } = {}) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      if (removesData) await removeServerFiles(dataDir);
    },
  };
}

function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const url = /ready at (\S+)/u.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The product ended with ${code} before it was ready`)));
  });
}

/** Returns the memory of the product process and of all processes of its Postgres. */
async function memoryOfProduct(pid: number, dataDir: string): Promise<Memory> {
  return readMemory(await processTreeOf([pid, await findPostmaster(dataDir)]));
}

/** Returns the process id of the embedded Postgres. */
async function findPostmaster(dataDir: string): Promise<number> {
  const pid = await postgresPid(dataDir);
  if (pid === null) throw new Error('The embedded Postgres does not run');
  return pid;
}
