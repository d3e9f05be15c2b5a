import * as z from 'zod/mini';
import { registerResponseSchema, registerView } from '../component.ts';
import { CARD_TEXTS, PAGE_TEXTS, storedSchemas, type CardText, type PageText } from '../../listing/ad-fields.ts';
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

const { title, name, price, ...otherCardTexts } = storedSchemas(CARD_TEXTS);
const pageTexts = storedSchemas(PAGE_TEXTS);

const cardFields = {
  id: z.string(),
  title,
  slug: described(z.string(), 'The words of the title in the address of the ad, without contact details.'),
  name,
  age: described(z.nullable(z.int()), 'The age of the owner in years.'),
  category,
  state: described(z.string(), 'Two letters, e.g. `NV`.'),
  city: z.string(),
  location: described(z.string(), '`City, ST`, for display.'),
  price,
  ...otherCardTexts,
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

/** The summary of an ad. It is public, so it contains no e-mail address, phone number or social link. */
export const adCard = registerView('AdCard', cardFields);

export const reviewView = registerView('ReviewView', {
  id: z.string(),
  name: described(z.string(), 'Empty after the author was erased.'),
  comment: z.string(),
  rating: z.int(),
  createdAt: timestamp,
  editedAt: described(z.nullable(timestamp), 'When the author last edited it.'),
  isOfEarlierAd: described(booleanFlag, 'Written about an earlier ad of the owner, which this ad continues.'),
});

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

const reviews = z.array(reviewView);

const inFull = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([field, schema]) => [
      field,
      described(z.optional(schema), 'Left out with `details=false`.'),
    ]),
  ) as { readonly [Name in keyof Shape]: z.ZodMiniOptional<Shape[Name]> };

/** An ad in a list of ads: everything that is public except contact details. */
export const adEntry = registerView('AdEntry', {
  ...cardFields,
  ...inFull({ ...pageTexts, reviews }),
});

/** One ad in full, as `GET /ads/{id}` returns it. */
export const adView = registerView('AdView', {
  ...cardFields,
  ...pageTexts,
  phone: described(z.nullable(z.string()), 'Only in the response to the owner and admins, as are the links.'),
  phoneDisplay: described(z.nullable(z.string()), 'The phone number in the format for display.'),
  socialMedia,
  hasContact: described(booleanFlag, 'The ad has a phone number or links, or contact details in its texts.'),
  contactToken: described(
    z.nullable(z.string()),
    'Returns them with `POST /ads/{id}/contact`. Null if there are none, or if this response has them.',
  ),
  reviews,
  ownReview: described(
    z.nullable(z.object({ id: z.string(), isRemoved: booleanFlag, hasContactDetails: booleanFlag })),
    'The review of the requester. `isRemoved`: by a moderator, so there cannot be another one. `hasContactDetails`: ' +
      'others see marks instead of contact details in it.',
  ),
  email: described(z.nullable(z.string()), 'The e-mail address of the owner. Null except for the owner and admins.'),
  isOwner: described(booleanFlag, 'The requester is the owner, who may edit, bump and delete the ad.'),
});

/** The names of all texts that visitors read. */
const VISIBLE_TEXTS = [...CARD_TEXTS, ...PAGE_TEXTS];
const completeTexts = z.object({ ...storedSchemas(VISIBLE_TEXTS), reviews });

/** The ways to contact the owner of an ad. They are in no other response to visitors. */
export const contactDetails = registerView('ContactDetails', {
  phone: described(z.nullable(z.string()), 'In the format E.164, for links.'),
  phoneDisplay: described(
    z.nullable(z.string()),
    'As people of its country write it: `(702) 555-0142`, `+41 79 123 45 67`.',
  ),
  socialMedia,
  texts: described(
    completeTexts,
    'The texts of the ad. In all other responses, contact details are removed from them.',
  ),
});

const text = z.nullable(z.string());
const previewTexts = Object.fromEntries(VISIBLE_TEXTS.map((field) => [field, text])) as Record<
  CardText | PageText,
  typeof text
>;

export const adPreviewResponse = registerSuccess('AdPreviewAnswer', {
  data: z.object({
    texts: described(z.object(previewTexts), 'The texts with a mark instead of each contact detail.'),
    hidden: described(count, 'The number of contact details in the texts.'),
  }),
});

const searchMatches = z.object({
  words: described(z.array(z.string()), 'Beginnings of the matching words, in lower case, without accents.'),
  excerpts: described(
    z.array(z.object({ id: z.string(), text: z.string() })),
    'The matching passage of the description, for ads that do not match otherwise.',
  ),
});

export const adListResponse = registerSuccess('AdListAnswer', {
  message,
  data: z.array(adEntry),
  nextCursor,
  total,
  search: described(z.nullable(searchMatches), 'What to highlight. Null without `q`.'),
});

export const adCountsResponse = registerSuccess('AdCountsAnswer', {
  message,
  data: z.object({
    total: count,
    states: z.array(z.object({ state: z.string(), count })),
    cities: z.array(z.object({ state: z.string(), city: z.string(), slug: z.string(), count })),
    categories: z.array(z.object({ category, count })),
    matching: described(
      z.nullable(z.object({ total: count, categories: z.array(z.object({ category, count })) })),
      'The numbers of ads that match all filters, in all categories and in each one. Null if counting takes too long.',
    ),
  }),
});

export const adResponse = registerSuccess('AdAnswer', { message, data: adView });

export const contactResponse = registerSuccess('ContactAnswer', { message, data: contactDetails });

const written = z.object({ id: z.string() });
export const adWriteResponse = registerSuccess('AdWriteAnswer', { message, ad: written, data: written });

export const reviewResponse = registerSuccess('ReviewAnswer', { message, data: reviewView });

export const reviewDeletedResponse = registerSuccess('ReviewDeletedAnswer', { message, data: written });
