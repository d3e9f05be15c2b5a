import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findRunningPostgres } from '../../infra/embedded/postgres.ts';

export interface RunningProduct {
  readonly url: string;
  /** The embedded Postgres. */
  readonly databaseUrl: string;
  readonly ready_ms: number;
  /** Resident memory of Node and Postgres in bytes: `rss` counts shared pages once for each process, `pss` once. */
  memory(): Promise<{ readonly rss: number; readonly pss: number }>;
  stop(): Promise<void>;
}

/** Starts the product as `npm start` does, in a process and a data folder of its own, on a free port, and waits until it is ready. */
export async function startProductProcess(root: string, env: Record<string, string> = {}): Promise<RunningProduct> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-bench-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(dataDir, 0o711);
  const started_ms = Date.now();
  // The script of `npm start` itself, which hands its process over to Node.
  const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: root,
    env: { ...process.env, PORT: String(20_000 + Math.floor(Math.random() * 20_000)), DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyUrl(child);
  const ready_ms = Date.now() - started_ms;
  const databaseUrl = await findRunningPostgres(dataDir);
  if (databaseUrl === null) throw new Error('The product runs without a Postgres of its own');
  return {
    url,
    databaseUrl,
    ready_ms,
    memory: () => memoryOf(child.pid ?? 0, dataDir),
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

/** Linux only: what /proc says of the process and of every Postgres process of the data folder. */
async function memoryOf(pid: number, dataDir: string): Promise<{ rss: number; pss: number }> {
  const record = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as { home: string };
  const postmaster = Number((await readFile(path.join(record.home, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).map(Number);
  const family: number[] = [pid, postmaster];
  for (const one of pids) {
    const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === postmaster || parent === pid) family.push(one);
  }
  const total = { rss: 0, pss: 0 };
  for (const one of family) {
    const rollup = await readFile(`/proc/${one}/smaps_rollup`, 'utf8').catch(() => '');
    total.rss += Number(/^Rss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
    total.pss += Number(/^Pss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return total;
}
