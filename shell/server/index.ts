/** The shell's server: the HTML page, the shell's own files and the deployed remotes. */
import path from 'node:path';
import { Router } from 'express';
import { pageHeaders } from './security-headers.ts';
import { renderPage } from './page.ts';
import { readRegistryOf } from './registry-file.ts';
import { readShellBuild } from './shell-build.ts';
import { IMMUTABLE, REVALIDATED, notFound, staticFiles } from './static-files.ts';

export interface ShellServerOptions {
  /** Where the remotes are deployed: `registry.json` and `<name>/<hash>/…`. */
  readonly mfDir: string;
  /** The shell's build: `build.json`, `assets/`, and what stands at the root of the site. */
  readonly distDir: string;
  readonly log: { warn(fields: object, text: string): void };
}

/** Addresses that never answer with the page, so that a wrong one is a 404 and not a puzzling 200. */
const NOT_PAGES = /^\/(?:api|mf|uploads|assets)(?:\/|$)/u;

/**
 * Answers every GET that is not the API's: files with their caching rules, and the page for everything a browser navigates to.
 * @throws {Error} at once when the shell has not been built
 */
export function createShellServer({ mfDir, distDir, log }: ShellServerOptions): Router {
  const build = readShellBuild(distDir);
  const registry = readRegistryOf(mfDir, log);
  const router = Router();
  router.use(pageHeaders());
  // What browsers read to find the remotes; a deploy must be seen at the next look.
  router.use('/mf', staticFiles(mfDir, { only: /^\/registry\.json$/u, cacheControl: REVALIDATED }));
  router.use('/mf', staticFiles(mfDir, { only: /^\/mf-[a-z-]+\/[0-9a-f]{16}\/[\w.-]+$/u, cacheControl: IMMUTABLE }), notFound);
  router.use('/assets', staticFiles(path.join(distDir, 'assets'), { only: /^\/[\w.-]+$/u, cacheControl: IMMUTABLE }), notFound);
  router.use(staticFiles(distDir, { only: /^\/(?:favicon\.svg|manifest\.webmanifest|robots\.txt)$/u, cacheControl: REVALIDATED }));
  // Without a pattern: an address that no pattern could decode shows the home page like any other.
  router.use(async (req, res, next) => {
    const isNavigation = (req.method === 'GET' || req.method === 'HEAD') && req.accepts('html');
    if (!isNavigation || NOT_PAGES.test(req.path)) return next();
    res.set('Cache-Control', REVALIDATED).vary('Accept').type('html').send(renderPage({ build, registry: await registry(), pathname: req.path, hasQuery: req.url.includes('?') }));
  });
  return router;
}
