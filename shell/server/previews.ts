/** The links with which a browser gets a stored build that is not live, and the mark on its pages. */
import { escapeHtml } from '@alpenglow/infra';
import type { RegistryEntry, RemoteName } from '@alpenglow/ui/contract';
import { COOKIES } from '@alpenglow/ui/stored-keys';
import { Router, type Request, type Response } from 'express';
import { readPreviewToken, type Trust } from '../build/signing.mjs';
import { firstPathOf } from '../src/routes/owners.ts';
import { readPreviewCookie, toPreviewCookie, type ShownPreview } from './build-choice.ts';
import type { Text } from './texts.ts';

const LEAVE_PATH = '/preview/leave';

export interface PreviewRoutesOptions {
  readonly trust: Trust;
  readonly findStored: (name: RemoteName, hash: string) => Promise<RegistryEntry | null>;
}

/**
 * Creates the routes of previews. `/preview/<token>` sets a cookie and opens a page of the remote. The token is signed
 * by the deployer, so only the team and those who got the link from it can open a preview. `/preview/leave` deletes the
 * cookie. Neither is cached or indexed.
 */
export function previewRoutes({ trust, findStored }: PreviewRoutesOptions): Router {
  const router = Router();
  router.use('/preview', (_req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
    next();
  });
  router.get(LEAVE_PATH, (_req, res) => {
    res.clearCookie(COOKIES.preview, { httpOnly: true, sameSite: 'lax' }).redirect(302, '/');
  });
  router.get('/preview/:token', async (req, res) => {
    const { token } = req.params;
    const preview = readPreviewToken(token, trust);
    const build = preview && (await findStored(preview.name, preview.hash));
    if (!preview || !build) {
      res.status(404).type('text').send('This preview does not exist, or its link has expired.');
      return;
    }
    const others = readPreviewCookie(req.headers.cookie ?? '', trust).filter(({ name }) => name !== preview.name);
    const expiresAt_ms = Math.max(preview.expiresAt_ms, ...others.map((other) => other.expiresAt_ms));
    const value = toPreviewCookie([token, ...others.map((other) => other.token)]);
    setPreviewCookie(req, res, value, expiresAt_ms);
    res.redirect(302, firstPathOf(preview.name, build.routes));
  });
  return router;
}

/** Sets the cookie with signed tokens, which scripts cannot read. */
export function setPreviewCookie(req: Request, res: Response, value: string, expiresAt_ms: number): void {
  const options = { httpOnly: true, sameSite: 'lax', secure: req.secure } as const;
  res.cookie(COOKIES.preview, value, { expires: new Date(expiresAt_ms), ...options });
}

/**
 * Renders the mark of a page with previews. It states which builds differ, and has a link that leaves them. It is
 * outside of the part of the page that React controls, and after it, so that the link that skips to the content stays
 * the first one.
 */
export function renderPreviewMark(previews: readonly ShownPreview[], t: Text): string {
  if (previews.length === 0) return '';
  const lines = previews.map((preview) => escapeHtml(describePreview(preview, t)));
  return `<aside class="preview-mark" aria-label="${escapeHtml(t('preview'))}">
${lines.map((line) => `<p>${line}</p>`).join('\n')}
<a href="${LEAVE_PATH}">${escapeHtml(t('previewLeave'))}</a>
</aside>`;
}

function describePreview({ name, hash, liveHash, origin }: ShownPreview, t: Text): string {
  if (origin !== undefined) return t('previewLocal', { name, origin });
  return liveHash === null ? t('previewNew', { name, hash }) : t('previewInstead', { name, hash, live: liveHash });
}
