import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { RenderedRemote } from './load-app.ts';
import type { RenderedPage, RenderReply, RenderRequest } from './render-pages.tsx';

/**
 * Time limit for rendering one page. If a page exceeds it, the process is ended, and crawlers and visitors without
 * scripts get no content. Normally, a page takes a few milliseconds. The limit is much longer, so that a busy machine
 * does not exceed it.
 */
const RENDER_LIMIT_ms = 5_000;
/** Time limit for the start of a new process, including the load of its code. */
const START_LIMIT_ms = 10_000;
/** Maximum size of the JavaScript heap in MB. Node ends a process that needs more. */
const HEAP_LIMIT_MB = 192;
/** A process without requests ends after this time, because each process needs up to 200 MB. */
const IDLE_LIMIT_ms = 10 * 60_000;
/** Maximum number of pages that wait for a process. Further pages are rendered by the browser. */
const MAX_WAITING = 250;
/** Maximum length of the error output in memory. The last lines contain the reason why a process has ended. */
const MAX_OUTPUT = 4_000;
/**
 * The error output contains this text if a memory limit ended the process. V8 prints it for the limit of the JavaScript
 * heap, and the watchdog for the limit of the whole process (render-pages.tsx). Both limits are close to each other, so
 * the load of the machine decides which one is reached first. The signal alone does not show the reason.
 */
const OUT_OF_MEMORY = 'out of memory';

/**
 * A page creates many objects that are not used afterwards. With larger spaces for new and old objects, garbage is
 * collected less often, and one thread needs less processor time for this than several.
 */
const NODE_OPTIONS = [
  `--max-old-space-size=${HEAP_LIMIT_MB}`,
  '--initial-old-space-size=64',
  '--max-semi-space-size=32',
  '--single-threaded-gc',
];
/** A shell as the parent of the process. The first process of a namespace could not end itself. */
const NOT_FIRST = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'];
/** The argument with which the process ends when its input ends. */
const WATCH_INPUT = '--watch-input';

export interface RenderProcessOptions {
  readonly distDir: string;
  /** The command that starts the process with the restrictions of the system. It may be empty. */
  readonly prefix: readonly string[];
}

/** The code of a page has failed, while the process continues. */
export class PageError extends Error {}

interface Waiting {
  readonly resolve: (page: RenderedPage) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A process that renders pages, one after the other. It has no environment variables and limited memory. If the code of
 * a page throws, only this page rejects. If a page takes too long, the memory limit is reached or the process crashes,
 * the process ends and all waiting pages reject.
 */
export class RenderProcess {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #limit: NodeJS.Timeout | undefined;
  #end: Error | null = null;
  #isReady = false;
  #isRetired = false;
  readonly #fail: (error: Error) => void;
  readonly #endIdle: () => void;

  /**
   * @param onEnd called once when the process ends, but not after a call of `retire`. `failure` is null if the process
   *   ends because it was idle
   */
  constructor(
    { distDir, prefix }: RenderProcessOptions,
    remote: RenderedRemote | null,
    onEnd: (failure: Error | null) => void,
  ) {
    const [command = '', ...args] = [
      ...prefix,
      ...(prefix.length > 0 ? NOT_FIRST : []),
      process.execPath,
      ...NODE_OPTIONS,
      path.join(distDir, 'server/server.cjs'),
      WATCH_INPUT,
    ];
    this.#process = spawn(command, args, {
      // The commands of the prefix are found without an environment variable, in the default path of the system.
      env: {},
      serialization: 'advanced',
      // The process ends when its input ends, i.e. when this server has ended.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      // The process group is separate, so that Ctrl-C ends the server first.
      detached: true,
    });
    const end = (error: Error, failure: Error | null) => {
      if (this.#end) return;
      this.#finish(error);
      if (!this.#isRetired) onEnd(failure);
    };
    this.#fail = (error) => end(error, error);
    this.#endIdle = () => end(new Error('The process was idle'), null);
    let output = '';
    let isOutOfMemory = false;
    const stderr = this.#process.stderr as Socket | null;
    stderr?.on('data', (data: Buffer) => {
      output += data.toString('utf8');
      isOutOfMemory ||= output.includes(OUT_OF_MEMORY);
      output = output.slice(-MAX_OUTPUT);
    });
    this.#process.on('message', (reply) => this.#receive(reply as RenderReply | 'ready'));
    this.#process.once('error', this.#fail);
    // `close` comes after the last output, unlike `exit`. The output is logged once, and not with each waiting page.
    this.#process.once('close', (code, signal) => {
      const reason = isOutOfMemory
        ? 'The process ran out of memory'
        : `The process ended with ${signal ?? `code ${code}`}`;
      end(new Error(reason), new Error(`${reason}\n${output}`));
    });
    // The process does not keep the server alive.
    this.#process.unref();
    this.#process.channel?.unref();
    stderr?.unref();
    const stdin = this.#process.stdin as Socket | null;
    stdin?.on('error', () => undefined);
    stdin?.unref();
    this.#send(remote ?? 'shell');
    this.#startLimit(START_LIMIT_ms);
  }

  /**
   * Renders a page.
   * @throws {PageError} if the code of the page throws
   * @throws {Error} if the process ends, or if too many pages are waiting
   */
  render(request: Omit<RenderRequest, 'id'>): Promise<RenderedPage> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      if (this.#waiting.size >= MAX_WAITING) return reject(new Error('Too many pages wait for this process'));
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ...request, id });
      if (this.#isReady && this.#waiting.size === 1) this.#startLimit(RENDER_LIMIT_ms);
    });
  }

  /** Ends the process after its last page. Used for deployments that are no longer live. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting.size === 0) this.#finish(new Error('The deployment is no longer live'));
  }

  #send(message: RenderRequest | RenderedRemote | 'shell'): void {
    // An error is ignored here, because the event `close` or `error` reports it.
    this.#process.send(message, () => undefined);
  }

  #receive(reply: RenderReply | 'ready'): void {
    if (reply === 'ready') {
      this.#isReady = true;
    } else {
      const page = this.#waiting.get(reply.id);
      if (!page) return;
      this.#waiting.delete(reply.id);
      if ('error' in reply) page.reject(new PageError(reply.error));
      else page.resolve(reply.page);
    }
    clearTimeout(this.#limit);
    if (this.#waiting.size > 0) this.#startLimit(RENDER_LIMIT_ms);
    else if (this.#isRetired) this.retire();
    else this.#limit = setTimeout(this.#endIdle, IDLE_LIMIT_ms).unref();
  }

  #startLimit(limit_ms: number): void {
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.#fail(new Error(`No reply within ${limit_ms} ms`)), limit_ms).unref();
  }

  #finish(error: Error): void {
    this.#end = error;
    clearTimeout(this.#limit);
    this.#kill();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Ends the process with all processes of its group, such as the shell that has started it. */
  #kill(): void {
    const { pid } = this.#process;
    if (pid === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All processes have ended meanwhile.
    }
  }
}
