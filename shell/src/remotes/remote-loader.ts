import type { Registry, RegistryEntry, RemoteName, RemoteProps } from '@alpenglow/ui';
import { LIVE_RECONNECT_ms, type FrontEndError } from '@alpenglow/domain/contracts';
import type { ComponentType } from 'react';

export type RemoteState =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly App: ComponentType<RemoteProps>; readonly hash: string }
  /** `isSlow` is true if the failure took long, for example because a file did not respond. */
  | { readonly state: 'failed'; readonly error: Error; readonly isSlow: boolean }
  /** The contract version of this shell is not in the range of the remote. */
  | { readonly state: 'unfit' };

export interface RemoteLoaderDependencies {
  readonly fetchRegistry: () => Promise<Registry>;
  readonly loadApp: (entry: RegistryEntry) => Promise<ComponentType<RemoteProps>>;
  /** Returns true if `loadApp` has failed because the code of the remote has thrown. */
  readonly hasThrown: (error: unknown) => boolean;
  /** Returns the kind of the file that exceeded its time limit, if `loadApp` has failed because of that. */
  readonly findLateFile: (error: unknown) => 'entry' | 'chunk' | null;
  /** Returns true if `fetchRegistry` has failed because the request got no response. */
  readonly isWithoutResponse: (error: unknown) => boolean;
  /**
   * Reports a failure to the server. Failures of single files are not reported here, because `watchLoadErrors` reports
   * them.
   */
  readonly report: (error: FrontEndError) => void;
  /** Reports that this page load uses a deployment. */
  readonly reportView: (frontEnd: RemoteName, hash: string) => void;
}

const LOADING: RemoteState = { state: 'loading' };
const noop = () => undefined;

/**
 * The number of attempts to load a remote. A browser may return the cached failure of a preloaded file to the next
 * request. A fast failure is therefore retried immediately. A slow failure is not retried, because the visitor has
 * already waited long. Neither is code that has thrown.
 */
const ATTEMPTS = 3;
const QUICK_ms = 5_000;
/** Failures that took longer are not retried automatically, because the button would wait for the running retry. */
const SLOW_ms = 20_000;

const BACKGROUND_RETRY_MAX_ms = 60_000;
/**
 * The maximum number of automatic retries in a row, about 25 minutes. A forgotten tab then stops sending requests. The
 * button and the return of the connection still retry.
 */
export const BACKGROUND_RETRIES_MAX = 30;

/** Returns the delay before an automatic retry. It doubles with each retry, from 5 s to one minute. */
export function backgroundRetryDelay_ms(retries: number): number {
  return Math.min(BACKGROUND_RETRY_MAX_ms, LIVE_RECONNECT_ms * 2 ** Math.min(retries, 8));
}

/** Loads each remote (micro-frontend) when it is first used. The failure of one remote does not affect the others. */
export class RemoteLoader {
  readonly #dependencies: RemoteLoaderDependencies;
  readonly #states = new Map<RemoteName, RemoteState>();
  readonly #listeners = new Set<() => void>();
  /** Loads that have started and not ended, so that each remote is loaded once at a time. */
  readonly #running = new Map<RemoteName, Promise<RemoteState>>();

  constructor(dependencies: RemoteLoaderDependencies) {
    this.#dependencies = dependencies;
  }

  state(name: RemoteName): RemoteState {
    return this.#states.get(name) ?? LOADING;
  }

  /** Calls `listener` after every state change. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resolves when the remote is not loading. Never rejects, because the state contains the failure. */
  whenLoaded(name: RemoteName): Promise<void> {
    return this.#running.get(name)?.then(noop, noop) ?? Promise.resolve();
  }

  /** Sets the component of a remote that is loaded in another way, for example on the server. */
  provide(name: RemoteName, App: ComponentType<RemoteProps>, hash: string): void {
    this.#set(name, { state: 'ready', App, hash });
  }

  /** Starts loading a remote. Does nothing if loading has already started. */
  load(name: RemoteName): void {
    if (!this.#states.has(name)) this.retry(name);
  }

  /** Loads a remote again. Also fetches the registry again, so that a new deployment is used. */
  retry(name: RemoteName): void {
    if (this.#states.get(name) === LOADING) return;
    this.#set(name, LOADING);
    const started_ms = performance.now();
    this.#loadOnce(name).then(
      (state) => this.#set(name, state),
      (reason: unknown) => {
        const error = reason instanceof Error ? reason : new Error(String(reason));
        this.#set(name, { state: 'failed', error, isSlow: performance.now() - started_ms > SLOW_ms });
      },
    );
  }

  /**
   * Loads a failed remote again without leaving the state `failed`, so that the error screen does not flicker and keeps
   * the focus. Resolves after the attempt, also if it failed again.
   */
  async retryInBackground(name: RemoteName): Promise<void> {
    if (this.state(name).state !== 'failed') return;
    const state = await this.#loadOnce(name).catch(() => null);
    if (state && this.state(name).state === 'failed') this.#set(name, state);
  }

  /**
   * Retries a failed remote in the background with increasing delays, until it is loaded or after
   * `BACKGROUND_RETRIES_MAX` retries. Does nothing after a slow failure. Returns a function that stops the retries.
   */
  keepRetrying(name: RemoteName): () => void {
    let retries = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const schedule = () => {
      const remote = this.state(name);
      if (isStopped || remote.state !== 'failed' || remote.isSlow || retries >= BACKGROUND_RETRIES_MAX) return;
      timer = setTimeout(() => void this.retryInBackground(name).then(schedule), backgroundRetryDelay_ms(retries++));
    };
    schedule();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  #loadOnce(name: RemoteName): Promise<RemoteState> {
    const running = this.#running.get(name);
    if (running) return running;
    const started = this.#loadWithRetries(name).finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }

  async #loadWithRetries(name: RemoteName): Promise<RemoteState> {
    const started_ms = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#load(name);
      } catch (error) {
        const isQuick = performance.now() - started_ms <= QUICK_ms;
        if (attempt >= ATTEMPTS || !isQuick) throw error;
      }
    }
  }

  async #load(name: RemoteName): Promise<RemoteState> {
    const entry = await this.#find(name);
    this.#dependencies.reportView(name, entry.hash);
    if (!entry.fits) {
      this.#dependencies.report({ frontEnd: name, hash: entry.hash, kind: 'contract' });
      return { state: 'unfit' };
    }
    try {
      return { state: 'ready', App: await this.#dependencies.loadApp(entry), hash: entry.hash };
    } catch (error) {
      // If a file never responds, the browser fires no error event, so the failure is reported here.
      const kind = this.#dependencies.findLateFile(error);
      if (kind) this.#dependencies.report({ frontEnd: name, hash: entry.hash, kind });
      if (!this.#dependencies.hasThrown(error)) throw error;
      // Another attempt would throw again.
      return { state: 'failed', error: error instanceof Error ? error : new Error(String(error)), isSlow: false };
    }
  }

  async #find(name: RemoteName): Promise<RegistryEntry> {
    try {
      const { remotes } = await this.#dependencies.fetchRegistry();
      const entry = remotes[name];
      if (!entry) throw new Error(`${name} is not deployed`);
      return entry;
    } catch (error) {
      // Leaving the page ends its requests. This says nothing about the registry.
      if (!this.#dependencies.isWithoutResponse(error))
        this.#dependencies.report({ frontEnd: name, hash: '', kind: 'registry' });
      throw error;
    }
  }

  #set(name: RemoteName, state: RemoteState): void {
    this.#states.set(name, state);
    for (const listener of this.#listeners) listener();
  }
}
