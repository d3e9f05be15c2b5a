import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName, type RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import type { LoadError } from './load-errors.ts';

export type RemoteState =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly App: ComponentType<RemoteProps>; readonly hash: string }
  | { readonly state: 'failed'; readonly error: Error }
  /** Built for another contract than this shell's. */
  | { readonly state: 'unfit' };

export interface RemoteLoaderDependencies {
  readonly fetchRegistry: () => Promise<Registry>;
  readonly loadApp: (entry: RegistryEntry) => Promise<ComponentType<RemoteProps>>;
  /** Told what keeps a remote away, beside files that fail: those are watched where the browser loads them. */
  readonly report: (error: LoadError) => void;
}

const LOADING: RemoteState = { state: 'loading' };

/**
 * A browser remembers that a preloaded file failed and fails whoever asks for it next, once for each file. So a quick failure is
 * tried again at once; a slow one has kept the visitor waiting long enough.
 */
const ATTEMPTS = 3;
const QUICK_ms = 5_000;

/** Loads each remote once, when it is first wanted. One that fails costs nobody else anything and can be tried again. */
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

  /** Calls back after every change of any state; returns how to stop. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Starts loading a remote, unless that has begun. */
  want(name: RemoteName): void {
    if (!this.#states.has(name)) this.retry(name);
  }

  /** Loads a remote from the start: the registry is read again, so a deployment since then is what comes. */
  retry(name: RemoteName): void {
    if (this.#states.get(name) === LOADING) return;
    this.#set(name, LOADING);
    this.#loadStubbornly(name).then(
      (state) => this.#set(name, state),
      (error: unknown) =>
        this.#set(name, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) }),
    );
  }

  async #loadStubbornly(name: RemoteName): Promise<RemoteState> {
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
    const asked_ms = performance.now();
    try {
      return { state: 'ready', App: await this.#dependencies.loadApp(entry), hash: entry.hash };
    } catch (error) {
      // What only stays away fails without the browser saying so of any file.
      if (performance.now() - asked_ms > QUICK_ms)
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
