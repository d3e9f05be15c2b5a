import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sandbox } from '@alpenglow/infra';
import type { RegistryEntry } from '@alpenglow/ui/contract';
import { LRUCache } from 'lru-cache';
import type { RenderedPage, RenderRequest } from './render-pages.tsx';
import { SERVER_BUNDLE_PATH, digestOf } from '../../build/digests.mjs';
import type { PageSource } from '../page-source.ts';
import { createRareWarnings } from '../rare-warnings.ts';
import type { LiveBuilds } from '../registry-file.ts';
import { PageError, RenderProcess } from './render-process.ts';

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
   * @param isPreview true for a deployment that is not live
   */
  render(
    owner: RegistryEntry | null,
    page: Omit<RenderRequest, 'id'>,
    isPreview?: boolean,
  ): Promise<RenderedPage | null>;
  /**
   * Replaces the running processes of earlier deployments by those of new ones. An earlier process ends after its last
   * page.
   */
  follow(live: LiveBuilds): void;
  /**
   * Returns how many pages were rendered with a deployment, and how many of them failed. The end of a process counts as
   * one failed page, no matter how many pages wait for it. Pages that were not attempted do not count: those during the
   * pause after a failure, and those that do not find a place in the queue.
   */
  countRendered(entry: Pick<RegistryEntry, 'name' | 'hash'>): RenderCounts;
  /** Ends all processes. */
  close(): Promise<void>;
}

export interface RenderCounts {
  readonly all: number;
  readonly bad: number;
}

const NO_PAGES: RenderCounts = { all: 0, bad: 0 };

/** Maximum number of deployments whose pages are counted. The one that was rendered the longest ago is forgotten. */
const COUNTED_MAX = 100;

/** `shell`, or the name of a remote. */
type FrontEndName = string;

const keyOf = (entry: Pick<RegistryEntry, 'name' | 'hash'> | null) => `${entry?.name ?? 'shell'} ${entry?.hash ?? ''}`;

interface Deployment {
  readonly name: FrontEndName;
  readonly running: Promise<RenderProcess>;
  /** True while only previews use it. */
  isPreview: boolean;
}

/** Maximum number of processes for previews, because each needs up to 200 MB. Another one replaces the oldest. */
const PREVIEWS_MAX = 2;

/**
 * Creates the renderer of pages. Each deployment has its own process, so that a remote that hangs, fails or needs too
 * much memory affects only its own pages, and so that no code of an earlier deployment remains (decision 0087).
 */
export function createRenderer({ mfDir, distDir, log, findSandbox }: RendererOptions): Renderer {
  /** The deployments with a process, by name and hash. */
  const started = new Map<string, Deployment>();
  const warn = createRareWarnings(log);
  const counts = new LRUCache<string, RenderCounts>({ max: COUNTED_MAX });
  function countPage(entry: RegistryEntry | null, isBad: boolean): void {
    const { all, bad } = counts.get(keyOf(entry)) ?? NO_PAGES;
    counts.set(keyOf(entry), { all: all + 1, bad: bad + Number(isBad) });
  }
  /** The deployments that visitors get without a preview. Null until the first page. */
  let wanted: ReadonlySet<string> | null = null;
  const failures = new Map<string, { readonly count: number; readonly until_ms: number }>();

  function recordFailure(entry: RegistryEntry | null, err: unknown): void {
    const key = keyOf(entry);
    countPage(entry, true);
    const count = (failures.get(key)?.count ?? 0) + 1;
    failures.set(key, { count, until_ms: Date.now() + Math.min(MAX_PAUSE_ms, PAUSE_ms * 2 ** (count - 1)) });
    log.warn(
      { err, remote: entry?.name ?? 'shell', hash: entry?.hash ?? '' },
      'the process that renders pages has ended',
    );
  }

  function start(entry: RegistryEntry | null, isPreview = false): Deployment | null {
    const key = keyOf(entry);
    const current = started.get(key);
    if (current) {
      current.isPreview &&= isPreview;
      return current;
    }
    if ((failures.get(key)?.until_ms ?? 0) > Date.now()) return null;
    if (isPreview) {
      const previews = [...started].filter(([, other]) => other.isPreview);
      for (const [oldest, other] of previews.slice(0, Math.max(0, previews.length + 1 - PREVIEWS_MAX)))
        retire(oldest, other);
    }
    const onEnd = (failure: Error | null) => {
      if (started.get(key) === deployment) started.delete(key);
      if (failure) recordFailure(entry, failure);
    };
    const deployment: Deployment = {
      name: entry?.name ?? 'shell',
      isPreview,
      running: Promise.all([readRemote(entry), findPrefix()]).then(
        ([remote, prefix]) => new RenderProcess({ distDir, prefix }, remote, onEnd),
      ),
    };
    deployment.running.catch(onEnd);
    started.set(key, deployment);
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
    const bytes = await readFile(path.join(mfDir, name, hash, SERVER_BUNDLE_PATH));
    if (digestOf(bytes) !== server?.integrity)
      throw new Error(`${SERVER_BUNDLE_PATH} of ${name} does not match the registry`);
    return { name, hash, container, routes, code: bytes.toString('utf8') };
  }

  function retire(key: string, { running }: Deployment): void {
    started.delete(key);
    running.then(
      (pages) => pages.retire(),
      () => undefined,
    );
  }

  return {
    async render(owner, page, isPreview = false) {
      if (owner && (!owner.server || !owner.fits)) return null;
      // A request can begin before a deployment and end after it. It must not restart a process of the old deployment.
      if (owner && !isPreview && wanted && !wanted.has(keyOf(owner))) return null;
      const deployment = start(owner, isPreview);
      if (!deployment) return null;
      try {
        const rendered = await (await deployment.running).render(page);
        failures.delete(keyOf(owner));
        countPage(owner, false);
        return rendered;
      } catch (err) {
        // The end of a process is counted once, and not with each page that waits for it.
        if (err instanceof PageError) countPage(owner, true);
        warn({ err, remote: owner?.name ?? 'shell' }, 'a page was not rendered on the server');
        return null;
      }
    },

    follow({ remotes, canaries }) {
      const builds = [...Object.values(remotes), ...Object.values(canaries).map(({ build }) => build)];
      const keys = new Set([keyOf(null), ...builds.map((build) => keyOf(build ?? null))]);
      wanted = keys;
      for (const [key, deployment] of [...started]) {
        if (keys.has(key) || deployment.isPreview) continue;
        retire(key, deployment);
        const entry = remotes[deployment.name];
        if (entry?.server) start(entry);
      }
    },

    countRendered: (entry) => counts.get(keyOf(entry)) ?? NO_PAGES,

    close() {
      for (const [key, deployment] of [...started]) retire(key, deployment);
      return Promise.resolve();
    },
  };
}
