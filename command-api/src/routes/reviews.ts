import {
  DomainError,
  endOfWait,
  listing,
  NEW_ACCOUNT_WAIT_ms,
  type ListingState,
  type ResponseOf,
} from '@alpenglow/domain';
import { deleteReview, editReview, removeReview, reviewAd } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, getPath, setRevision, type Principal } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createObjectId, createOrigin } from '../origin.ts';
import { parseReason } from '../parse-reason.ts';

/**
 * The operations with which clients review ads, edit and delete their reviews, and with which
 * moderators remove reviews.
 */
export function reviewRoutes({
  commands,
  authentication,
  ads,
  reportHistory,
  reviewWait_ms = NEW_ACCOUNT_WAIT_ms,
}: Dependencies<'commands' | 'authentication' | 'ads' | 'reportHistory' | 'reviewWait_ms'>) {
  const router = createOperationRouter();

  async function requireOwner(adId: string): Promise<string> {
    const ownerId = await ads.ownerOf(adId);
    if (ownerId === null) throw new DomainError('AD_NOT_FOUND');
    return ownerId;
  }

  router.on('reviewAd', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: adId } = getPath(req);
    const { name, comment, rating } = getInput(req);
    const ownerAccountId = await requireOwner(adId);
    const origin = createOrigin(principal, res);
    const review = { reviewId: createObjectId(origin), name: name ?? principal.user.displayName, comment, rating };
    const reviewer = {
      ...createReviewer(principal),
      writesFrom: principal.user.isModerator ? null : endOfWait(principal.account.registeredAt, reviewWait_ms),
      isRestricted: await reportHistory.isRestricted(principal.account),
    };
    const command = { adId, reviewer, ...review, ownerAccountId };
    const handled = await commands.execute(listing, ownerAccountId, reviewAd, command, origin);
    setRevision(res, handled);
    res.status(201).json(createReviewResponse('Thank you for your review!', handled.state, review.reviewId));
  });

  router.on('editReview', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: adId, reviewId } = getPath(req);
    const { name, comment, rating } = getInput(req);
    const ownerAccountId = await requireOwner(adId);
    const command = { adId, reviewId, reviewer: createReviewer(principal), name, comment, rating, ownerAccountId };
    const handled = await commands.execute(listing, ownerAccountId, editReview, command, createOrigin(principal, res));
    setRevision(res, handled);
    res.json(createReviewResponse('Review changed', handled.state, reviewId));
  });

  router.on('deleteReview', async (req, res) => {
    const principal = await authentication.require(req);
    const { id: adId, reviewId } = getPath(req);
    const ownerAccountId = await requireOwner(adId);
    const command = { adId, reviewId, reviewer: createReviewer(principal), ownerAccountId };
    const origin = createOrigin(principal, res);
    setRevision(res, await commands.execute(listing, ownerAccountId, deleteReview, command, origin));
    res.json(createDeletedResponse('Review deleted', reviewId));
  });

  router.on('removeReview', async (req, res) => {
    const principal = await authentication.requireModerator(req);
    const { id: adId, reviewId } = getPath(req);
    const reason = parseReason(req);
    const ownerAccountId = await requireOwner(adId);
    const command = { adId, reviewId, moderatorId: principal.account.accountId, reason, ownerAccountId };
    const origin = createOrigin(principal, res);
    setRevision(res, await commands.execute(listing, ownerAccountId, removeReview, command, origin));
    res.json(createDeletedResponse('Review removed', reviewId));
  });

  return router;
}

function createReviewer({ account: { accountId, registeredAt }, user }: Principal) {
  return { accountId, registeredAt, isProvider: user.isProvider, emailVerified: user.isEmailVerified };
}

function createReviewResponse(message: string, { ad }: ListingState, id: string): ResponseOf<'reviewAd'> {
  const review = ad?.reviews.find(({ reviewId }) => reviewId === id);
  if (!review) throw new DomainError('REVIEW_NOT_FOUND');
  const { name, comment, rating, writtenAt: createdAt, editedAt, isOfEarlierAd } = review;
  return { success: true, message, data: { id, name, comment, rating, createdAt, editedAt, isOfEarlierAd } };
}

const createDeletedResponse = (message: string, id: string): ResponseOf<'deleteReview'> => ({
  success: true,
  message,
  data: { id },
});
