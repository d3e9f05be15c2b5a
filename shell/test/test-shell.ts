import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { PageReader } from '@alpenglow/domain/contracts';
import { createMetrics } from '@alpenglow/infra';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { localKeys, signBuild } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';
import { BODY_SCRIPT, FIRST_SCRIPT, HEAD_SCRIPT } from '../server/inline/inline-scripts.ts';

export const HASH = '0123456789abcdef';
const LIST = '/api/ads{?state,city,category,q,minPrice,sort}';

/** Functions that read the data of pages, but return no results. A test replaces the functions that it needs. */
export const NO_READS: PageReader = {
  readApiResponse: () => Promise.resolve(null),
  readFrontEndStatistics: () => Promise.resolve([]),
  findAd: () => Promise.resolve(null),
  isFormerAd: () => Promise.resolve(false),
  findThread: () => Promise.resolve(null),
  findArticle: () => Promise.resolve(null),
  listFeedArticles: () => Promise.resolve([]),
  listSitemapThreads: () => Promise.resolve([]),
  listSitemapArticles: () => Promise.resolve([]),
  listSitemapAds: () => Promise.resolve([]),
  listSitemapBoundaries: () => Promise.resolve([]),
};

export interface TestShell {
  readonly url: string;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly warnings: string[];
  /** Requests `target` as a browser does, but without normalizing the path. */
  get(
    target: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>;
  stop(): Promise<void>;
}

/**
 * Starts the server of the shell with a minimal build. `reads` provides the data of the pages. `community` contains the
 * preload paths of mf-community. Without `community`, that remote is not deployed.
 */
export async function startTestShell(
  reads: PageReader | null,
  siteUrl: string | null = 'https://www.example.org',
  community?: { readonly preloadData: object },
): Promise<TestShell> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'served-shell-'));
  const [distDir, mfDir] = [path.join(dir, 'dist'), path.join(dir, 'mf')];
  await mkdir(distDir, { recursive: true });
  await mkdir(path.join(mfDir, 'mf-listings'), { recursive: true });
  const { privateKey } = localKeys(mfDir);
  const signed = (described: object) => signBuild(described, privateKey);
  const entry = {
    name: 'mf-listings',
    hash: HASH,
    contract: CONTRACT_VERSION,
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
          ...(community && { 'mf-community': signed({ ...entry, ...community, name: 'mf-community' }) }),
          'mf-listings': signed({
            ...entry,
            preloadData,
            preloadPictures: {
              pages: ['/listings', '/city/{state}/{city}'],
              count: 1,
              sizes: '(max-width: 39.99rem) 46vw',
            },
          }),
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
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request(served.url, { path: target, method, headers: { accept: 'text/html', ...headers } }, resolve)
          .on('error', reject)
          .end();
      });
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
      return { status: response.statusCode ?? 0, headers: response.headers, text };
    },
    async stop() {
      await served.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Removes the inline scripts of the server from a page. All others would be an injection. */
export const withoutOwnScripts = (html: string) =>
  [BODY_SCRIPT, FIRST_SCRIPT, HEAD_SCRIPT].reduce(
    (text, script) => text.replace(`<script>${script}</script>`, ''),
    html,
  );
