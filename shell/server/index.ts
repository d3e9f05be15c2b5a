/** The shell's server. It serves the HTML page, the files of the shell and the files of the deployed remotes. */
import path from 'node:path';
import type { Metrics } from '@alpenglow/infra';
import { parseLocalePath, toLocalePath } from '@alpenglow/ui/locale-path';
import { LOCALE_COOKIE, SOURCE_LOCALE } from '@alpenglow/ui/locales';
import { Router } from 'express';
import { useBuild } from './build-in-use.ts';
import { crawlerRoutes } from './crawlers/routes.ts';
import { feedRoutes } from './feeds/routes.ts';
import { offlineRoutes } from './offline/routes.ts';
import type { PageSource } from './page-source.ts';
import { createPages } from './pages/pages.ts';
import { createRegistryReader, toResponse } from './registry-file.ts';
import { createRenderer, type RendererOptions } from './rendering/renderer.ts';
import { CSP_REPORTS, pageHeaders } from './security-headers.ts';
import { readShellBuild } from './shell-build.ts';
import { getOrigin } from './site-origin.ts';
import { IMMUTABLE, REVALIDATED, notFound, staticFiles } from './static-files.ts';
import { cspReports } from './status/csp-reports.ts';
import { statusRoutes } from './status/routes.ts';
import { VISITOR_HEADERS, readVisitor } from './visitor.ts';
import { wellKnownRoutes } from './well-known.ts';

export { sendBusyPage } from './busy-page.ts';
export { registerCspMetrics } from './status/csp-reports.ts';

export interface ShellServerOptions extends PageSource {
  /** The folder of the deployed remotes. It contains `registry.json` and `<name>/<hash>/…`. */
  readonly mfDir: string;
  /** The build folder of the shell. It contains `build.json`, `assets/` and the files at the root of the site. */
  readonly distDir: string;
  readonly metrics: Metrics | null;
  /** True if the demo accounts exist. The home page then explains what to try. */
  readonly isDemo?: boolean;
  /** Finds the restrictions of the processes that render pages. By default, there are none. */
  readonly findSandbox?: RendererOptions['findSandbox'];
  /** Registers a function that the caller runs when the server stops. It ends the processes that render pages. */
  readonly onStop?: (close: () => Promise<void>) => void;
}

/** Paths that never return the HTML page. If there is no file or route for such a path, the response is 404. */
const NOT_PAGES = /^\/(?:api|mf|uploads|assets|sitemaps|csp-reports|status\/front-ends\/.+)(?:\/|$)/u;
/** Matches the URL with which a visitor without scripts chooses English. The rest is the URL of the page. */
const CHOSEN_SOURCE_LOCALE = /^\/en(?:(?<page>\/(?![/\\]).*)|(?<query>\?.*)?)$/u;
const YEAR_ms = 31_536_000_000;
const VARY = ['Accept', 'Accept-Encoding', ...VISITOR_HEADERS].join(', ');
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/**
 * Creates the router for all requests outside the API. It serves files, the routes for crawlers, the status of the
 * front ends, and the HTML page for every navigation.
 * @throws {Error} immediately if the shell has not been built
 */
export function createShellServer(options: ShellServerOptions): Router {
  const { mfDir, siteUrl, reads, metrics, log, isDemo = false, findSandbox, onStop } = options;
  const distDir = useBuild(options.distDir);
  const build = readShellBuild(distDir);
  const registry = createRegistryReader(mfDir, log);
  const renderer = createRenderer({ mfDir, distDir, log, findSandbox });
  onStop?.(() => renderer.close());
  const pages = createPages({ build, registry, reads, log, isDemo, renderer });
  const router = Router();
  router.use(pageHeaders());
  // Browsers read the URLs of the remotes from the registry. They revalidate it before each use, so that a
  // deployment takes effect immediately.
  router.get('/mf/registry.json', async (req, res) => {
    res.set('Cache-Control', REVALIDATED).json(toResponse(await registry(), req.query['contract']));
  });
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
      only: /^\/(?:favicon\.svg|icon-(?:192|512|maskable)\.png|manifest\.webmanifest|shared\.jpg)$/u,
      cacheControl: REVALIDATED,
    }),
  );
  // Browsers request this path when they show a file that has no icon, such as a picture.
  router.get('/favicon.ico', (_req, res) => void res.redirect(301, '/favicon.svg'));
  router.use(offlineRoutes({ distDir, build }));
  router.use('/.well-known', wellKnownRoutes({ siteUrl }));
  router.use(crawlerRoutes({ siteUrl, reads, log }));
  router.use(feedRoutes({ siteUrl, reads, log }));
  router.post(CSP_REPORTS, ...cspReports({ metrics, log }));
  router.use('/status', statusRoutes({ build, registry, mfDir }));
  // This handler has no route pattern, because Express rejects paths that it cannot decode. Such a path shows the home
  // page instead, like any other unknown path.
  router.use(async (req, res, next) => {
    const isNavigation = (req.method === 'GET' || req.method === 'HEAD') && req.accepts('html');
    const { locale: urlLocale, path: pathname } = parseLocalePath(req.path);
    if (!isNavigation || NOT_PAGES.test(pathname)) return next();
    const chosen = CHOSEN_SOURCE_LOCALE.exec(req.url);
    if (chosen) {
      // A visitor without scripts has chosen the source language, whose URLs name no language.
      const { page: chosenPage, query = '' } = chosen.groups ?? {};
      res.cookie(LOCALE_COOKIE, SOURCE_LOCALE, { maxAge: YEAR_ms, sameSite: 'lax', secure: req.secure });
      res.set('Cache-Control', 'no-store').redirect(302, chosenPage ?? `/${query}`);
      return;
    }
    const visitor = readVisitor(req);
    if (urlLocale === null && visitor.locale !== SOURCE_LOCALE) {
      // A URL without a language leads to the page in the visitor's language.
      res.vary(VARY).set('Cache-Control', REVALIDATED).redirect(302, toLocalePath(visitor.locale, req.url));
      return;
    }
    const encoding = ENCODINGS.find((name) => name === req.acceptsEncodings([...ENCODINGS])) ?? 'identity';
    const queryAt = req.url.indexOf('?');
    const page = await pages({
      ...visitor,
      locale: urlLocale ?? SOURCE_LOCALE,
      origin: getOrigin(req, siteUrl),
      pathname,
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
