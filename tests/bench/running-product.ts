import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findRunningPostgres } from '../../infra/embedded/postgres.ts';
import { familyOf, memoryOf, type Memory } from './processes.ts';

export interface RunningProduct {
  readonly url: string;
  /** The embedded Postgres. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly ready_ms: number;
  /** Resident memory of Node and Postgres. */
  memory(): Promise<Memory>;
  stop(): Promise<void>;
}

/** A data folder for a product of a benchmark. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-bench-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(dataDir, 0o711);
  return dataDir;
}

/** Starts the product as `npm start` does, in a process of its own, on a free port, and waits until it is ready. Its data folder, a new one unless given, goes when it is stopped. */
export async function startProductProcess(
  root: string,
  env: Record<string, string> = {},
  given: string | null = null,
): Promise<RunningProduct> {
  const dataDir = given ?? (await makeDataDir());
  const started_ms = Date.now();
  // The script of `npm start` itself, which hands its process over to Node.
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
  const url = await readyUrl(child);
  const ready_ms = Date.now() - started_ms;
  const databaseUrl = await findRunningPostgres(dataDir);
  if (databaseUrl === null) throw new Error('The product runs without a Postgres of its own');
  return {
    url,
    databaseUrl,
    dataDir,
    ready_ms,
    memory: () => memoryOfProduct(child.pid ?? 0, dataDir),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function readyUrl(child: ChildProcess): Promise<string> {
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

/** Of the process and of every Postgres process of the data folder. */
async function memoryOfProduct(pid: number, dataDir: string): Promise<Memory> {
  const record = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as { home: string };
  const postmaster = Number((await readFile(path.join(record.home, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
  return memoryOf(await familyOf([pid, postmaster]));
}
