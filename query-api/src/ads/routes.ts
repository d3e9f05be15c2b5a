import { DomainError, findCity, slugify } from '@alpenglow/domain';
import { createOperationRouter, getPath, waitForPosition } from '@alpenglow/infra';
import { recordRead } from '../record-read.ts';
import type { Dependencies } from '../dependencies.ts';
import { createFieldError } from '../paging.ts';
import { getCacheableQuery, sendCachedResponse } from '../send-cached-response.ts';
import { sendRevision, sendUncached } from '../send-uncached.ts';
import { createVisitorView, type AdReader } from './ad-reader.ts';
import { CARD_READ_MODELS } from './card-view.ts';
import { AD_FOUND, ADS_FOUND, type ListResponses } from './list-responses.ts';

interface AdReadDependencies extends Dependencies<'authentication' | 'contactTokens' | 'progress' | 'staffReads'> {
  readonly ads: AdReader;
  readonly lists: ListResponses;
}

/** The read models of ads with all details. */
export const AD_PROJECTIONS = [...CARD_READ_MODELS, 'ad_details'];

/** The API operations that read ads. */
export function adReadRoutes({ ads, lists, authentication, contactTokens, progress, staffReads }: AdReadDependencies) {
  const router = createOperationRouter();
  const wait = waitForPosition(progress, AD_PROJECTIONS);

  router.on('listAds', wait, (req, res) => sendCachedResponse(req, res, lists.list(getCacheableQuery(req))));

  router.on('countAds', wait, (req, res) => sendCachedResponse(req, res, lists.counts(getCacheableQuery(req))));

  router.on('listNearbyAds', wait, (req, res) => sendCachedResponse(req, res, lists.nearby(getCacheableQuery(req))));

  router.on('listFeaturedAds', wait, (req, res) =>
    sendCachedResponse(req, res, lists.list(getCacheableQuery(req), { featured: true })),
  );

  router.on('listAdsOfPlace', wait, (req, res) => {
    const place = findCity(req.params.second, req.params.first);
    if (!place) throw createFieldError('city', 'There are no listings in this place yet');
    const only = { state: place.state.code, citySlug: slugify(place.city) };
    return sendCachedResponse(req, res, lists.list(getCacheableQuery(req), only));
  });

  router.on('listOwnAds', wait, async (req, res) => {
    const { account } = await authentication.require(req);
    const cards = await ads.listByAccount(account.accountId);
    const data = await ads.withDetails(cards, { isOwner: true });
    sendUncached(res, {
      success: true,
      message: ADS_FOUND,
      data,
      nextCursor: null,
      total: cards.length,
      search: null,
    });
  });

  router.on('getAd', wait, async (req, res) => {
    const principal = await authentication.findPrincipal(req);
    const { id } = getPath(req);
    const found = await ads.find(id, principal?.account ?? null);
    if (!found) throw new DomainError('AD_NOT_FOUND', {}, null, null, await ads.findFormer(id));
    const isOwner = principal?.account.accountId === found.accountId;
    const isAdmin = principal?.user.isAdmin === true;
    if (isAdmin && !isOwner && found.email !== null) {
      await recordRead({ staffReads }, res, principal, 'getAd', { subjectId: found.accountId, people: 1 });
    }
    const visitorView = createVisitorView(found);
    const { texts, ...contact } = found.contact;
    const data =
      isOwner || isAdmin
        ? { ...visitorView, ...contact, ...texts, email: found.email, isOwner }
        : {
            ...visitorView,
            contactToken: visitorView.hasContact ? contactTokens.issue(found.ad.id, req.ip) : null,
          };
    sendRevision(res, found.revision, { success: true, message: AD_FOUND, data });
  });

  return router;
}
