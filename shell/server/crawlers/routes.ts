import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Router, type Request, type Response } from 'express';
import { fileOrUnavailable, type PageSource } from '../page-source.ts';
import { getOrigin } from '../site-origin.ts';
import { notFound } from '../static-files.ts';
import { createRobotsText } from './robots.ts';
import { createSitemap } from './sitemap.ts';

const FRESH = 'public, max-age=3600';
const RETRY_AFTER_s = 120;

/**
 * Creates the routes of `robots.txt` and the sitemap. The sitemap exists only if the origin of the site is known,
 * because its URLs are absolute.
 */
export function crawlerRoutes({ siteUrl, reads, log }: PageSource): Router {
  const sitemap = reads && createSitemap({ reads });
  const router = Router();

  async function sendSitemap(req: Request, res: Response, name: string): Promise<void> {
    const origin = getOrigin(req, siteUrl);
    const created = sitemap && origin !== null ? sitemap.file(origin, name) : null;
    const file = await fileOrUnavailable(log, created, 'the sitemap could not be made', RETRY_AFTER_s);
    if (!file) {
      notFound(req, res, () => undefined);
      return;
    }
    res
      .set({
        ETag: file.etag,
        'Cache-Control': `public, max-age=${file.lifetime_s}`,
        'Content-Type': 'application/xml; charset=utf-8',
      })
      .vary('Accept-Encoding');
    if (req.fresh) res.status(304).end();
    else if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(file.gzip);
    else if (req.method === 'HEAD') res.end();
    else pipeline(Readable.from([file.gzip]), createGunzip(), res, () => undefined);
  }

  router.get('/robots.txt', (req, res) => {
    res
      .set('Cache-Control', FRESH)
      .type('text')
      .send(createRobotsText(getOrigin(req, siteUrl)));
  });
  router.get('/sitemap.xml', (req, res) => sendSitemap(req, res, 'index'));
  router.get('/sitemaps/:file', (req, res) => {
    const name = /^(?!index\.)((?:[a-z]{2}-)?[a-z]+(?:-\d+)?)\.xml$/u.exec(req.params.file)?.[1];
    return name === undefined ? notFound(req, res, () => undefined) : sendSitemap(req, res, name);
  });
  return router;
}
