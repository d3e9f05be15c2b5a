/** Requests of reviews. */
import type { ReviewFields } from '@alpenglow/domain/contracts';
import { createErrorFormatter } from './api-error.ts';
import { adPath, type Api } from './client.ts';

const reviewPath = (adId: string, reviewId: string) =>
  `${adPath(adId)}/reviews/${encodeURIComponent(reviewId)}` as const;

export const addReview = (api: Api, adId: string, body: ReviewFields) =>
  api.requestWithToken<'reviewAd'>({
    method: 'POST',
    path: `${adPath(adId)}/reviews`,
    body,
    formatMessage: createErrorFormatter('api.reviewFailed'),
  });

export const editReview = (api: Api, adId: string, reviewId: string, body: ReviewFields) =>
  api.requestWithToken<'editReview'>({
    method: 'PUT',
    path: reviewPath(adId, reviewId),
    body,
    formatMessage: createErrorFormatter('api.reviewFailed'),
  });

export const deleteReview = (api: Api, adId: string, reviewId: string) =>
  api.requestWithToken<'deleteReview'>({
    method: 'DELETE',
    path: reviewPath(adId, reviewId),
    formatMessage: createErrorFormatter('api.reviewDeleteFailed'),
  });
