import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import type { Binaries } from './binaries.ts';
import { serverEnvironment } from './cluster.ts';
import { haveEnded, pidsUsing, signal } from './processes.ts';
import { serverArguments } from './settings.ts';
import type { RunAs } from './system-user.ts';

const START_LIMIT_MS = 60_000;
const LOG_LIMIT_BYTES = 1_000_000;
const PORT_ATTEMPTS = 5;

export interface ServerOptions {
  clusterDir: string;
  logFile: string;
  binaries: Binaries;
  as: RunAs;
  /** The port used last time, kept while it is free. */
  port: number | null;
  durable: boolean;
  /** Besides the product's own, or in their place. */
  settings: Readonly<Record<string, string>>;
  onUnexpectedExit: (reason: string) => void;
}

export interface RunningServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

const pause = (duration_ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, duration_ms));

/** A port nobody listens on now: the wished one if possible, else one the system picks. */
function freePort(wished: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (wished !== 0 && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) resolve(freePort(0));
      else reject(error);
    });
    probe.listen({ port: wished, host: '127.0.0.1' }, () => {
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
 * Ends whatever still runs on this cluster (its Node was killed) and clears the way for a new server. A server gets
 * the chance of an orderly stop; children that outlived a killed server do not.
 */
export async function stopStale(clusterDir: string): Promise<void> {
  const pids = await pidsUsing(clusterDir);
  const recorded = Number((await readPidFile(clusterDir))[0]);
  if (pids.length > 0) {
    if (pids.includes(recorded)) signal([recorded], 'SIGINT');
    else signal(pids, 'SIGQUIT');
    if (!(await haveEnded(pids, 5_000))) {
      signal(pids, 'SIGKILL');
      await haveEnded(pids, 2_000);
    }
  }
  // A stale file whose pid now belongs to a stranger, or to a zombie nobody reaped, would stop Postgres from starting.
  if ((await pidsUsing(clusterDir)).length === 0) await rm(path.join(clusterDir, 'postmaster.pid'), { force: true });
}

/** The port of the server that runs on this cluster and accepts connections; null when there is none, or not yet. */
export async function readyPort(clusterDir: string): Promise<number | null> {
  const [pid, , , port, , , , status] = await readPidFile(clusterDir);
  const isReady = status?.trim() === 'ready' && (await pidsUsing(clusterDir)).includes(Number(pid));
  return isReady ? Number(port) : null;
}

/** Starts the server and waits until it accepts connections. Throws with the server's own words if it does not. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let wished = options.port ?? 0;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(wished);
    try {
      return await launch(options, port);
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('could not bind');
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
      wished = 0;
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
  const logStart_bytes = (await log.stat()).size;
  const lastWords = async (): Promise<string> =>
    (await readFile(logFile)).subarray(logStart_bytes).toString('utf8').trim().split('\n').slice(-5).join('\n');

  // Its own process group: Ctrl-C in the terminal reaches only Node, which stops everything in order.
  const child = spawn(binaries.postgres, serverArguments(clusterDir, port, durable, settings), {
    ...as,
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let expected = true;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signalName) => {
      if (!expected)
        onUnexpectedExit(
          `Postgres ended by itself (${signalName ?? `exit code ${code ?? '?'}`}); its log is ${logFile}`,
        );
      resolve();
    });
  });
  try {
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    await untilReady(child, clusterDir, lastWords);
  } finally {
    await log.close();
  }
  expected = false;
  return {
    port,
    pid: child.pid ?? 0,
    stop() {
      if (!expected) {
        expected = true;
        stopChild(child);
      }
      return ended;
    },
  };
}

async function untilReady(child: ChildProcess, clusterDir: string, lastWords: () => Promise<string>): Promise<void> {
  const deadline_ms = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Postgres did not start:\n${await lastWords()}`);
    const [pid, , , , , , , status] = await readPidFile(clusterDir);
    if (Number(pid) === child.pid && status?.trim() === 'ready') return;
    if (Date.now() > deadline_ms) {
      child.kill('SIGQUIT');
      throw new Error(`Postgres was not ready after ${START_LIMIT_MS / 1000} s:\n${await lastWords()}`);
    }
    await pause(15);
  }
}

/** Fast shutdown, then immediate (recovery at the next start), then kill: within 3 s at the latest. */
function stopChild(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const later = [setTimeout(() => child.kill('SIGQUIT'), 2_000), setTimeout(() => child.kill('SIGKILL'), 3_000)];
  child.once('exit', () => {
    for (const timer of later) clearTimeout(timer);
  });
  child.kill('SIGINT');
}
