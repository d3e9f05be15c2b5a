import { randomUUID } from 'node:crypto';
import { DomainError, listing, reviewAd, reviewFields, type ReviewAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, requestIdOf, setRevision, type Principal } from '@alpenglow/infra';
import { Router } from 'express';
import { adIdOf, bodyOf } from '../ad-input.ts';
import type { AdDependencies } from './ads.ts';

/** Reviews of ads (specification, section 3: each with name, comment, rating), to be mounted beside the ads. */
export function reviewRoutes({ commands, authentication, ads }: AdDependencies): Router {
  const router = Router();

  router.post('/:id/reviews', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const reviewer = reviewerOf(principal);
    const adId = adIdOf(req);
    const { name, comment, rating } = parseInput(reviewFields, bodyOf(req));
    const ownerId = await ads.ownerOf(adId);
    if (ownerId === null) throw new DomainError('AD_NOT_FOUND');
    const review = { reviewId: randomUUID(), name: name ?? principal.user.displayName, comment, rating };
    const origin = {
      actor: { kind: 'account', accountId: reviewer.accountId } as const,
      correlationId: requestIdOf(res),
    };
    const handled = await commands.handle(
      listing,
      ownerId,
      (state) => reviewAd({ adId, reviewer, ...review }, state, ownerId),
      origin,
    );
    setRevision(res, handled);
    const answer: ReviewAnswer = {
      success: true,
      message: 'Thank you for your review!',
      data: { id: review.reviewId, name: review.name, comment, rating },
    };
    res.status(201).json(answer);
  });

  return router;
}

function reviewerOf({ account, user }: Principal) {
  return { accountId: account.accountId, isProvider: user.isProvider, emailVerified: user.isEmailVerified };
}
