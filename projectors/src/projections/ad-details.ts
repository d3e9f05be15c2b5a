import { definedOnly, type SocialMedia } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** What an ad's own page shows beyond its card. */
export type AdDetailRow = {
  readonly account_id: string;
  readonly ad_id: string;
  readonly description: string;
  readonly body: string | null;
  readonly phone: string | null;
  readonly social_media: SocialMedia | null;
  readonly reviews: readonly { readonly name: string; readonly comment: string; readonly rating: number }[];
};

/** Columns an edit may change: forgetting one in `AdUpdated` does not compile. */
type EditableColumn = keyof Omit<AdDetailRow, 'account_id' | 'ad_id' | 'reviews'>;

export const adDetails = defineProjection<AdDetailRow>({
  name: 'ad_details',
  version: 1,
  columns: {
    account_id: 'text primary key',
    ad_id: 'text not null unique',
    description: 'text not null',
    body: 'text',
    phone: 'text',
    social_media: 'jsonb',
    reviews: 'jsonb not null',
  },
  indexes: () => [],
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
        ...definedOnly({ description, body, phone, social_media: socialMedia } satisfies Record<
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
