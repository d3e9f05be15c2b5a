import { EMPTY_OPTIONAL_FIELDS } from '../../src/listing/ad-fields.ts';
import type { ListingEvent } from '../../src/listing/events.ts';

type AdPosted = Extract<ListingEvent, { readonly type: 'AdPosted' }>;

/** The fields of the form of an ad in Reno. */
export const AD_FIELDS = {
  name: 'Anna',
  title: 'Calm',
  category: 'escort',
  state: 'NV',
  city: 'Reno',
  description: 'Calm.',
  ...EMPTY_OPTIONAL_FIELDS,
} as const;

/** Returns the event of an ad of the account `anna` in Reno, without photos by default. */
export function adPosted(fields: Partial<AdPosted['data']> = {}): AdPosted {
  return {
    type: 'AdPosted',
    data: {
      accountId: 'anna',
      adId: 'a1',
      clientId: null,
      ...AD_FIELDS,
      photos: [],
      video: null,
      isDemo: false,
      ...fields,
    },
  };
}
