import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RenderedPage, RenderedRemote, RenderReply, RenderRequest } from './render-pages.tsx';

/** A render that takes longer ends the thread, because a thread cannot be interrupted in another way. */
const RENDER_LIMIT_ms = 1_000;
/** Time limit for loading the code of a new thread. */
const START_LIMIT_ms = 5_000;
/** Maximum memory of a thread in MB. A thread that needs more ends. */
const MEMORY_LIMIT_MB = 192;
/** A thread without requests ends after this time, because each thread needs about 40 MB. */
const IDLE_LIMIT_ms = 10 * 60_000;
/** Maximum number of pages that wait for a thread. Further pages are rendered by the browser. */
const MAX_WAITING = 250;

interface Waiting {
  readonly resolve: (page: RenderedPage) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A worker thread that renders pages, one after the other. It has no environment variables and limited memory. If the
 * code of a page throws, only this page rejects. If a page takes too long, the memory limit is reached or the thread
 * crashes, the thread ends and all waiting pages reject.
 */
export class RenderThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #limit: NodeJS.Timeout | undefined;
  #end: Error | null = null;
  #isRetired = false;

  /**
   * @param onEnd called once when the thread ends, but not after a call of `retire`. `failure` is null if the thread
   *   ends because it was idle
   */
  constructor(distDir: string, remote: RenderedRemote | null, onEnd: (failure: Error | null) => void) {
    this.#worker = new Worker(path.join(distDir, 'server/server.cjs'), {
      workerData: { remote },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB, maxYoungGenerationSizeMb: 32 },
    });
    this.#worker.unref();
    const end = (error: Error, failure: Error | null) => {
      if (this.#end) return;
      this.#finish(error);
      if (!this.#isRetired) onEnd(failure);
    };
    const fail = (error: Error) => end(error, error);
    this.#worker.on('message', (reply: RenderReply | 'ready') => this.#receive(reply));
    this.#worker.once('error', fail);
    this.#worker.once('exit', (code) => fail(new Error(`The thread ended with code ${code}`)));
    this.#fail = fail;
    this.#endIdle = () => end(new Error('The thread was idle'), null);
    this.#startLimit(START_LIMIT_ms);
  }

  readonly #fail: (error: Error) => void;
  readonly #endIdle: () => void;

  /**
   * Renders a page.
   * @throws {Error} if the code of the page throws, the thread ends, or too many pages are waiting
   */
  render(request: Omit<RenderRequest, 'id'>): Promise<RenderedPage> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      if (this.#waiting.size >= MAX_WAITING) return reject(new Error('Too many pages wait for this thread'));
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id } satisfies RenderRequest);
      if (this.#isReady && this.#waiting.size === 1) this.#startLimit(RENDER_LIMIT_ms);
    });
  }

  #isReady = false;

  /** Ends the thread after its last page. Used for deployments that are no longer live. */
  retire(): void {
    this.#isRetired = true;
    if (this.#waiting.size === 0) this.#finish(new Error('The deployment is no longer live'));
  }

  #receive(reply: RenderReply | 'ready'): void {
    clearTimeout(this.#limit);
    if (reply === 'ready') {
      this.#isReady = true;
    } else {
      const page = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) page?.reject(new Error(reply.error));
      else page?.resolve(reply.page);
    }
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
    void this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
