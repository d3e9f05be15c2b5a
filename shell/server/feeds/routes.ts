import { Router, type Request, type Response } from 'express';
import { createShortCache } from '../data/short-cache.ts';
import { fileOrUnavailable, type PageSource } from '../page-source.ts';
import { getOrigin } from '../site-origin.ts';
import { notFound } from '../static-files.ts';
import { createFeedFile, type FeedFile } from './feed-file.ts';
import { FEEDS, type FeedFormat } from './formats.ts';

const MAX_ARTICLES = 20;
/** Cache time of a feed on the server. A decision about a photo takes effect within 5 s. */
const LIFETIME_ms = 1_000;
/** Shared caches ask again after 2 s, because of. A reader may show a feed that it has loaded for 20 s. */
const FRESH = 'public, max-age=20, s-maxage=2';
/** Maximum number of cached feeds per format. There is one feed for each origin. */
const MAX_CACHED_FEEDS = 8;
const RETRY_AFTER_s = 60;

/**
 * Creates the routes of the blog's feeds. A feed contains the full text of the newest articles. It exists only if the
 * origin of the site is known, because its URLs are absolute.
 */
export function feedRoutes({ siteUrl, reads, log }: PageSource): Router {
  const router = Router();
  for (const format of FEEDS) {
    const files =
      reads &&
      createShortCache({
        create: async (origin: string) => createFeedFile(format, await reads.listFeedArticles(MAX_ARTICLES), origin),
        lifetime_ms: LIFETIME_ms,
        max: MAX_CACHED_FEEDS,
      });

    router.get(format.path, async (req, res) => {
      const origin = getOrigin(req, siteUrl);
      const created = files && origin !== null ? files.get(origin) : null;
      const file = await fileOrUnavailable(log, created, 'a feed could not be made', RETRY_AFTER_s);
      if (file) send(req, res, format, file);
      else notFound(req, res, () => undefined);
    });
  }
  return router;
}

function send(req: Request, res: Response, { type }: FeedFormat, { body, gzip, etag }: FeedFile): void {
  res.set({ ETag: etag, 'Cache-Control': FRESH, 'Content-Type': `${type}; charset=utf-8` }).vary('Accept-Encoding');
  if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(gzip);
  else res.send(body);
}
