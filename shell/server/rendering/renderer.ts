import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sandbox } from '@alpenglow/infra';
import type { Registry, RegistryEntry } from '@alpenglow/ui/contract';
import type { RenderedPage, RenderRequest } from './render-pages.tsx';
import type { PageSource } from '../page-source.ts';
import { createRareWarnings } from '../rare-warnings.ts';
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
  /**
   * Finds the restrictions with which the processes run. It stores its result. By default, there are none.
   */
  readonly findSandbox?: ((program: string) => Promise<Sandbox>) | undefined;
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

/** `shell`, or the name of a remote. */
type FrontEndName = string;

const keyOf = (entry: RegistryEntry | null) => `${entry?.name ?? 'shell'} ${entry?.hash ?? ''}`;

interface Deployment {
  readonly running: Promise<RenderProcess>;
  readonly hash: string;
}

/**
 * Creates the renderer of pages. Each deployment has its own process, so that a remote that hangs, fails or needs too
 * much memory affects only its own pages, and so that no code of an earlier deployment remains (decision 0087).
 */
export function createRenderer({ mfDir, distDir, log, findSandbox }: RendererOptions): Renderer {
  const live = new Map<FrontEndName, Deployment>();
  const warn = createRareWarnings(log);
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
      running: Promise.all([readRemote(entry), findPrefix()]).then(
        ([remote, prefix]) => new RenderProcess({ distDir, prefix }, remote, onEnd),
      ),
    };
    deployment.running.catch(onEnd);
    live.set(name, deployment);
    return deployment;
  }

  let warnedOf: Sandbox | undefined;

  /** Returns the command that starts a process with the restrictions of the system. Rejects if they are unknown. */
  async function findPrefix(): Promise<readonly string[]> {
    const sandbox = await findSandbox?.(path.join(distDir, 'server/server.cjs'));
    if (!sandbox) return [];
    if (sandbox.missing.length > 0 && sandbox !== warnedOf)
      log.warn({ missing: sandbox.missing }, 'this system does not permit all restrictions of the rendering of pages');
    warnedOf = sandbox;
    return sandbox.prefix;
  }

  // The search begins now, because it would delay the first page. Each page tries again after a failure.
  findPrefix().catch(() => undefined);

  /** Reads the bundle of a remote. Rejects if its digest is not the one in the registry. */
  async function readRemote(entry: RegistryEntry | null) {
    if (!entry) return null;
    const { name, hash, container, server, routes = [] } = entry;
    const bytes = await readFile(path.join(mfDir, name, hash, SERVER_BUNDLE));
    const integrity = `sha256-${createHash('sha256').update(bytes).digest('base64')}`;
    if (integrity !== server?.integrity) throw new Error(`${SERVER_BUNDLE} of ${name} does not match the registry`);
    return { name, hash, container, routes, code: bytes.toString('utf8') };
  }

  function retire(name: FrontEndName, { running }: Deployment): void {
    live.delete(name);
    running.then(
      (pages) => pages.retire(),
      () => undefined,
    );
  }

  return {
    async render(owner, page) {
      if (owner && (!owner.server || !owner.fits)) return null;
      // A request can begin before a deployment and end after it. It must not restart a process of the old deployment.
      if (owner && registry && registry.remotes[owner.name]?.hash !== owner.hash) return null;
      const deployment = start(owner);
      if (!deployment) return null;
      try {
        const rendered = await (await deployment.running).render(page);
        failures.delete(keyOf(owner));
        return rendered;
      } catch (err) {
        warn({ err, remote: owner?.name ?? 'shell' }, 'a page was not rendered on the server');
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
