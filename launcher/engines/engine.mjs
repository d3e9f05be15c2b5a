// @ts-check
/** Code that all backing services for tests and local trials share. It downloads, starts and stops their programs. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runQuietly } from '../start/run-quietly.mjs';

/**
 * @typedef {object} BackingService
 * @property {string} name
 * @property {Readonly<Record<string, string>>} env   environment variables that let services connect; they never change
 * @property {() => Promise<void>} start   starts the program, also again after `stop`, with the same data and port;
 * resolves when it accepts requests
 * @property {(signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>} stop   stops the program; kills it after a time limit
 * @property {() => Promise<void>} dispose   stops the program and removes its data
 * @property {() => number | undefined} pid   the id of the running process
 */

/** An error for a backing service that this machine cannot run. The message states the reason in one line. */
export class BackingServiceUnavailable extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'BackingServiceUnavailable';
  }
}

const FETCH_LIMIT_ms = 10 * 60_000;
const PROBE_LIMIT_ms = 20_000;
const START_LIMIT_ms = 60_000;
const STOP_LIMIT_ms = 30_000;
const CHECK_INTERVAL_ms = 50;
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** Returns the folder that stores the downloaded programs of backing services. It is outside the repository. */
function cacheDir() {
  return (
    process.env['ALPENGLOW_ENGINES_CACHE'] ||
    path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'alpenglow/engines')
  );
}

/**
 * Runs a program and returns its standard output followed by its standard error. If the program fails or does not
 * exist, rejects with the error of `execFile`.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limit_ms?: number }} [options]
 */
export async function runAndReadOutput(program, args, { cwd, env, limit_ms = PROBE_LIMIT_ms } = {}) {
  const { stdout, stderr } = await promisify(execFile)(program, args, {
    encoding: 'utf8',
    timeout: limit_ms,
    killSignal: 'SIGKILL',
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
  });
  return stdout + stderr;
}

/**
 * Runs a program until it ends, and stops it after `limit_ms`. If it fails, the error contains the end of its output.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, title: string, env?: NodeJS.ProcessEnv, limit_ms?: number }} options
 */
export async function runToEnd(program, args, { limit_ms = PROBE_LIMIT_ms, ...options }) {
  const limit = AbortSignal.timeout(limit_ms);
  try {
    await runQuietly(program, args, { ...options, signal: limit });
  } catch (error) {
    throw limit.aborted ? new Error(`${options.title} took longer than ${limit_ms} ms`, { cause: error }) : error;
  }
}

/**
 * Throws `BackingServiceUnavailable` if Java is missing or older than `version`.
 * @param {string} service   name of the backing service for the error message
 * @param {number} version
 */
export async function requireJava(service, version) {
  const text = await runAndReadOutput('java', ['-version']).catch(() => null);
  if (text === null) throw new BackingServiceUnavailable(`${service} needs Java ${version}; java was not found`);
  const installed = Number(/version "(\d+)/.exec(text)?.[1] ?? 0);
  if (installed < version)
    throw new BackingServiceUnavailable(
      `${service} needs Java ${version}; java is ${installed || 'of an unknown version'}`,
    );
}

/**
 * Returns the folder with a Java program and its dependencies. Maven downloads the files once into the cache folder.
 * The folder is created only after a complete download, so an existing folder is always complete. Throws
 * `BackingServiceUnavailable` if Maven is missing or fails.
 * @param {{ name: string, groupId: string, artifactId: string, version: string, extra?: readonly string[] }} artifact
 * `extra`: additional artifacts in the form `group:artifact:version`
 * @returns {Promise<string>}
 */
export async function fetchJars({ name, groupId, artifactId, version, extra = [] }) {
  const artifacts = [`${groupId}:${artifactId}:${version}`, ...extra];
  const folder = path.join(
    cacheDir(),
    `${artifactId}-${version}-${createHash('sha256').update(artifacts.join()).digest('hex').slice(0, 8)}`,
  );
  if (existsSync(folder)) return folder;
  await runAndReadOutput('mvn', ['-v']).catch(() => {
    throw new BackingServiceUnavailable(`${name} needs Maven, which fetches it; mvn was not found`);
  });
  await mkdir(cacheDir(), { recursive: true });
  const work = await mkdtemp(path.join(cacheDir(), '.fetching-'));
  try {
    await writeFile(path.join(work, 'pom.xml'), pomFor(artifacts));
    const jars = path.join(work, 'jars');
    await runToEnd(
      'mvn',
      ['-B', '-q', `${DEPENDENCY_PLUGIN}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${jars}`],
      { cwd: work, title: `Fetching ${name}`, limit_ms: FETCH_LIMIT_ms },
    );
    await rename(jars, folder).catch((/** @type {unknown} */ error) => {
      // If the folder exists, another process has downloaded the same files, so the error is ignored.
      if (!existsSync(folder)) throw error;
    });
  } catch (error) {
    throw new BackingServiceUnavailable(
      `${name}: Maven could not fetch ${artifacts.join(', ')} (${firstError(error)})`,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** @param {readonly string[]} artifacts */
function pomFor(artifacts) {
  const dependencies = artifacts.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':');
    return (
      `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId>` +
      `<version>${version}</version></dependency>`
    );
  });
  return (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
    '<groupId>alpenglow</groupId><artifactId>engine</artifactId><version>1</version>' +
    `<dependencies>${dependencies.join('')}</dependencies></project>`
  );
}

/** @param {unknown} error */
function firstError(error) {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n').find((candidate) => candidate.includes('[ERROR]')) ?? text.split('\n')[0] ?? '';
  return line.replace('[ERROR]', '').trim().slice(0, 200);
}

/**
 * @typedef {object} ServiceProgram
 * @property {string} name
 * @property {string} dir   folder for data and log, which `dispose` removes
 * @property {Readonly<Record<string, string>>} env   environment variables that let services connect
 * @property {string} program
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} [programEnv]
 * @property {{ uid: number, gid: number }} [user]   user that runs the program; the current user by default
 * @property {() => Promise<void>} [prepare]   called before every start
 * @property {() => Promise<boolean>} isReady   checks whether the program is ready; a rejection also means false
 * @property {'SIGTERM' | 'SIGINT'} [stopSignal]   signal for a clean stop
 * @property {number} [startLimit_ms]
 */

/**
 * Creates a backing service that runs as one program. If this process ends for any reason, the program is killed. The
 * output of the program is in `<dir>/<name>.log`.
 * @param {ServiceProgram} options
 * @returns {BackingService}
 */
export function createBackingService({
  name,
  dir,
  env,
  program,
  args,
  programEnv,
  user,
  prepare,
  isReady,
  stopSignal = 'SIGTERM',
  startLimit_ms = START_LIMIT_ms,
}) {
  const logFile = path.join(dir, `${name}.log`);
  /** @type {{ child: import('node:child_process').ChildProcess, ended: Promise<void> } | null} */
  let running = null;

  async function start() {
    if (running) throw new Error(`${name} is already running`);
    await mkdir(dir, { recursive: true });
    await prepare?.();
    const output = openSync(logFile, 'a');
    // With `detached`, Ctrl-C in the terminal does not reach the program. The current process can therefore stop its
    // programs in the right order.
    const child = spawn(program, args, {
      cwd: dir,
      detached: true,
      stdio: ['ignore', output, output],
      env: programEnv ?? process.env,
      ...user,
    });
    closeSync(output);
    /** @type {Error | null} */
    let spawnError = null;
    /** @type {Promise<void>} */
    const ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', (error) => {
        spawnError = error;
        resolve();
      });
    });
    const current = { child, ended };
    running = current;
    const watchdog = child.pid === undefined ? null : startWatchdog(child.pid);
    let isEnded = false;
    void ended.then(() => {
      isEnded = true;
      watchdog?.kill('SIGKILL');
      if (running === current) running = null;
    });
    const deadline = Date.now() + startLimit_ms;
    while (!(await isReady().catch(() => false))) {
      if (!isEnded && Date.now() < deadline) {
        await pause(CHECK_INTERVAL_ms);
        continue;
      }
      await stop('SIGKILL');
      throw new Error(`${name} did not start: ${spawnError ? String(spawnError) : await endOfLog(logFile)}`);
    }
  }

  async function stop(/** @type {'SIGTERM' | 'SIGKILL'} */ signal = 'SIGTERM') {
    if (!running) return;
    const { child, ended } = running;
    child.kill(signal === 'SIGTERM' ? stopSignal : signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_ms);
    await ended;
    clearTimeout(timer);
  }

  return {
    name,
    env,
    start,
    stop,
    pid: () => running?.child.pid,
    async dispose() {
      await stop('SIGKILL');
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/**
 * Starts a watchdog process, which kills the process `pid` when the current process ends for any reason. The watchdog
 * reads from a pipe, which closes when the current process ends.
 * @param {number} pid
 */
function startWatchdog(pid) {
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.on('error', () => undefined);
  watchdog.unref();
  /** @type {import('node:net').Socket} */ (watchdog.stdin).unref();
  return watchdog;
}

/** @param {string} file */
async function endOfLog(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().slice(-2_000) || 'it wrote no output';
}

/**
 * Returns true if a server on this machine accepts connections at the port.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function acceptsConnections(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('close', () => resolve(false));
    socket.on('error', () => undefined);
  });
}
