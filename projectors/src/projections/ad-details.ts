import { omitUndefined, type SocialMedia } from '@alpenglow/domain';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  account_id: 'text primary key',
  ad_id: 'text not null unique',
  description: 'text not null',
  body: 'text',
  phone: 'text',
  social_media: 'jsonb',
  reviews: 'jsonb not null',
} as const;

/** The part of an ad that only the page of the ad shows. The other part, which lists also show, is `AdCardRow`. */
export type AdDetailRow = RowOf<
  typeof columns,
  {
    readonly social_media: SocialMedia | null;
    readonly reviews: readonly { readonly name: string; readonly comment: string; readonly rating: number }[];
  }
>;

/**
 * The columns that an edit of an ad may change. The code does not compile if the handler of `AdUpdated` omits one of
 * these columns.
 */
type EditableColumn = keyof Omit<AdDetailRow, 'account_id' | 'ad_id' | 'reviews'>;

export const adDetails = defineProjection<AdDetailRow>({
  name: 'ad_details',
  version: 1,
  columns,
  keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
  on: {
    AdPosted: ({ data }) => ({
      account_id: data.accountId,
      ad_id: data.adId,
      description: data.description,
      body: data.body,
      phone: data.phone,
      social_media: data.socialMedia,
      reviews: [],
    }),
    AdUpdated: ({ data }, row) => {
      if (!row) return null;
      const { description, body, phone, socialMedia } = data;
      return {
        ...row,
        ...omitUndefined({ description, body, phone, social_media: socialMedia } satisfies Record<
          EditableColumn,
          unknown
        >),
      };
    },
    AdDeleted: () => null,
    AdReviewed: ({ data }, row) => {
      if (!row) return null;
      const { name, comment, rating } = data;
      return { ...row, reviews: [...row.reviews, { name, comment, rating }] };
    },
  },
});
