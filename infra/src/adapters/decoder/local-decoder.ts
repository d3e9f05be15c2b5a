import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { ROOT_DIR } from '../../root-dir.ts';
import type { Logger } from '../../service/logger.ts';
import { createSerialRunner } from '../../service/serial-runner.ts';
import { DecoderLost, DecoderTooSlow, DecoderUnavailable, exchange, ReadFailed, type Decoder } from './decoder.ts';
import { findSandbox, type Sandbox } from './sandbox.ts';
import { FOLDER_PREFIX } from './temporary-folder.ts';

const PROGRAM = path.join(ROOT_DIR, 'infra/decoder/main.mjs');
/** The heap of JavaScript. The decoder keeps files in other memory. */
const HEAP_MB = 512;
/** Time limit of a picture. A photo with 50 megapixels took 5 s on a busy machine, and others are slower. */
const PICTURE_LIMIT_ms = 30_000;
const VIDEO_LIMIT_ms = 60_000;
/** The path of an operation that reads a video, of any version. */
const VIDEO_PATH = /^\/(?:v\d+\/)?video\?/u;
const IDLE_ms = 30_000;
/** Maximum number of requests that wait for the decoder. */
const MAX_WAITING = 100;
/** Number of requests after which a decoder is replaced, so that memory that it did not release is released. */
const MAX_SERVED = 1_000;

/** The restrictions of this system, which are the same for every decoder of this process. */
let sandbox: Promise<Sandbox> | null = null;

export interface LocalDecoderOptions {
  readonly log: Logger;
  /** Time limit of every request in ms. The decoder is killed if a request takes longer. */
  readonly limit_ms?: number;
  /** Time in ms after which an unused decoder ends, so that it occupies no memory. */
  readonly idle_ms?: number;
}

/**
 * Creates a decoder that runs as a child process of this process. It starts with the first request and handles one
 * request at a time, so that several large pictures do not use up the memory. If it ends or is killed, the
 * next request starts it again.
 */
export function createLocalDecoder({ log, limit_ms, idle_ms = IDLE_ms }: LocalDecoderOptions): Decoder {
  const inTurn = createSerialRunner();
  let running: RunningDecoder | null = null;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let served = 0;
  let isClosed = false;

  async function start(): Promise<RunningDecoder> {
    const isFirst = sandbox === null;
    sandbox ??= findSandbox(PROGRAM);
    const restrictions = await sandbox;
    if (isFirst && restrictions.missing.length > 0)
      log.warn({ missing: restrictions.missing }, 'this system does not permit all restrictions of the decoder');
    served = 0;
    const started = await startDecoder(restrictions, log);
    void started.ended.then(() => {
      if (running === started) running = null;
    });
    return started;
  }

  return {
    async send(wanted) {
      if (isClosed) throw new DecoderUnavailable('The decoder is closed');
      if (waiting >= MAX_WAITING) throw new DecoderUnavailable('Too many files wait for the decoder');
      waiting += 1;
      try {
        return await inTurn('decoder', async () => {
          wanted.signal.throwIfAborted();
          clearTimeout(idle);
          running ??= await start();
          const current = running;
          const ownLimit_ms = limit_ms ?? getTimeLimit_ms(wanted.path);
          const limit = AbortSignal.timeout(ownLimit_ms);
          let hasResponded = false;
          const read: typeof wanted.read = (response) => {
            hasResponded = true;
            return wanted.read(response);
          };
          try {
            const signal = AbortSignal.any([wanted.signal, limit]);
            const lost = current.ended.then(() => Promise.reject(new Error('the process has ended')));
            served += 1;
            const exchanged = exchange({ ...wanted, signal, read }, { agent: current.agent });
            // A connection over which a body was sent in part cannot be used for the next request.
            const done = exchanged.then(({ result, sent }) => sent.then(() => result));
            return await Promise.race([done, lost]);
          } catch (error) {
            // The decoder may still be busy with the file.
            await current.kill();
            wanted.signal.throwIfAborted();
            if (error instanceof ReadFailed && !limit.aborted) throw error.cause;
            const tooSlow = `The decoder took longer than ${ownLimit_ms} ms`;
            // After the response has begun, the receiver of the result is slow, and not the file.
            if (limit.aborted && !hasResponded) throw new DecoderTooSlow(tooSlow);
            throw new DecoderLost(limit.aborted ? tooSlow : `The decoder ended: ${String(error)}`);
          } finally {
            if (served >= MAX_SERVED) await current.kill();
            idle = setTimeout(() => void current.kill(), idle_ms).unref();
          }
        });
      } finally {
        waiting -= 1;
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await running?.kill();
    },
  };
}

/** Returns the time limit of a request with this path, in ms. */
export function getTimeLimit_ms(requestPath: string): number {
  return VIDEO_PATH.test(requestPath) ? VIDEO_LIMIT_ms : PICTURE_LIMIT_ms;
}

interface RunningDecoder {
  /** The agent that sends every request over the connection to the decoder. */
  readonly agent: Agent;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  kill(): Promise<void>;
}

async function startDecoder({ prefix, owner }: Sandbox, log: Logger): Promise<RunningDecoder> {
  const folder = await mkdtemp(path.join(tmpdir(), FOLDER_PREFIX));
  if (owner !== null) await chown(folder, owner, owner);
  const [command = '', ...args] = [...prefix, process.execPath, `--max-old-space-size=${HEAP_MB}`, PROGRAM];
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    // The decoder has no secrets. The settings of the memory allocator return memory early.
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    // The process group is separate, so that Ctrl-C ends this process first.
    detached: true,
  });
  const connection = child.stdio[3] as Duplex;
  connection.on('error', (err: unknown) => log.debug({ err }, 'connection to the decoder failed'));
  // The decoder does not keep this process alive.
  child.unref();
  (connection as Socket).unref();
  const exited = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => undefined);
  const ended = exited.then(async () => {
    connection.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  ended.catch((err: unknown) => log.warn({ err }, 'the folder of the decoder could not be removed'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => connection;
  return {
    agent,
    ended,
    async kill() {
      child.kill('SIGKILL');
      connection.destroy();
      agent.destroy();
      await ended;
    },
  };
}
