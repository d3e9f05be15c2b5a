/** Requests of reviews. */
import type { ReviewDeletedResponse, ReviewFields, ReviewResponse } from '@alpenglow/domain/contracts';
import { createErrorFormatter } from './api-error.ts';
import { adPath, type Api } from './client.ts';

const reviewPath = (adId: string, reviewId: string) => `${adPath(adId)}/reviews/${encodeURIComponent(reviewId)}`;

export const addReview = (api: Api, adId: string, body: ReviewFields) =>
  api.requestWithToken<ReviewResponse>({
    method: 'POST',
    path: `${adPath(adId)}/reviews`,
    body,
    formatMessage: createErrorFormatter('api.reviewFailed'),
  });

export const editReview = (api: Api, adId: string, reviewId: string, body: ReviewFields) =>
  api.requestWithToken<ReviewResponse>({
    method: 'PUT',
    path: reviewPath(adId, reviewId),
    body,
    formatMessage: createErrorFormatter('api.reviewFailed'),
  });

export const deleteReview = (api: Api, adId: string, reviewId: string) =>
  api.requestWithToken<ReviewDeletedResponse>({
    method: 'DELETE',
    path: reviewPath(adId, reviewId),
    formatMessage: createErrorFormatter('api.reviewDeleteFailed'),
  });
