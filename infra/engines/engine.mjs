// @ts-check
/** What the engines for tests and local trials share: the cache of what they are made of, ports, starting and ending programs. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runQuietly } from '../embedded/launcher/run-quietly.mjs';

/**
 * @typedef {object} Engine
 * @property {string} name
 * @property {Readonly<Record<string, string>>} env   what services are told; fixed before the first start
 * @property {() => Promise<void>} start   starts it, or starts it again with the same data and port; resolves when it takes requests
 * @property {(signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>} stop   resolves when it has ended; what hangs is killed
 * @property {() => Promise<void>} dispose   stops it and removes its data
 */

/** This machine cannot run the engine. The message says in one line why. */
export class EngineUnavailable extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'EngineUnavailable';
  }
}

const FETCH_LIMIT_ms = 10 * 60_000;
const PROBE_LIMIT_ms = 20_000;
const START_LIMIT_ms = 60_000;
const STOP_LIMIT_ms = 30_000;
const LOOK_AGAIN_ms = 50;
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** Where engines are kept between runs, outside the repository. */
export function cacheDir() {
  return (
    process.env['ALPENGLOW_ENGINES_CACHE'] ||
    path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'alpenglow/engines')
  );
}

/**
 * What a program answers, standard output and standard error together. Rejects when it fails or is not there, with a `code` as `execFile` gives it.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limit_ms?: number }} [options]
 */
export async function answerOf(program, args, { cwd, env, limit_ms = PROBE_LIMIT_ms } = {}) {
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
 * Runs a program to its end; an error carries the last of its output.
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
 * Throws EngineUnavailable unless the machine has Java of at least this version.
 * @param {string} engine   for the message
 * @param {number} version
 */
export async function requireJava(engine, version) {
  const text = await answerOf('java', ['-version']).catch(() => null);
  if (text === null) throw new EngineUnavailable(`${engine} needs Java ${version}; java was not found`);
  const found = Number(/version "(\d+)/.exec(text)?.[1] ?? 0);
  if (found < version)
    throw new EngineUnavailable(`${engine} needs Java ${version}; java is ${found || 'of an unknown version'}`);
}

/**
 * A folder with a Java program and everything it needs at run time, fetched by Maven once and kept in the cache.
 * The folder is whole or not there. Throws EngineUnavailable when it can be had neither way.
 * @param {{ name: string, groupId: string, artifactId: string, version: string, extra?: readonly string[] }} artifact   `extra`: further `group:artifact:version`
 * @returns {Promise<string>}
 */
export async function fetchJars({ name, groupId, artifactId, version, extra = [] }) {
  const wanted = [`${groupId}:${artifactId}:${version}`, ...extra];
  const folder = path.join(
    cacheDir(),
    `${artifactId}-${version}-${createHash('sha256').update(wanted.join()).digest('hex').slice(0, 8)}`,
  );
  if (existsSync(folder)) return folder;
  await answerOf('mvn', ['-v']).catch(() => {
    throw new EngineUnavailable(`${name} needs Maven, which fetches it; mvn was not found`);
  });
  await mkdir(cacheDir(), { recursive: true });
  const work = await mkdtemp(path.join(cacheDir(), '.fetching-'));
  try {
    await writeFile(path.join(work, 'pom.xml'), pomFor(wanted));
    const jars = path.join(work, 'jars');
    await runToEnd(
      'mvn',
      ['-B', '-q', `${DEPENDENCY_PLUGIN}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${jars}`],
      { cwd: work, title: `Fetching ${name}`, limit_ms: FETCH_LIMIT_ms },
    );
    await rename(jars, folder).catch((/** @type {unknown} */ error) => {
      // Another process was first; its copy is as good.
      if (!existsSync(folder)) throw error;
    });
  } catch (error) {
    throw new EngineUnavailable(`${name}: Maven could not fetch ${wanted.join(', ')} (${firstFault(error)})`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** @param {readonly string[]} artifacts */
function pomFor(artifacts) {
  const dependencies = artifacts.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(':');
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>alpenglow</groupId><artifactId>engine</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`;
}

/** @param {unknown} error */
function firstFault(error) {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n').find((one) => one.includes('[ERROR]')) ?? text.split('\n')[0] ?? '';
  return line.replace('[ERROR]', '').trim().slice(0, 200);
}

/**
 * @typedef {object} EngineProgram
 * @property {string} name
 * @property {string} dir   its folder; `dispose` removes it
 * @property {Readonly<Record<string, string>>} env   what services are told
 * @property {string} program
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} [programEnv]
 * @property {{ uid: number, gid: number }} [user]   who it runs as, where it refuses to be root
 * @property {() => Promise<void>} [prepare]   before every start
 * @property {() => Promise<boolean>} isReady   may also reject: not yet
 * @property {'SIGTERM' | 'SIGINT'} [stopSignal]   what makes it stop cleanly
 * @property {number} [startLimit_ms]
 */

/**
 * An engine that is one program. It is ended when this process ends, however that comes about. Its output is in `<dir>/<name>.log`.
 * @param {EngineProgram} options
 * @returns {Engine}
 */
export function spawnEngine({
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
    if (running) throw new Error(`${name} runs already`);
    await mkdir(dir, { recursive: true });
    await prepare?.();
    const output = openSync(logFile, 'a');
    // In a group of its own: Ctrl-C at the terminal is for whoever started it, who then stops it in order.
    const child = spawn(program, args, {
      cwd: dir,
      detached: true,
      stdio: ['ignore', output, output],
      env: programEnv ?? process.env,
      ...user,
    });
    closeSync(output);
    /** @type {Error | null} */
    let fault = null;
    /** @type {Promise<void>} */
    const ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', (error) => {
        fault = error;
        resolve();
      });
    });
    const mine = { child, ended };
    running = mine;
    const guard = child.pid === undefined ? null : guardOf(child.pid);
    let isEnded = false;
    void ended.then(() => {
      isEnded = true;
      guard?.kill('SIGKILL');
      if (running === mine) running = null;
    });
    const deadline = Date.now() + startLimit_ms;
    while (!(await isReady().catch(() => false))) {
      if (!isEnded && Date.now() < deadline) {
        await pause(LOOK_AGAIN_ms);
        continue;
      }
      await stop('SIGKILL');
      throw new Error(`${name} did not start: ${fault ? String(fault) : await lastOf(logFile)}`);
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
    async dispose() {
      await stop('SIGKILL');
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/**
 * Kills a process once this one is gone: its pipe to us then ends, whatever we died of.
 * @param {number} pid
 */
function guardOf(pid) {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.unref();
  /** @type {import('node:net').Socket} */ (guard.stdin).unref();
  return guard;
}

/** @param {string} file */
async function lastOf(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim().slice(-2_000) || 'it said nothing';
}

/**
 * True when something takes connections at a local port.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function takesConnections(port) {
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
