import { AD_ID, DomainError, THREAD_ID, type PageReads } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';

const MOST_ADS = 5_000;
const MOST_THREADS = 5_000;
const MOST_ARTICLES = 50_000;
const MOST_IN_FEED = 100;
const adId = z.string().check(z.regex(AD_ID));
const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,5}$/u)), z.transform(Number));

const answerQuery = z.object({ path: z.string().check(z.maxLength(1_000)) });
const adsQuery = z.object({ after: z.optional(adId), upTo: z.optional(adId), limit: wholeNumber });
const threadsQuery = z.object({ after: z.optional(z.string().check(z.regex(THREAD_ID))), limit: wholeNumber });
const limitQuery = z.object({ limit: wholeNumber });
const endsQuery = z.object({ size: wholeNumber });

/**
 * The same reads for the shell's server as a process of its own, to be mounted at `/internal/pages`. No call of the API: the gateway sends
 * nobody here. Each answers JSON, `null` for what there is not.
 */
export function pageReadRoutes(reads: PageReads): Router {
  const router = Router();
  router.get('/answer', async (req, res) => {
    res.json(await reads.answer(parseInput(answerQuery, req.query).path));
  });
  router.get('/ads/:id', async (req, res) => {
    res.json(await reads.ad(req.params.id));
  });
  router.get('/threads/:id', async (req, res) => {
    res.json(await reads.thread(req.params.id));
  });
  router.get('/articles/:slug', async (req, res) => {
    res.json(await reads.article(req.params.slug));
  });
  router.get('/feed', async (req, res) => {
    res.json(await reads.feed(upTo(MOST_IN_FEED, parseInput(limitQuery, req.query).limit)));
  });
  router.get('/sitemap/threads', async (req, res) => {
    const { after = '', limit } = parseInput(threadsQuery, req.query);
    res.json(await reads.sitemapThreads(after, upTo(MOST_THREADS, limit)));
  });
  router.get('/sitemap/articles', async (req, res) => {
    res.json(await reads.sitemapArticles(upTo(MOST_ARTICLES, parseInput(limitQuery, req.query).limit)));
  });
  router.get('/sitemap/ads', async (req, res) => {
    const { after = '', upTo: last = null, limit } = parseInput(adsQuery, req.query);
    res.json(await reads.sitemapAds(after, last, upTo(MOST_ADS, limit)));
  });
  router.get('/sitemap/ends', async (req, res) => {
    res.json(await reads.sitemapEnds(parseInput(endsQuery, req.query).size));
  });
  return router;
}

function upTo(most: number, limit: number): number {
  if (limit > most) throw new DomainError('INVALID_REQUEST');
  return limit;
}
