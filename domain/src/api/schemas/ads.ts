import * as z from 'zod/mini';
import { registerResponseSchema, registerView } from '../component.ts';
import { SOCIAL_NETWORKS } from '../../contracts/social-networks.ts';
import {
  count,
  booleanFlag,
  message,
  nextCursor,
  described,
  timestamp,
  total,
  category,
  registerSuccess,
} from './common.ts';
import { photoView, videoView } from './media.ts';

const rating = z.number().check(z.minimum(0), z.maximum(5));

const cardFields = {
  id: z.string(),
  title: z.string(),
  name: z.string(),
  category,
  state: described(z.string(), 'Two letters, e.g. `NV`.'),
  city: z.string(),
  location: described(z.string(), '`City, ST`, for display.'),
  price: z.nullable(z.string()),
  image: described(z.nullable(z.string()), 'The cover, which is the first photo.'),
  photos: described(z.array(z.string()), 'URLs; the first is the cover.'),
  images: described(z.array(z.string()), 'The same as `photos`.'),
  media: z.array(photoView),
  video: z.nullable(z.string()),
  videoMedia: z.nullable(videoView),
  verified: described(booleanFlag, 'An admin has verified the identity of the owner.'),
  isOnline: described(booleanFlag, 'The owner posted, edited or bumped the ad within the last 24 hours.'),
  isFeatured: booleanFlag,
  isPremium: booleanFlag,
  isActive: booleanFlag,
  isDemo: booleanFlag,
  status: described(
    z.enum(['active', 'deleted', 'hidden']),
    '`hidden` by moderation: only the owner and staff see the ad.',
  ),
  views: count,
  bumpCount: count,
  rating,
  averageRating: described(rating, 'The mean of all reviews, 0 without reviews.'),
  reviewCount: count,
  createdAt: timestamp,
  updatedAt: timestamp,
  lastBumpedAt: timestamp,
};

/** An ad in a list. It is public, so it contains no e-mail address, phone number or social link. */
export const adCard = registerView('AdCard', cardFields);

const reviewView = registerView('ReviewView', { name: z.string(), comment: z.string(), rating: z.int() });

const link = z.nullable(z.string());
export const socialMedia = registerResponseSchema(
  'SocialMedia',
  z.object(
    Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, link])) as Record<
      (typeof SOCIAL_NETWORKS)[number],
      typeof link
    >,
  ),
);

/** One ad in full, as `GET /ads/{id}` returns it. */
export const adView = registerView('AdView', {
  ...cardFields,
  description: z.string(),
  body: z.nullable(z.string()),
  phone: z.nullable(z.string()),
  socialMedia,
  reviews: z.array(reviewView),
  email: described(z.nullable(z.string()), 'The e-mail address of the owner. Null except for the owner and admins.'),
  isOwner: described(booleanFlag, 'The requester is the owner, who may edit, bump and delete the ad.'),
});

export const adListResponse = registerSuccess('AdListAnswer', { data: z.array(adCard), nextCursor, total });

export const adCountsResponse = registerSuccess('AdCountsAnswer', {
  data: z.object({
    total: count,
    states: z.array(z.object({ state: z.string(), count })),
    cities: z.array(z.object({ state: z.string(), city: z.string(), slug: z.string(), count })),
    categories: z.array(z.object({ category, count })),
  }),
});

export const adResponse = registerSuccess('AdAnswer', { data: adView });

const written = z.object({ id: z.string() });
export const adWriteResponse = registerSuccess('AdWriteAnswer', { message, ad: written, data: written });

export const reviewResponse = registerSuccess('ReviewAnswer', {
  message,
  data: z.extend(reviewView, { id: z.string() }),
});
