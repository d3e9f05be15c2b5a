/** The shell's server. It serves the HTML page, the files of the shell and the files of the deployed remotes. */
import path from 'node:path';
import type { Metrics } from '@alpenglow/infra';
import { OFFERED_CONTRACTS } from '@alpenglow/ui/contract';
import { parseLocalePath, toLocalePath } from '@alpenglow/ui/locale-path';
import { LOCALE_COOKIE, SOURCE_LOCALE } from '@alpenglow/ui/locales';
import { COOKIES } from '@alpenglow/ui/stored-keys';
import { Router, type Request, type Response } from 'express';
import { offerOf, recordShell, type ShellOffer } from '../build/shell-compatibility.mjs';
import { trustOf } from '../build/signing.mjs';
import { useBuild } from './build-in-use.ts';
import { createBuildChooser, type BuildChoice } from './build-choice.ts';
import { crawlerRoutes } from './crawlers/routes.ts';
import { feedRoutes } from './feeds/routes.ts';
import type { createLocalRemotes } from './local-remotes/local-remotes.ts';
import { offlineRoutes } from './offline/routes.ts';
import type { PageSource } from './page-source.ts';
import { createPages } from './pages/pages.ts';
import { previewRoutes } from './previews.ts';
import { createRegistryReader, createStoredBuilds, toResponse, type LiveBuilds } from './registry-file.ts';
import { remoteFiles } from './remote-files.ts';
import { registerReleaseMetrics, watchReleases } from './releases/watch.ts';
import { createRenderer, type RendererOptions } from './rendering/renderer.ts';
import { CSP_REPORTS, pageHeaders } from './security-headers.ts';
import { readShellBuild } from './shell-build.ts';
import { recordShellUse, shellFiles } from './shell-files.ts';
import { getOrigin } from './site-origin.ts';
import { IMMUTABLE, REVALIDATED, notFound, staticFiles } from './static-files.ts';
import { cspReports } from './status/csp-reports.ts';
import { statusRoutes } from './status/routes.ts';
import { VISITOR_HEADERS, readVisitor } from './visitor.ts';
import { wellKnownRoutes } from './well-known.ts';

export { sendBusyPage } from './busy-page.ts';
export { registerReleaseMetrics } from './releases/watch.ts';
export { registerCspMetrics } from './status/csp-reports.ts';

export interface ShellServerOptions extends PageSource {
  /** The folder of the deployed remotes. It contains `registry.json` and `<name>/<hash>/…`. */
  readonly mfDir: string;
  /** The public keys of deployers, and the hashes of revoked builds. Without keys, it is the key of this machine. */
  readonly frontEndTrust?: { readonly keys: readonly string[] | null; readonly revoked: readonly string[] };
  /** The build folder of the shell. It contains `build.json`, `assets/` and the files at the root of the site. */
  readonly distDir: string;
  readonly metrics: Metrics | null;
  /** True if the demo accounts exist. The home page then explains what to try. */
  readonly isDemo?: boolean;
  /** Shows remotes from the computers of developers (`loadLocalRemotes`). Not for production. */
  readonly localRemotes?: typeof createLocalRemotes | null;
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
 * @throws {Error} immediately if the shell has not been built, or if no key of a deployer is known
 */
export function createShellServer(options: ShellServerOptions): Router {
  const { mfDir, siteUrl, reads, metrics, log, isDemo = false, findSandbox, onStop } = options;
  const distDir = useBuild(options.distDir);
  const build = readShellBuild(distDir);
  const trust = trustOf(mfDir, options.frontEndTrust ?? { keys: null, revoked: [] });
  const shell = { ...offerOf(build), contracts: OFFERED_CONTRACTS };
  tryToRecord(mfDir, shell, log);
  recordShellUse(mfDir, build.hash);
  const registry = createRegistryReader({ mfDir, log, shell, trust });
  const findStored = createStoredBuilds({ mfDir, shell, trust });
  const renderer = createRenderer({ mfDir, distDir, log, findSandbox });
  onStop?.(() => renderer.close());
  const releases = metrics ? registerReleaseMetrics(metrics) : null;
  if (reads) {
    const stopWatching = watchReleases({
      ...{ mfDir, shell, trust, reads, registry, log },
      countRendered: (entry) => renderer.countRendered(entry),
      onFound: (name) => releases?.showRemote(name),
      onRollback: (name) => releases?.countRollback(name),
    });
    onStop?.(() => Promise.resolve(stopWatching()));
  }
  const pages = createPages({ build, reads, log, isDemo, renderer });
  const chooseStored = createBuildChooser({ trust, findStored });
  const local = options.localRemotes?.({ trust, siteUrl, log });
  const choose = async (live: LiveBuilds, req: Request): Promise<BuildChoice> => {
    const choice = await chooseStored(live, req.headers.cookie ?? '');
    return local?.choose(choice, req) ?? choice;
  };
  const router = Router();
  router.use(pageHeaders());
  // Browsers read the URLs of the remotes from the registry. They revalidate it before each use, so that a
  // deployment takes effect immediately.
  router.get('/mf/registry.json', async (req, res) => {
    const live = await registry();
    const choice = await choose(live, req);
    // A tab without a bucket was opened before the canary, so it continues with the live build.
    const shown = choice.newBucket === null ? choice : await choose({ ...live, canaries: {} }, req);
    setBucket(req, res, choice);
    res
      .vary('Cookie')
      .set('Cache-Control', cacheControlOf(choice))
      // An idle tab with another shell offers a reload.
      .json({ ...toResponse(shown, req.query['contract']), shell: build.hash });
  });
  router.use('/mf', remoteFiles({ mfDir, findStored }), notFound);
  router.use(
    '/assets',
    staticFiles(path.join(distDir, 'assets'), { only: /^\/[\w.-]+$/u, cacheControl: IMMUTABLE }),
    shellFiles({ mfDir, trust, log }),
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
  if (local) router.use(local.routes);
  router.use(previewRoutes({ trust, findStored }));
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
    const builds = await choose(await registry(), req);
    const page = await pages({
      ...visitor,
      builds,
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
    setBucket(req, res, builds);
    const developers = builds.previews.flatMap(({ origin }) => origin ?? []);
    if (developers.length > 0) pageHeaders(developers)(req, res, () => undefined);
    res.status(page.status).set({ 'Cache-Control': cacheControlOf(builds), ETag: page.etag });
    if (encoding !== 'identity') res.set('Content-Encoding', encoding);
    res.vary(VARY).type('html').send(page.body);
  });
  return router;
}

/**
 * Loads what shows remotes from the computers of developers.
 * @throws {Error} if this build is for production, and does not contain it
 */
export async function loadLocalRemotes(): Promise<typeof createLocalRemotes> {
  try {
    return (await import(/* webpackChunkName: "local-remotes" */ './local-remotes/local-remotes.ts'))
      .createLocalRemotes;
  } catch (cause) {
    throw new Error('LOCAL_REMOTES is on, but this build is for production and does not contain it', { cause });
  }
}

/** Sets the cookie with the new bucket of a browser, if it needs one. */
function setBucket(req: Request, res: Response, { newBucket }: BuildChoice): void {
  if (newBucket === null) return;
  const options = { maxAge: YEAR_ms / 2, httpOnly: true, sameSite: 'lax', secure: req.secure } as const;
  res.cookie(COOKIES.bucket, String(newBucket), options);
}

/**
 * Responses with previews are not stored. Those with a new bucket are not stored by caches between the server and the
 * browser, because all their users would get this bucket.
 */
function cacheControlOf({ previews, newBucket }: BuildChoice): string {
  if (previews.length > 0) return 'private, no-store';
  return newBucket === null ? REVALIDATED : `private, ${REVALIDATED}`;
}

/** Records what this shell offers. If the folder is read-only, nothing is recorded. */
function tryToRecord(mfDir: string, shell: ShellOffer, log: PageSource['log']): void {
  try {
    recordShell(mfDir, shell);
  } catch (err) {
    const code = err instanceof Error && 'code' in err ? err.code : null;
    if (code !== 'EROFS' && code !== 'EACCES') log.warn({ err }, 'the shell could not be recorded for deployments');
  }
}
