import { AD_ID, DomainError, type PageReads } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';

const MOST_ADS = 5_000;
const adId = z.string().check(z.regex(AD_ID));
const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,5}$/u)), z.transform(Number));

const answerQuery = z.object({ path: z.string().check(z.maxLength(1_000)) });
const adsQuery = z.object({ after: z.optional(adId), upTo: z.optional(adId), limit: wholeNumber });
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
  router.get('/sitemap/ads', async (req, res) => {
    const { after = '', upTo = null, limit } = parseInput(adsQuery, req.query);
    if (limit > MOST_ADS) throw new DomainError('INVALID_REQUEST');
    res.json(await reads.sitemapAds(after, upTo, limit));
  });
  router.get('/sitemap/ends', async (req, res) => {
    res.json(await reads.sitemapEnds(parseInput(endsQuery, req.query).size));
  });
  return router;
}
