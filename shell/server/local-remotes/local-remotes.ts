/**
 * Shows remotes from the development servers of developers in this site, each only in the browser of its developer. It
 * is on only with `LOCAL_REMOTES`, and images for production do not contain it (record 0123).
 */
import type { RegistryEntry, RemoteName } from '@alpenglow/ui/contract';
import { Router, type Request } from 'express';
import { readLocalRemoteToken } from '../../build/local-remote-token.mjs';
import type { Trust } from '../../build/signing.mjs';
import { firstPathOf } from '../../src/routes/owners.ts';
import { tokensIn, toPreviewCookie, type BuildChoice, type ShownPreview } from '../build-choice.ts';
import type { PageSource } from '../page-source.ts';
import { setPreviewCookie } from '../previews.ts';
import { getOrigin } from '../site-origin.ts';

/** The path of the files of a development server (shell/build/preset.mjs). */
const FILES = '/mf/under-development/current/';
/** The hash of a remote without a build, for the reports of the page. */
const NO_HASH = '0'.repeat(16);
/**
 * An integrity value that no file has. The page gets the container from `local-remote.js`. If the development server
 * does not run, the shell finds no file, and the area of the remote shows an error.
 */
const NO_INTEGRITY = `sha256-${'A'.repeat(43)}=`;

export interface LocalRemotes {
  readonly routes: Router;
  /** Replaces remotes by those of the development servers that the cookie of the request names. */
  choose(choice: BuildChoice, req: Pick<Request, 'headers'>): BuildChoice;
}

/**
 * Creates the routes and the choice of local remotes. Links are signed like those of previews, and use the same cookie.
 * Each kind of token is not valid as one of the other kind. A link is valid only for the origin of this site.
 */
export function createLocalRemotes({
  trust,
  siteUrl,
  log,
}: Pick<PageSource, 'siteUrl' | 'log'> & { readonly trust: Trust }): LocalRemotes {
  log.warn({ siteUrl }, 'LOCAL_REMOTES is on: developers may show remotes of their computers. Not for production');

  function read(req: Pick<Request, 'headers'>) {
    const origin = getOrigin(req, siteUrl);
    const valid = tokensIn(req.headers.cookie ?? '').flatMap((token) => {
      const remote = readLocalRemoteToken(token, origin, trust);
      return remote ? [{ ...remote, token }] : [];
    });
    return [...new Map(valid.map((remote) => [remote.name, remote])).values()];
  }

  const routes = Router();
  routes.use('/local-remotes', (_req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
    next();
  });
  // `npm run dev:in` checks with it that the site accepts local remotes at this address.
  routes.get('/local-remotes', (req, res) => void res.json({ origin: getOrigin(req, siteUrl) }));
  routes.get('/local-remotes/:token', (req, res) => {
    const { token } = req.params;
    const remote = readLocalRemoteToken(token, getOrigin(req, siteUrl), trust);
    if (!remote) {
      res.status(404).type('text').send('This link is not signed with a known key for this site, or has expired.');
      return;
    }
    // The previews of other remotes stay.
    const others = tokensIn(req.headers.cookie ?? '').filter((other) => !other.startsWith(`${remote.name}.`));
    setPreviewCookie(req, res, toPreviewCookie([token, ...others]), remote.expiresAt_ms);
    res.redirect(302, firstPathOf(remote.name));
  });
  return {
    routes,
    choose(choice, req) {
      const locals = read(req);
      if (locals.length === 0) return choice;
      const names = new Set(locals.map(({ name }) => name));
      const entries = locals.map(({ name }) => entryOf(name, choice.registry.remotes[name]));
      return {
        ...choice,
        registry: {
          remotes: { ...choice.registry.remotes, ...Object.fromEntries(entries.map((entry) => [entry.name, entry])) },
        },
        variant: [choice.variant, ...locals.map(({ name, port }) => `local:${name}:${port}`)].join(' '),
        previews: [
          ...choice.previews.filter(({ name }) => !names.has(name)),
          ...locals.map(({ name, port }) => toPreview(name, port, choice.live.remotes[name])),
        ],
      };
    },
  };
}

function entryOf(name: RemoteName, current: RegistryEntry | undefined): RegistryEntry {
  return {
    ...{ name, hash: NO_HASH, contract: '*', fits: true, container: name.replaceAll('-', '_') },
    ...{ entry: 'remote-entry.js', integrity: { 'remote-entry.js': NO_INTEGRITY }, preload: [] },
    ...{ routes: current?.routes ?? [], sizeBytes: 0, deployedAt: '' },
  };
}

function toPreview(name: RemoteName, port: number, live: RegistryEntry | undefined): ShownPreview {
  const origin = `http://localhost:${port}`;
  return {
    ...{ name, hash: NO_HASH, liveHash: live?.hash ?? null, origin },
    // The script runs before the scripts of the shell. The port is a number, so nothing needs escaping.
    headHtml: `<script src="${origin}${FILES}local-remote.js" crossorigin></script>`,
  };
}
