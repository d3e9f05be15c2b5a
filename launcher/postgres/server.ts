import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { serverEnvironment, type PostgresHome } from './cluster.ts';
import { waitForExit, findPostgresPids, signalProcesses } from './processes.ts';
import { serverArguments } from './settings.ts';

const START_LIMIT_MS = 60_000;
const LOG_LIMIT_BYTES = 1_000_000;
const PORT_ATTEMPTS = 5;

export interface ServerOptions extends Pick<PostgresHome, 'as' | 'binaries'> {
  clusterDir: string;
  logFile: string;
  /** Port of the last run, which is used again if it is free. Null at the first start. */
  port: number | null;
  durable: boolean;
  /** Postgres settings that are added to the default settings of the product or replace them. */
  settings: Readonly<Record<string, string>>;
  onUnexpectedExit: (reason: string) => void;
}

export interface RunningServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Returns `preferred` if this port is free. Otherwise returns a free port that the system chooses. */
function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (preferred !== 0 && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) resolve(freePort(0));
      else reject(error);
    });
    probe.listen({ port: preferred, host: '127.0.0.1' }, () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No port on 127.0.0.1'));
        else resolve(address.port);
      });
    });
  });
}

const readPidFile = async (clusterDir: string): Promise<string[]> =>
  (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');

/**
 * Stops all processes that a killed launcher left running in this cluster, and removes the pid file. A server is
 * stopped cleanly. If only its children remain, they are stopped immediately.
 */
export async function stopLeftoverServer(clusterDir: string): Promise<void> {
  const pids = await findPostgresPids(clusterDir);
  const recorded = Number((await readPidFile(clusterDir))[0]);
  if (pids.length > 0) {
    if (pids.includes(recorded)) signalProcesses([recorded], 'SIGINT');
    else signalProcesses(pids, 'SIGQUIT');
    if (!(await waitForExit(pids, 5_000))) {
      signalProcesses(pids, 'SIGKILL');
      await waitForExit(pids, 2_000);
    }
  }
  // The old pid file must be removed. If another process has received the process id in this file, Postgres would not
  // start.
  if ((await findPostgresPids(clusterDir)).length === 0)
    await rm(path.join(clusterDir, 'postmaster.pid'), { force: true });
}

/** Returns the port of the running server of this cluster, or null if no server accepts connections. */
export async function findReadyPort(clusterDir: string): Promise<number | null> {
  const [pid, , , port, , , , status] = await readPidFile(clusterDir);
  const isReady = status?.trim() === 'ready' && (await findPostgresPids(clusterDir)).includes(Number(pid));
  return isReady ? Number(port) : null;
}

/**
 * Starts the server and waits until it accepts connections. If the start fails, throws an error with the end of the
 * log.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let preferred = options.port ?? 0;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(preferred);
    try {
      return await launch(options, port);
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('could not bind');
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
      preferred = 0;
    }
  }
}

async function launch(
  { clusterDir, logFile, binaries, as, durable, settings, onUnexpectedExit }: ServerOptions,
  port: number,
): Promise<RunningServer> {
  const oldLog = await stat(logFile).catch(() => null);
  if (oldLog !== null && oldLog.size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  // If root starts the product of another user, that user must be able to start it again.
  if ('uid' in as) await log.chown(as.uid, as.gid);
  const logStart_bytes = (await log.stat()).size;
  const endOfLog = async (): Promise<string> =>
    (await readFile(logFile)).subarray(logStart_bytes).toString('utf8').trim().split('\n').slice(-5).join('\n');

  // With `detached`, Ctrl-C in the terminal reaches only the Node process, which then stops all parts in the right
  // order.
  const child = spawn(binaries.postgres, serverArguments(clusterDir, port, durable, settings), {
    ...as,
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let isExpected = true;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signalName) => {
      if (!isExpected)
        onUnexpectedExit(
          `Postgres ended by itself (${signalName ?? `exit code ${code ?? '?'}`}); its log is ${logFile}`,
        );
      resolve();
    });
  });
  try {
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    await untilReady(child, clusterDir, endOfLog);
  } finally {
    await log.close();
  }
  isExpected = false;
  return {
    port,
    pid: child.pid ?? 0,
    stop() {
      if (!isExpected) {
        isExpected = true;
        stopChild(child);
      }
      return ended;
    },
  };
}

async function untilReady(child: ChildProcess, clusterDir: string, endOfLog: () => Promise<string>): Promise<void> {
  const deadline_ms = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Postgres did not start:\n${await endOfLog()}`);
    const [pid, , , , , , , status] = await readPidFile(clusterDir);
    if (Number(pid) === child.pid && status?.trim() === 'ready') return;
    if (Date.now() > deadline_ms) {
      child.kill('SIGQUIT');
      throw new Error(`Postgres was not ready after ${START_LIMIT_MS / 1000} s:\n${await endOfLog()}`);
    }
    await pause(15);
  }
}

/**
 * Stops the server within 3 s. First requests a fast shutdown. After 2 s, requests an immediate shutdown, which needs a
 * recovery at the next start. After 3 s, kills the server.
 */
function stopChild(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timers = [setTimeout(() => child.kill('SIGQUIT'), 2_000), setTimeout(() => child.kill('SIGKILL'), 3_000)];
  child.once('exit', () => {
    for (const timer of timers) clearTimeout(timer);
  });
  child.kill('SIGINT');
}
