import { emptyTexts, omitUndefined, PAGE_TEXTS, pick, type PageText, type SocialMedia } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';
import { textColumnsOf } from './text-columns.ts';

const columns = {
  account_id: 'text primary key',
  ad_id: 'text not null unique',
  ...textColumnsOf(PAGE_TEXTS),
  phone: 'text',
  social_media: 'jsonb',
  written_reviews: 'jsonb not null',
} as const;

/** A review of an ad in the column `written_reviews`. Times are ISO 8601 in UTC. */
interface StoredReview {
  readonly id: string;
  /** The account of the author. Null for demo reviews. The API does not return it. */
  readonly reviewerId: string | null;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
  readonly createdAt: string;
  readonly editedAt: string | null;
  /** True if a moderator has removed the review. Only its author learns of it. */
  readonly isRemoved: boolean;
  /** True if the review was written about an earlier ad. Absent otherwise. */
  readonly isOfEarlierAd?: true;
}

/** The part of an ad that only the page of the ad shows. The other part, which lists also show, is `AdCardRow`. */
export type AdDetailRow = RowOf<
  typeof columns,
  {
    readonly social_media: SocialMedia | null;
    readonly written_reviews: readonly StoredReview[];
  }
>;

/**
 * The columns besides the texts that an edit of an ad may change. The code does not compile if the handler of
 * `AdUpdated` omits one of these columns.
 */
type EditableColumn = keyof Omit<AdDetailRow, 'account_id' | 'ad_id' | 'written_reviews' | PageText>;

export const adDetails = defineProjection<AdDetailRow>({
  ...declaredReadModel('ad_details'),
  columns,
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
