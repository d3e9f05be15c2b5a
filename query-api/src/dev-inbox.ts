import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { PRODUCT_NAME } from '@alpenglow/domain';
import { escapeHtml, type Inbox, type ReceivedMail } from '@alpenglow/infra';
import { Router } from 'express';

const MAX_MAILS = 50;

const STYLE = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
article { border: 1px solid #8b8594; border-radius: 12px; padding: 1rem; margin: 1rem 0 }
h2 { font-size: 17px; margin: 0 }
p { margin: .25rem 0 }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: .75rem 0 0 }
`;
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Checks whether a host is a name of this machine or an IP address. No other server can have these names. */
const isLocal = (host: string) => host === 'localhost' || isIP(host.replace(/^\[(.*)\]$/u, '$1')) > 0;

/**
 * Returns the host of a request without its port. `req.hostname` of Express is not used, because it prefers the header
 * `X-Forwarded-Host`, which a proxy may pass on from the client.
 */
function findHostname(host = ''): string | null {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}

/**
 * `GET /dev/inbox`: shows the mails that the product stores instead of sending them to a mail server. Requests
 * with an unknown host are passed to the next handler. Otherwise, a web page could read the mails by letting its own
 * name refer to the address of this machine.
 *
 * @param siteUrl the public origin of the site, or null
 */
export function devInboxRoutes(inbox: Inbox, siteUrl: string | null): Router {
  const router = Router();
  const ownHost = siteUrl === null ? null : new URL(siteUrl).hostname;
  router.get('/dev/inbox', async (req, res, next) => {
    const host = findHostname(req.headers.host);
    if (host === null || (host !== ownHost && !isLocal(host))) {
      next();
      return;
    }
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Cache-Control', 'no-store');
    // The page for e-mail verification detects the demo inbox by this header. The status code is not sufficient,
    // because a product without the demo inbox returns the home page for this URL.
    res.setHeader('X-Demo-Inbox', '1');
    res.type('html').send(page(await inbox.latest(MAX_MAILS)));
  });
  return router;
}

function page(mails: readonly ReceivedMail[]): string {
  const list = mails.length > 0 ? mails.map(article).join('') : '<p>No e-mails yet.</p>';
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>Inbox – ${PRODUCT_NAME}</title><style>${STYLE}</style></head>` +
    '<body><main><h1>Inbox</h1><p>E-mails stay on this machine. <a href="/dev/inbox">Refresh</a></p>' +
    `${list}</main></body></html>`
  );
}

function article({ to, subject, text, at }: ReceivedMail): string {
  const time = at.toISOString();
  return (
    `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}, ` +
    `<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></p>` +
    `<pre>${escapeHtml(text)}</pre></article>`
  );
}
