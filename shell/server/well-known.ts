import { CONTACT_EMAIL } from '@alpenglow/ui/contact';
import { Router } from 'express';
import { getOrigin } from './site-origin.ts';
import { notFound } from './static-files.ts';

const FRESH = 'public, max-age=3600';
/** Time from a request until the expiry date in `security.txt`. RFC 9116 recommends less than a year. */
const VALID_ms = 180 * 24 * 60 * 60_000;

/**
 * Creates the routes below `/.well-known`: the contact for security researchers (RFC 9116), and the page where
 * password managers change a password. Every other path is 404, because programs must not receive the home page.
 */
export function wellKnownRoutes({ siteUrl }: { readonly siteUrl: string | null }): Router {
  const router = Router();
  router.get('/security.txt', (req, res) => {
    const origin = getOrigin(req, siteUrl);
    const lines = [
      `Contact: mailto:${CONTACT_EMAIL}`,
      `Expires: ${new Date(Date.now() + VALID_ms).toISOString()}`,
      'Preferred-Languages: en, de, fr, it',
      ...(origin === null ? [] : [`Canonical: ${origin}/.well-known/security.txt`]),
    ];
    res
      .set('Cache-Control', FRESH)
      .type('text')
      .send(`${lines.join('\n')}\n`);
  });
  // The profile page contains the form for a new password. Visitors log in first.
  router.get('/change-password', (_req, res) => void res.redirect(302, '/profile'));
  router.use(notFound);
  return router;
}
