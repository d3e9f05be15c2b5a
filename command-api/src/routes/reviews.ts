import { randomUUID } from 'node:crypto';
import { DomainError, listing, type ReviewResponse } from '@alpenglow/domain';
import { reviewAd } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setRevision, type Principal } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createOrigin } from '../origin.ts';
import { parseAdId } from '../path-parameters.ts';

/** The operation with which a client reviews an ad. */
export function reviewRoutes({ commands, authentication, ads }: Dependencies<'commands' | 'authentication' | 'ads'>) {
  const router = createOperationRouter();

  router.on('reviewAd', async (req, res) => {
    const principal = await authentication.require(req);
    const reviewer = createReviewer(principal);
    const adId = parseAdId(req);
    const { name, comment, rating } = getInput(req);
    const ownerId = await ads.ownerOf(adId);
    if (ownerId === null) throw new DomainError('AD_NOT_FOUND');
    const review = { reviewId: randomUUID(), name: name ?? principal.user.displayName, comment, rating };
    const command = { adId, reviewer, ...review, ownerAccountId: ownerId };
    const handled = await commands.execute(listing, ownerId, reviewAd, command, createOrigin(principal, res));
    setRevision(res, handled);
    const response: ReviewResponse = {
      success: true,
      message: 'Thank you for your review!',
      data: { id: review.reviewId, name: review.name, comment, rating },
    };
    res.status(201).json(response);
  });

  return router;
}

function createReviewer({ account, user }: Principal) {
  return { accountId: account.accountId, isProvider: user.isProvider, emailVerified: user.isEmailVerified };
}
