/** The shell's server: the HTML page, the shell's own files and the deployed remotes. */
import path from 'node:path';
import type { PageReads } from '@alpenglow/domain/contracts';
import type { Metrics } from '@alpenglow/infra';
import { Router } from 'express';
import { crawlerRoutes } from './crawlers/routes.ts';
import { feedRoutes } from './feeds/routes.ts';
import { createPages } from './pages/pages.ts';
import { readRegistryOf } from './registry-file.ts';
import { pageHeaders } from './security-headers.ts';
import { readShellBuild } from './shell-build.ts';
import { originOf } from './site-origin.ts';
import { IMMUTABLE, REVALIDATED, notFound, staticFiles } from './static-files.ts';
import { statusRoutes } from './status/routes.ts';
import { VISITOR_HEADERS, visitorOf } from './visitor.ts';

export interface ShellServerOptions {
  /** Where the remotes are deployed: `registry.json` and `<name>/<hash>/…`. */
  readonly mfDir: string;
  /** The shell's build: `build.json`, `assets/`, and what stands at the root of the site. */
  readonly distDir: string;
  /** The origin visitors know the site by; null: only this machine's is believed. */
  readonly siteUrl: string | null;
  /** Where pages and the sitemap have their data from; null: pages come without, and there is no sitemap. */
  readonly reads: PageReads | null;
  readonly metrics: Metrics | null;
  readonly log: { warn(fields: object, text: string): void };
}

/** Addresses that never answer with the page, so that a wrong one is a 404 and not a puzzling 200. */
const NOT_PAGES = /^\/(?:api|mf|uploads|assets|sitemaps|status\/front-ends\/.+)(?:\/|$)/u;
const VARY = ['Accept', 'Accept-Encoding', ...VISITOR_HEADERS].join(', ');
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/**
 * Answers every request that is not the API's: files with their caching rules, what crawlers ask for, how the front ends fare, and the page for
 * everything a browser navigates to.
 * @throws {Error} at once when the shell has not been built
 */
export function createShellServer({ mfDir, distDir, siteUrl, reads, metrics, log }: ShellServerOptions): Router {
  const build = readShellBuild(distDir);
  const registry = readRegistryOf(mfDir, log);
  const pages = createPages({ build, registry, reads, log });
  const router = Router();
  router.use(pageHeaders());
  // What browsers read to find the remotes; a deploy must be seen at the next look.
  router.use('/mf', staticFiles(mfDir, { only: /^\/registry\.json$/u, cacheControl: REVALIDATED }));
  router.use(
    '/mf',
    staticFiles(mfDir, { only: /^\/mf-[a-z-]+\/[0-9a-f]{16}\/[\w.-]+$/u, cacheControl: IMMUTABLE }),
    notFound,
  );
  router.use(
    '/assets',
    staticFiles(path.join(distDir, 'assets'), { only: /^\/[\w.-]+$/u, cacheControl: IMMUTABLE }),
    notFound,
  );
  router.use(
    staticFiles(distDir, {
      only: /^\/(?:favicon\.svg|manifest\.webmanifest|shared\.jpg)$/u,
      cacheControl: REVALIDATED,
    }),
  );
  // Asked for by browsers that show something else than a page of ours.
  router.get('/favicon.ico', (_req, res) => void res.redirect(301, '/favicon.svg'));
  router.use(crawlerRoutes({ siteUrl, reads, log }));
  router.use(feedRoutes({ siteUrl, reads, log }));
  router.use('/status', statusRoutes({ build, registry, mfDir, metrics }));
  // Without a pattern: an address that no pattern could decode shows the home page like any other.
  router.use(async (req, res, next) => {
    const isNavigation = (req.method === 'GET' || req.method === 'HEAD') && req.accepts('html');
    if (!isNavigation || NOT_PAGES.test(req.path)) return next();
    const encoding = ENCODINGS.find((one) => one === req.acceptsEncodings([...ENCODINGS])) ?? 'identity';
    const queryAt = req.url.indexOf('?');
    const page = await pages({
      ...visitorOf(req),
      origin: originOf(req, siteUrl),
      pathname: req.path,
      search: queryAt === -1 ? '' : req.url.slice(queryAt),
      encoding,
    });
    if (page.movedTo !== null) {
      res.set('Cache-Control', REVALIDATED).redirect(301, page.movedTo);
      return;
    }
    res.status(page.status).set({ 'Cache-Control': REVALIDATED, ETag: page.etag });
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    res.vary(VARY).type('html').send(page.body);
  });
  return router;
}
