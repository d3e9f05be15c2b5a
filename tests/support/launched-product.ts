import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UPLOAD_WAIT_IN_TESTS_ms, WAIT_POSITION_IN_TESTS_ms } from './max-wait.ts';
import { createServerFolder, removeServerFiles } from './server-folder.mjs';

const root = path.resolve(import.meta.dirname, '../..');

interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchedProduct {
  readonly process: ChildProcess;
  /** Resolves with the URL when the product is ready. If the product ends earlier, rejects with its error output. */
  ready(): Promise<string>;
  /** Resolves when the product has ended. Also waits for all child processes that share its output streams. */
  ended(): Promise<ExitStatus>;
  stdout(): string;
  stderr(): string;
}

export interface LaunchOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** If true, runs `npm start` instead of the script of the launcher. */
  readonly npm?: boolean;
  /** Path of the checkout. By default, it is this checkout. */
  readonly root?: string;
}

/**
 * Starts the product in its own process group, as a terminal does. By default, it uses a free port and has no demo data
 * and no rate limits.
 */
export function launchProduct({ dataDir, env = {}, npm = false, root: cwd = root }: LaunchOptions): LaunchedProduct {
  const [program, args] = npm ? ['npm', ['start']] : [process.execPath, ['launcher/embedded/start.mjs']];
  const child = spawn(program, args, {
    cwd,
    // The product gets only these variables, so that variables of Vitest and npm do not affect it.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: os.tmpdir(),
      PORT: '0',
      DEMO: 'off',
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      WAIT_POSITION_MS: String(WAIT_POSITION_IN_TESTS_ms),
      UPLOAD_WAIT_MS: String(UPLOAD_WAIT_IN_TESTS_ms),
      DATA_DIR: dataDir,
      // The checkout of another commit has its own front ends.
      ...(cwd === root && { MF_DIR: process.env['MF_DIR'] }),
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<ExitStatus>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
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
  // Prevents an unhandled rejection in a test that does not call `ready`.
  ready.catch(() => undefined);
  return { process: child, ready: () => ready, ended: () => ended, stdout: () => stdout, stderr: () => stderr };
}

/** Returns the id of the main process of the Postgres server in a data folder, or null if there is none. */
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

/** Sends SIGKILL to a process. Does nothing if the process has already ended. */
export function kill9(pid: number | null | undefined): void {
  if (pid == null || !isRunning(pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Creates an empty data folder. `remove` deletes the folder, including the files that the Postgres of the product
 * stores elsewhere.
 */
export async function temporaryDataDir(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await createServerFolder('launch');
  return {
    path: folder,
    async remove() {
      const record = await readFile(path.join(folder, 'postgres.json'), 'utf8').catch(() => null);
      if (record !== null) await removeServerFiles((JSON.parse(record) as { home: string }).home);
      await removeServerFiles(folder);
    },
  };
}
