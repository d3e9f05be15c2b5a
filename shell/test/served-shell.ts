import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { PageReads } from '@alpenglow/domain/contracts';
import { createMetrics } from '@alpenglow/infra';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { createShellServer } from '../server/index.ts';

export const HASH = '0123456789abcdef';
const LIST = '/api/ads{?state,city,category,q,minPrice,sort}';

/** Reads that answer nothing, of which a test replaces what it asks for. */
export const NO_READS: PageReads = {
  answer: () => Promise.resolve(null),
  ad: () => Promise.resolve(null),
  thread: () => Promise.resolve(null),
  article: () => Promise.resolve(null),
  feed: () => Promise.resolve([]),
  sitemapThreads: () => Promise.resolve([]),
  sitemapArticles: () => Promise.resolve([]),
  sitemapAds: () => Promise.resolve([]),
  sitemapEnds: () => Promise.resolve([]),
};

export interface ServedShell {
  readonly url: string;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly warnings: string[];
  /** The page as a browser would get it; the request is sent exactly as written. */
  get(
    target: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>;
  stop(): Promise<void>;
}

/** The shell's server on a small build of its own, with these reads. `preloadData` is what the remote of the community states, where it is deployed. */
export async function serveShell(
  reads: PageReads | null,
  siteUrl: string | null = 'https://www.example.org',
  community?: { readonly preloadData: object },
): Promise<ServedShell> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'served-shell-'));
  const [distDir, mfDir] = [path.join(dir, 'dist'), path.join(dir, 'mf')];
  await mkdir(distDir, { recursive: true });
  await mkdir(path.join(mfDir, 'mf-listings'), { recursive: true });
  const entry = {
    name: 'mf-listings',
    hash: HASH,
    contractVersion: 2,
    sizeBytes: 7,
    deployedAt: '2026-11-02T00:00:00.000Z',
    preload: [],
    integrity: {},
  };
  const preloadData = {
    '/': ['/api/ads', '/api/ads/counts'],
    '/listings': [LIST],
    '/city/{city}': [LIST],
    '/city/{state}/{city}': [LIST],
  };
  await Promise.all([
    writeFile(
      path.join(distDir, 'build.json'),
      JSON.stringify({ hash: 'f'.repeat(16), sizeBytes: 3, scripts: ['shell.js'], styles: [], texts: {}, fonts: [] }),
    ),
    writeFile(
      path.join(mfDir, 'registry.json'),
      JSON.stringify({
        remotes: {
          ...(community && { 'mf-community': { ...entry, ...community, name: 'mf-community' } }),
          'mf-listings': {
            ...entry,
            preloadData,
            preloadPictures: { pages: ['/listings', '/city/{state}/{city}'], count: 1, sizes: '(width < 40rem) 46vw' },
          },
        },
      }),
    ),
    writeFile(
      path.join(mfDir, 'mf-listings/history.json'),
      JSON.stringify([{ ...entry, hash: 'a'.repeat(16), deployedAt: '2026-11-01T00:00:00.000Z' }, entry]),
    ),
  ]);
  const metrics = createMetrics();
  const warnings: string[] = [];
  const served = await serveRoutes(
    '/',
    createShellServer({ mfDir, distDir, siteUrl, reads, metrics, log: { warn: (_, text) => warnings.push(text) } }),
  );
  return {
    url: served.url,
    metrics,
    warnings,
    async get(target, headers = {}, method = 'GET') {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(served.url, { path: target, method, headers: { accept: 'text/html', ...headers } }, resolve)
          .on('error', reject)
          .end();
      });
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
      return { status: answer.statusCode ?? 0, headers: answer.headers, text };
    },
    async stop() {
      await served.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
