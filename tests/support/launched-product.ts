import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { WAIT_POSITION_IN_TESTS_ms } from './patience.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchedProduct {
  readonly process: ChildProcess;
  /** Resolves with the address once the product says it is ready; rejects with its words if it ends before. */
  ready(): Promise<string>;
  /** Resolves when the process, and all that shared its output, has ended. */
  ended(): Promise<Ending>;
  stdout(): string;
  stderr(): string;
}

export interface LaunchOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Through `npm start` instead of the launcher's script. */
  readonly npm?: boolean;
  /** The checkout. */
  readonly root?: string;
}

/** Starts the product in a process group of its own, as a terminal does: on a free port, without demo data and without limits on rates unless asked for. */
export function launchProduct({ dataDir, env = {}, npm = false, root: cwd = root }: LaunchOptions): LaunchedProduct {
  const [program, args] = npm ? ['npm', ['start']] : [process.execPath, ['infra/embedded/start.mjs']];
  const child = spawn(program, args, {
    cwd,
    // What vitest and npm set for this process is not for the product.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      DEMO: 'off',
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      WAIT_POSITION_MS: String(WAIT_POSITION_IN_TESTS_ms),
      DATA_DIR: dataDir,
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ending>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const url = /^Alpenglow is ready at (\S+)$/mu.exec(stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('error', reject);
    void ended.then(({ code, signal }) =>
      reject(new Error(`The product ended (${signal ?? code ?? '?'}) before it was ready:\n${stderr}`)),
    );
  });
  // Whoever never asks whether it was ready does not want to hear that it was not.
  ready.catch(() => undefined);
  return { process: child, ready: () => ready, ended: () => ended, stdout: () => stdout, stderr: () => stderr };
}

/** The main process of the Postgres that belongs to a data folder; null while there is none. */
export async function postgresPid(dataDir: string): Promise<number | null> {
  try {
    const { home } = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as { home: string };
    return Number((await readFile(path.join(home, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
  } catch {
    return null;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** `kill -9`, of something that may have ended already. */
export function kill9(pid: number | null | undefined): void {
  if (pid == null || !isRunning(pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Children of a Postgres that was killed may write for a moment after it has gone. */
const REMOVE_ALL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/** An empty data folder that the test removes with whatever its Postgres kept elsewhere. */
export async function temporaryDataDir(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-launch-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(folder, 0o711);
  return {
    path: folder,
    async remove() {
      const record = await readFile(path.join(folder, 'postgres.json'), 'utf8').catch(() => null);
      if (record !== null) await rm((JSON.parse(record) as { home: string }).home, REMOVE_ALL);
      await rm(folder, REMOVE_ALL);
    },
  };
}
