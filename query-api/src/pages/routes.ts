import { AD_ID_PATTERN, DomainError, THREAD_ID, type PageReader } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';

const MAX_ADS = 5_000;
const MAX_THREADS = 5_000;
const MAX_ARTICLES = 50_000;
const MAX_FEED = 100;
const adId = z.string().check(z.regex(AD_ID_PATTERN));
const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,5}$/u)), z.transform(Number));

const responseQuery = z.object({ path: z.string().check(z.maxLength(1_000)) });
const adsQuery = z.object({ after: z.optional(adId), upTo: z.optional(adId), limit: wholeNumber });
const threadsQuery = z.object({ after: z.optional(z.string().check(z.regex(THREAD_ID))), limit: wholeNumber });
const limitQuery = z.object({ limit: wholeNumber });
const statisticsQuery = z.object({ firstDay: z.iso.date() });
const endsQuery = z.object({ size: wholeNumber });

/**
 * Returns the internal routes from which a shell server in a separate process reads the data of its pages. The routes
 * are mounted at `/internal/pages`. The gateway does not forward requests to this path. Each route responds with JSON.
 * The JSON is `null` if the requested item does not exist.
 */
export function pageReadRoutes(reads: PageReader): Router {
  const router = Router();
  router.get('/answer', async (req, res) => {
    res.json(await reads.readApiResponse(parseInput(responseQuery, req.query).path));
  });
  router.get('/front-ends', async (req, res) => {
    res.json(await reads.readFrontEndStatistics(parseInput(statisticsQuery, req.query).firstDay));
  });
  router.get('/ads/:id', async (req, res) => {
    res.json(await reads.findAd(req.params.id));
  });
  router.get('/former-ads/:id', async (req, res) => {
    res.json(await reads.isFormerAd(req.params.id));
  });
  router.get('/threads/:id', async (req, res) => {
    res.json(await reads.findThread(req.params.id));
  });
  router.get('/articles/:slug', async (req, res) => {
    res.json(await reads.findArticle(req.params.slug));
  });
  router.get('/feed', async (req, res) => {
    res.json(await reads.listFeedArticles(requireLimit(MAX_FEED, parseInput(limitQuery, req.query).limit)));
  });
  router.get('/sitemap/threads', async (req, res) => {
    const { after = '', limit } = parseInput(threadsQuery, req.query);
    res.json(await reads.listSitemapThreads(after, requireLimit(MAX_THREADS, limit)));
  });
  router.get('/sitemap/articles', async (req, res) => {
    res.json(await reads.listSitemapArticles(requireLimit(MAX_ARTICLES, parseInput(limitQuery, req.query).limit)));
  });
  router.get('/sitemap/ads', async (req, res) => {
    const { after = '', upTo: last = null, limit } = parseInput(adsQuery, req.query);
    res.json(await reads.listSitemapAds(after, last, requireLimit(MAX_ADS, limit)));
  });
  router.get('/sitemap/ends', async (req, res) => {
    res.json(await reads.listSitemapBoundaries(parseInput(endsQuery, req.query).size));
  });
  return router;
}

function requireLimit(max: number, limit: number): number {
  if (limit > max) throw new DomainError('INVALID_REQUEST');
  return limit;
}
