import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName, type RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import type { LoadError } from './load-errors.ts';

export type RemoteState =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly App: ComponentType<RemoteProps>; readonly hash: string }
  | { readonly state: 'failed'; readonly error: Error }
  /** The contract version of the remote differs from that of this shell. */
  | { readonly state: 'unfit' };

export interface RemoteLoaderDependencies {
  readonly fetchRegistry: () => Promise<Registry>;
  readonly loadApp: (entry: RegistryEntry) => Promise<ComponentType<RemoteProps>>;
  /**
   * Reports a failure to the server. Failures of single files are not reported here, because `watchLoadErrors` reports
   * them.
   */
  readonly report: (error: LoadError) => void;
}

const LOADING: RemoteState = { state: 'loading' };

/**
 * The number of attempts to load a remote. A browser may return the cached failure of a preloaded file to the next
 * request. A fast failure is therefore retried immediately. A slow failure is not retried, because the visitor has
 * already waited long.
 */
const ATTEMPTS = 3;
const QUICK_ms = 5_000;

/** Loads each remote (micro-frontend) when it is first used. The failure of one remote does not affect the others. */
export class RemoteLoader {
  readonly #dependencies: RemoteLoaderDependencies;
  readonly #states = new Map<RemoteName, RemoteState>();
  readonly #listeners = new Set<() => void>();

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

  /** Starts loading a remote. Does nothing if loading has already started. */
  load(name: RemoteName): void {
    if (!this.#states.has(name)) this.retry(name);
  }

  /** Loads a remote again. Also fetches the registry again, so that a new deployment is used. */
  retry(name: RemoteName): void {
    if (this.#states.get(name) === LOADING) return;
    this.#set(name, LOADING);
    this.#loadWithRetries(name).then(
      (state) => this.#set(name, state),
      (error: unknown) =>
        this.#set(name, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) }),
    );
  }

  async #loadWithRetries(name: RemoteName): Promise<RemoteState> {
    const started_ms = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#load(name);
      } catch (error) {
        if (attempt >= ATTEMPTS || performance.now() - started_ms > QUICK_ms) throw error;
      }
    }
  }

  async #load(name: RemoteName): Promise<RemoteState> {
    const entry = await this.#find(name);
    if (entry.contractVersion !== CONTRACT_VERSION) {
      this.#dependencies.report({ remote: name, hash: entry.hash, kind: 'contract' });
      return { state: 'unfit' };
    }
    const requested_ms = performance.now();
    try {
      return { state: 'ready', App: await this.#dependencies.loadApp(entry), hash: entry.hash };
    } catch (error) {
      // If a file never responds, the browser fires no error event, so the failure is reported here.
      if (performance.now() - requested_ms > QUICK_ms)
        this.#dependencies.report({ remote: name, hash: entry.hash, kind: 'entry' });
      throw error;
    }
  }

  async #find(name: RemoteName): Promise<RegistryEntry> {
    try {
      const { remotes } = await this.#dependencies.fetchRegistry();
      const entry = remotes[name];
      if (!entry) throw new Error(`${name} is not deployed`);
      return entry;
    } catch (error) {
      this.#dependencies.report({ remote: name, hash: '', kind: 'registry' });
      throw error;
    }
  }

  #set(name: RemoteName, state: RemoteState): void {
    this.#states.set(name, state);
    for (const listener of this.#listeners) listener();
  }
}
