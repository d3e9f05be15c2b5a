import { emptyTexts, omitUndefined, PAGE_TEXTS, pick, type PageText } from '@alpenglow/domain';
import { AD_DETAILS, type JsonRowOf, type StoredReview } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type AdDetailRow = JsonRowOf<typeof AD_DETAILS>;

/**
 * The columns besides the texts that an edit of an ad may change. The code does not compile if the handler of
 * `AdUpdated` omits one of these columns.
 */
type EditableColumn = keyof Omit<AdDetailRow, 'account_id' | 'ad_id' | 'written_reviews' | PageText>;

export const adDetails = defineProjection(AD_DETAILS)({
  keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
  on: {
    AdPosted: ({ data }, row) => ({
      account_id: data.accountId,
      ad_id: data.adId,
      ...pick(data, PAGE_TEXTS),
      phone: data.phone,
      social_media: data.socialMedia,
      written_reviews:
        row && row.ad_id === data.earlier?.adId
          ? row.written_reviews.map((review) => ({ ...review, isOfEarlierAd: true }))
          : [],
    }),
    AdUpdated: ({ data }, row) => {
      if (!row) return null;
      const { phone, socialMedia } = data;
      return {
        ...row,
        ...omitUndefined(pick(data, PAGE_TEXTS)),
        ...omitUndefined({ phone, social_media: socialMedia } satisfies Record<EditableColumn, unknown>),
      };
    },
    // The next ad of the account shows the reviews again. No reader finds the row until then.
    AdDeleted: (_event, row) =>
      row && row.written_reviews.length > 0
        ? { ...row, ...emptyTexts(PAGE_TEXTS), phone: null, social_media: null }
        : null,
    AdReviewed: ({ data, meta }, row) => {
      const { reviewId: id, reviewerId, name, comment, rating } = data;
      const review = { id, reviewerId, name, comment, rating, createdAt: meta.at, editedAt: null, isRemoved: false };
      return row && { ...row, written_reviews: [...row.written_reviews, review] };
    },
    AdReviewEdited: ({ data, meta }, row) => {
      const { name, comment, rating } = data;
      return row && withReview(row, data.reviewId, { name, comment, rating, editedAt: meta.at });
    },
    AdReviewDeleted: ({ data }, row) =>
      row && { ...row, written_reviews: row.written_reviews.filter(({ id }) => id !== data.reviewId) },
    AdReviewRemoved: ({ data }, row) =>
      row && withReview(row, data.reviewId, { name: '', comment: '', isRemoved: true }),
  },
});

function withReview(row: AdDetailRow, reviewId: string, changes: Partial<StoredReview>): AdDetailRow {
  return {
    ...row,
    written_reviews: row.written_reviews.map((review) => (review.id === reviewId ? { ...review, ...changes } : review)),
  };
}
