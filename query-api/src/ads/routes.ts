import { AD_ID, DomainError, findCity, slugOf, type AdAnswer, type AdListAnswer } from '@alpenglow/domain';
import {
  requestIdOf,
  waitForPosition,
  type Authentication,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router } from 'express';
import { askedOf, sendAnswer } from '../send-answer.ts';
import type { AdReader } from './ad-reader.ts';
import type { ListAnswers } from './list-answers.ts';
import type { ViewCounter } from './view-counter.ts';

export interface AdReadDependencies {
  readonly ads: AdReader;
  readonly lists: ListAnswers;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly views: ViewCounter;
  readonly staffReads: StaffReads;
}

const AD_PROJECTIONS = ['ad_cards', 'ad_details'];

/** The ads calls that read, of the specification, section 7. */
export function adReadRoutes({ ads, lists, authentication, progress, views, staffReads }: AdReadDependencies): Router {
  const router = Router();
  router.use(waitForPosition(progress, AD_PROJECTIONS));

  router.get('/', (req, res) => sendAnswer(req, res, lists.list(askedOf(req))));

  router.get('/counts', (req, res) => sendAnswer(req, res, lists.counts(askedOf(req))));

  router.get('/featured', (req, res) => sendAnswer(req, res, lists.list(askedOf(req), { featured: true })));

  router.get('/location/:first/:second', (req, res) => {
    const place = findCity(req.params.second, req.params.first);
    if (!place) {
      throw new DomainError('INVALID_FIELDS', { reason: 'There are no listings in this place yet' }, null, {
        city: 'There are no listings in this place yet',
      });
    }
    return sendAnswer(req, res, lists.list(askedOf(req), { state: place.state.code, citySlug: slugOf(place.city) }));
  });

  router.get('/user', async (req, res) => {
    const { account } = await authentication.require(req);
    const cards = await ads.ofAccount(account.accountId);
    res.setHeader('Cache-Control', 'no-store');
    res.json({ success: true, data: cards, nextCursor: null, total: cards.length } satisfies AdListAnswer);
  });

  router.get('/:id', async (req, res) => {
    const principal = await authentication.optional(req);
    const found = AD_ID.test(req.params.id)
      ? await ads.find(req.params.id, principal?.account.accountId ?? null)
      : null;
    if (!found) throw new DomainError('AD_NOT_FOUND');
    const isOwner = principal?.account.accountId === found.accountId;
    if (!isOwner) views.count(found.ad.id);
    const maySeeEmail = isOwner || principal?.user.isAdmin === true;
    if (principal && maySeeEmail && !isOwner && found.email !== null) {
      await staffReads.note({
        staffId: principal.account.accountId,
        what: 'getAd',
        subjectId: found.accountId,
        people: 1,
        requestId: requestIdOf(res),
      });
    }
    res.setHeader('ETag', `"${found.revision}"`);
    res.setHeader('Cache-Control', 'no-store');
    const answer: AdAnswer = { success: true, data: { ...found.ad, email: maySeeEmail ? found.email : null, isOwner } };
    // Not `res.json`, which would answer 304: the revision is for `If-Match`, and more than it makes up the answer.
    res.type('json').end(JSON.stringify(answer));
  });

  return router;
}
