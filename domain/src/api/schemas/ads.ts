import * as z from 'zod/mini';
import { SOCIAL_NETWORKS } from '../../contracts/social-networks.ts';
import { CATEGORIES } from '../../listing/categories.ts';
import { count, done, flag, message, nextCursor, said, time, total } from './common.ts';
import { photoView, videoView } from './media.ts';

const rating = z.number().check(z.minimum(0), z.maximum(5));

const cardFields = {
  id: z.string(),
  title: z.string(),
  name: z.string(),
  category: z.enum(CATEGORIES),
  state: said(z.string(), 'Two letters, e.g. `NV`.'),
  city: z.string(),
  location: said(z.string(), '`City, ST`, for people.'),
  price: z.nullable(z.string()),
  image: said(z.nullable(z.string()), 'The cover: the first photo.'),
  photos: said(z.array(z.string()), 'URLs; the first is the cover.'),
  images: said(z.array(z.string()), 'The same as `photos`.'),
  media: z.array(photoView),
  video: z.nullable(z.string()),
  videoMedia: z.nullable(videoView),
  verified: said(flag, 'An admin has looked at who the owner is.'),
  isOnline: said(flag, 'The owner posted, edited or bumped the ad within the last 24 hours.'),
  isFeatured: flag,
  isPremium: flag,
  isActive: flag,
  isDemo: flag,
  status: said(z.enum(['active', 'deleted', 'hidden']), '`hidden` by moderation: for its owner and staff alone.'),
  views: count,
  bumpCount: count,
  rating,
  averageRating: said(rating, 'Of all reviews, 0 without one.'),
  reviewCount: count,
  createdAt: time,
  updatedAt: time,
  lastBumpedAt: time,
};

/** An ad in a list. Public: no e-mail, phone or social link. */
export const adCard = z.object(cardFields);

export const reviewView = z.object({ name: z.string(), comment: z.string(), rating: z.int() });

const link = z.nullable(z.string());
export const socialMedia = z.object(
  Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, link])) as Record<
    (typeof SOCIAL_NETWORKS)[number],
    typeof link
  >,
);

/** One ad in full, as `GET /ads/{id}` answers it. */
export const adView = z.object({
  ...cardFields,
  description: z.string(),
  body: z.nullable(z.string()),
  phone: z.nullable(z.string()),
  socialMedia,
  reviews: z.array(reviewView),
  email: said(z.nullable(z.string()), "The owner's; null for everyone but owner and admin."),
  isOwner: said(flag, 'The asker is the owner, who may edit, bump and delete it.'),
});

export const adListAnswer = z.object({ success: done, data: z.array(adCard), nextCursor, total });

export const adCountsAnswer = z.object({
  success: done,
  data: z.object({
    total: count,
    states: z.array(z.object({ state: z.string(), count })),
    cities: z.array(z.object({ state: z.string(), city: z.string(), slug: z.string(), count })),
    categories: z.array(z.object({ category: z.enum(CATEGORIES), count })),
  }),
});

export const adAnswer = z.object({ success: done, data: adView });

const written = z.object({ id: z.string() });
export const adWriteAnswer = z.object({ success: done, message, ad: written, data: written });

export const reviewAnswer = z.object({ success: done, message, data: z.extend(reviewView, { id: z.string() }) });
