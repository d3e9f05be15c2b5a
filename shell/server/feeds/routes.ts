import { DomainError, type PageReads } from '@alpenglow/domain/contracts';
import { Router, type Request, type Response } from 'express';
import { createKept } from '../data/kept.ts';
import { originOf } from '../site-origin.ts';
import { notFound } from '../static-files.ts';
import { feedFile, type FeedFile } from './feed-file.ts';
import { FEEDS, type FeedFormat } from './formats.ts';

export interface FeedOptions {
  readonly siteUrl: string | null;
  /** Null: there are no articles to tell of. */
  readonly reads: Pick<PageReads, 'feed'> | null;
  readonly log: { warn(fields: object, text: string): void };
}

const MOST_ARTICLES = 20;
/** With the time that others may keep it, a withdrawn article is gone within half a minute. */
const LIFETIME_ms = 10_000;
const FRESH = 'public, max-age=20';
/** Feeds times origins. */
const MOST_KEPT = 8;
const RETRY_AFTER_s = 60;

/** The feeds of the blog: its newest articles in full. Without a known origin there is none, since their addresses are absolute. */
export function feedRoutes({ siteUrl, reads, log }: FeedOptions): Router {
  const router = Router();
  for (const format of FEEDS) {
    const files =
      reads && createKept({ make: (origin) => make(reads, format, origin), lifetime_ms: LIFETIME_ms, max: MOST_KEPT });

    router.get(format.path, async (req, res) => {
      const origin = originOf(req, siteUrl);
      let file: FeedFile | null;
      try {
        file = files && origin !== null ? await files.get(origin) : null;
      } catch (err) {
        log.warn({ err }, 'a feed could not be made');
        throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
      }
      if (file) send(req, res, format, file);
      else notFound(req, res, () => undefined);
    });
  }
  return router;
}

async function make(reads: Pick<PageReads, 'feed'>, format: FeedFormat, origin: string): Promise<FeedFile> {
  return feedFile(format, await reads.feed(MOST_ARTICLES), origin);
}

function send(req: Request, res: Response, { type }: FeedFormat, { body, gzip, etag }: FeedFile): void {
  res.set({ ETag: etag, 'Cache-Control': FRESH, 'Content-Type': `${type}; charset=utf-8` }).vary('Accept-Encoding');
  if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(gzip);
  else res.send(body);
}
