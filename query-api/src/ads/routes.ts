import { AD_ID, DomainError, findCity, slugOf, type AdAnswer, type AdCountsAnswer, type AdListAnswer } from '@alpenglow/domain';
import { waitForPosition, type Authentication, type ReadModelProgress } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import type { AdReader } from './ad-reader.ts';
import { createListCache } from './list-cache.ts';
import { parseListQuery, parsePlaceQuery, type ListQuery } from './list-query.ts';
import { AD_VIEWS, type ViewCounter } from './view-counter.ts';

export interface AdReadDependencies {
  readonly ads: AdReader;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly views: ViewCounter;
}

const AD_PROJECTIONS = ['ad_cards', 'ad_details'];
/** What a list is made of: when one of these moves, kept answers go. */
const LISTED = new Set(['ad_cards', 'media_items', 'accounts', AD_VIEWS, 'all']);

/** The ads calls that read, of the specification, section 7. */
export function adReadRoutes({ ads, authentication, progress, views }: AdReadDependencies): Router & { stop(): void } {
  const cache = createListCache();
  const stop = progress.onChange((projection) => {
    if (LISTED.has(projection)) cache.invalidate();
  });

  /** Answers from memory where the same address was asked since the read models last moved. */
  async function sendKept(req: Request, res: Response, make: () => Promise<AdListAnswer | AdCountsAnswer>): Promise<void> {
    const { body, etag } = await cache.get(req.url, make);
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    if (req.headers['if-none-match'] === etag) {
      res.status(304).end();
      return;
    }
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.setHeader('Content-Length', body.length);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  const sendList = (req: Request, res: Response, only: Partial<ListQuery> = {}) =>
    sendKept(req, res, async () => {
      const { cards, nextCursor, total } = await ads.list({ ...parseListQuery(req.query), ...only });
      return { success: true, data: cards, nextCursor, total };
    });

  const router = Router();
  router.use(waitForPosition(progress, AD_PROJECTIONS));

  router.get('/', (req, res) => sendList(req, res));

  router.get('/counts', (req, res) => sendKept(req, res, async () => ({ success: true, data: await ads.counts(parsePlaceQuery(req.query)) })));

  router.get('/featured', (req, res) => sendList(req, res, { featured: true }));

  router.get('/location/:first/:second', (req, res) => {
    const place = findCity(req.params.second, req.params.first);
    if (!place) {
      throw new DomainError('INVALID_FIELDS', { reason: 'There are no listings in this place yet' }, null, { city: 'There are no listings in this place yet' });
    }
    return sendList(req, res, { state: place.state.code, citySlug: slugOf(place.city) });
  });

  router.get('/user', async (req, res) => {
    const { account } = await authentication.require(req);
    const cards = await ads.ofAccount(account.accountId);
    res.setHeader('Cache-Control', 'no-store');
    res.json({ success: true, data: cards, nextCursor: null, total: cards.length } satisfies AdListAnswer);
  });

  router.get('/:id', async (req, res) => {
    const principal = await authentication.optional(req);
    const found = AD_ID.test(req.params.id) ? await ads.find(req.params.id, principal?.account.accountId ?? null) : null;
    if (!found) throw new DomainError('AD_NOT_FOUND');
    const isOwner = principal?.account.accountId === found.accountId;
    if (!isOwner) views.count(found.ad.id);
    const maySeeEmail = isOwner || principal?.user.isAdmin === true;
    res.setHeader('ETag', `"${found.revision}"`);
    res.setHeader('Cache-Control', 'no-store');
    const answer: AdAnswer = { success: true, data: { ...found.ad, email: maySeeEmail ? found.email : null, isOwner } };
    // Not `res.json`, which would answer 304: the revision is for `If-Match`, and more than it makes up the answer.
    res.type('json').end(JSON.stringify(answer));
  });

  return Object.assign(router, { stop });
}
