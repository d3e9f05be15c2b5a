import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError, type PageReads } from '@alpenglow/domain/contracts';
import { Router, type Request, type Response } from 'express';
import { originOf } from '../site-origin.ts';
import { notFound } from '../static-files.ts';
import { robotsText } from './robots.ts';
import { createSitemap, type SitemapFile } from './sitemap.ts';

export interface CrawlerOptions {
  readonly siteUrl: string | null;
  /** Null: there is nothing to make a sitemap of. */
  readonly reads: PageReads | null;
  readonly log: { warn(fields: object, text: string): void };
}

const FRESH = 'public, max-age=3600';
const RETRY_AFTER_s = 120;

/** `robots.txt` and the sitemap. Without a known origin there is no sitemap, whose addresses are absolute. */
export function crawlerRoutes({ siteUrl, reads, log }: CrawlerOptions): Router {
  const sitemap = reads && createSitemap({ reads });
  const router = Router();

  async function sendSitemap(req: Request, res: Response, name: string): Promise<void> {
    const origin = originOf(req, siteUrl);
    let file: SitemapFile | null;
    try {
      file = sitemap && origin !== null ? await sitemap.file(origin, name) : null;
    } catch (err) {
      log.warn({ err }, 'the sitemap could not be made');
      throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
    }
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
      .send(robotsText(originOf(req, siteUrl)));
  });
  router.get('/sitemap.xml', (req, res) => sendSitemap(req, res, 'index'));
  router.get('/sitemaps/:file', (req, res) => {
    const name = /^(?!index\.)([a-z]+(?:-\d+)?)\.xml$/u.exec(req.params.file)?.[1];
    return name === undefined ? notFound(req, res, () => undefined) : sendSitemap(req, res, name);
  });
  return router;
}
