import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui/contract';
import type { RenderedPage, RenderRequest } from './render-pages.tsx';
import type { PageSource } from '../page-source.ts';
import { RenderProcess } from './render-process.ts';

/** Name of the bundle for the server in the folder of a deployment (shell/build/packages.mjs). */
const SERVER_BUNDLE = 'server/server.cjs';
/** Time after a failure in which a deployment is not rendered. It doubles with each failure. */
const PAUSE_ms = 1_000;
const MAX_PAUSE_ms = 60_000;

export interface RendererOptions {
  readonly mfDir: string;
  readonly distDir: string;
  readonly log: PageSource['log'];
}

export interface Renderer {
  /**
   * Renders a page with the live deployment of a remote, or one of the shell's own pages if `owner` is null. Returns
   * null if the page cannot be rendered, or if the deployment is no longer live. The browser then renders it.
   */
  render(owner: RegistryEntry | null, page: Omit<RenderRequest, 'id'>): Promise<RenderedPage | null>;
  /**
   * Replaces the running processes of earlier deployments by those of new ones. An earlier process ends after its last
   * page.
   */
  follow(registry: Registry): void;
  /** Ends all processes. */
  close(): Promise<void>;
}

const keyOf = (entry: RegistryEntry | null) => `${entry?.name ?? 'shell'} ${entry?.hash ?? ''}`;

interface Deployment {
  readonly running: Promise<RenderProcess>;
  readonly hash: string;
}

/**
 * Creates the renderer of pages. Each deployment has its own process, so that a remote that hangs, fails or needs too
 * much memory affects only its own pages, and so that no code of an earlier deployment remains (decision 0087).
 */
export function createRenderer({ mfDir, distDir, log }: RendererOptions): Renderer {
  const live = new Map<RemoteName | 'shell', Deployment>();
  let registry: Registry | null = null;
  const failures = new Map<string, { readonly count: number; readonly until_ms: number }>();

  function recordFailure(entry: RegistryEntry | null, err: unknown): void {
    const key = keyOf(entry);
    const count = (failures.get(key)?.count ?? 0) + 1;
    failures.set(key, { count, until_ms: Date.now() + Math.min(MAX_PAUSE_ms, PAUSE_ms * 2 ** (count - 1)) });
    log.warn(
      { err, remote: entry?.name ?? 'shell', hash: entry?.hash ?? '' },
      'the process that renders pages has ended',
    );
  }

  function start(entry: RegistryEntry | null): Deployment | null {
    const name = entry?.name ?? 'shell';
    const hash = entry?.hash ?? '';
    const current = live.get(name);
    if (current?.hash === hash) return current;
    if (current) retire(name, current);
    if ((failures.get(keyOf(entry))?.until_ms ?? 0) > Date.now()) return null;
    const onEnd = (failure: Error | null) => {
      if (live.get(name) === deployment) live.delete(name);
      if (failure) recordFailure(entry, failure);
    };
    const deployment: Deployment = {
      hash,
      running: readRemote(entry).then((remote) => new RenderProcess(distDir, remote, onEnd)),
    };
    deployment.running.catch(onEnd);
    live.set(name, deployment);
    return deployment;
  }

  /** Reads the bundle of a remote. Rejects if its digest is not the one in the registry. */
  async function readRemote(entry: RegistryEntry | null) {
    if (!entry) return null;
    const { name, hash, server } = entry;
    const bytes = await readFile(path.join(mfDir, name, hash, SERVER_BUNDLE));
    const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
    if (integrity !== server?.integrity) throw new Error(`${SERVER_BUNDLE} of ${name} does not match the registry`);
    return { name, hash, code: bytes.toString('utf8') };
  }

  function retire(name: RemoteName | 'shell', { running }: Deployment): void {
    live.delete(name);
    running.then(
      (pages) => pages.retire(),
      () => undefined,
    );
  }

  return {
    async render(owner, page) {
      if (owner && (!owner.server || owner.contractVersion !== CONTRACT_VERSION)) return null;
      // A request can begin before a deployment and end after it. It must not restart a process of the old deployment.
      if (owner && registry && registry.remotes[owner.name]?.hash !== owner.hash) return null;
      const deployment = start(owner);
      if (!deployment) return null;
      try {
        const rendered = await (await deployment.running).render(page);
        failures.delete(keyOf(owner));
        return rendered;
      } catch (err) {
        log.warn({ err, remote: owner?.name ?? 'shell' }, 'a page was not rendered on the server');
        return null;
      }
    },

    follow(current) {
      registry = current;
      const { remotes } = current;
      for (const [name, deployment] of live) {
        if (name === 'shell') continue;
        const entry = remotes[name];
        if (entry?.server) start(entry);
        else retire(name, deployment);
      }
    },

    close() {
      for (const [name, deployment] of live) retire(name, deployment);
      return Promise.resolve();
    },
  };
}
