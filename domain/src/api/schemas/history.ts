import * as z from 'zod/mini';
import { AD_TEXTS, storedSchemas } from '../../listing/ad-fields.ts';
import { registerFields, registerSharedObject, registerView } from '../component.ts';
import { socialMedia } from './ads.ts';
import {
  accountNames,
  count,
  booleanFlag,
  nextCursor,
  described,
  timestamp,
  category,
  registerSuccess,
} from './common.ts';

/** Schemas of the histories of ads, accounts and threads, as shown to staff. */

const leaf = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** A changed field with its values before and after the change. */
export const changeView = registerView('ChangeView', {
  field: described(
    z.string(),
    'Nested fields are separated by dots. An entry of a list is named by its id: ' +
      '`socialMedia.website`, `reviews.r1.rating`.',
  ),
  before: leaf,
  after: leaf,
});

export const actorView = registerSharedObject('NamedActorView', {
  kind: z.enum(['account', 'system']),
  id: described(z.string(), 'The id of the account, or the name of the part of the system.'),
  name: described(z.nullable(z.string()), 'Display name. Null for a part of the system and for a former member.'),
});

/** An event in the history of an ad, an account or a thread, with the fields that it changed. */
export const historyEntryView = registerView('HistoryEntryView', {
  id: z.string(),
  type: described(z.string(), 'The event type, such as `AdBumped`.'),
  revision: described(count, 'Number in the stream, starting with 0.'),
  position: described(z.string(), 'Position in the event log.'),
  at: timestamp,
  actor: actorView,
  correlationId: described(
    z.string(),
    'The `X-Request-Id` of the request that caused the event directly or indirectly.',
  ),
  causationId: described(z.nullable(z.string()), 'The id of the event that caused this one.'),
  changes: z.array(changeView),
  details: described(
    z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) })),
    'Other data of the event, such as the reason of an admin.',
  ),
});

export const historyResponse = registerSuccess('HistoryAnswer', {
  data: z.array(historyEntryView),
  nextCursor,
  names: accountNames,
});

const reviewAsOf = z.object({ id: z.string(), name: z.string(), comment: z.string(), rating: z.int(), at: timestamp });

const { title, name, ...otherTexts } = storedSchemas(AD_TEXTS);

/** The complete state of an ad at one moment. */
export const adSnapshotView = registerView('AdAsOfView', {
  status: described(z.enum(['active', 'hidden', 'deleted']), '`hidden`: a moderation case hides the ad.'),
  title,
  name,
  category,
  state: z.string(),
  city: z.string(),
  ...otherTexts,
  socialMedia: z.nullable(socialMedia),
  photos: described(z.array(z.string()), 'Media ids, the cover first.'),
  video: described(z.nullable(z.string()), 'A media id.'),
  isDemo: booleanFlag,
  isFeatured: booleanFlag,
  bumpCount: count,
  lastBumpedAt: timestamp,
  rating: described(z.number(), 'The mean of the reviews, 0 without reviews.'),
  reviewCount: count,
  reviews: z.array(reviewAsOf),
  postedAt: timestamp,
  updatedAt: described(timestamp, 'When the owner last posted, edited or bumped the ad.'),
  deletedAt: z.nullable(timestamp),
  isErased: described(booleanFlag, 'The owner was erased, and the texts are deleted permanently.'),
});

/** The state of an account at one moment. */
export const accountSnapshotView = registerView('AccountAsOfView', {
  status: z.enum(['open', 'closed']),
  email: z.string(),
  displayName: z.string(),
  userType: z.enum(['client', 'provider']),
  age: count,
  isEmailVerified: booleanFlag,
  isVerified: booleanFlag,
  role: z.nullable(z.enum(['admin', 'moderator'])),
  hasTwoStep: described(booleanFlag, 'Two-step sign-in is on.'),
  hasOpenCode: described(booleanFlag, 'A verification code was mailed and has not been used.'),
  hasOpenReset: described(booleanFlag, 'A password reset code was mailed and has not been used.'),
  passwordChanges: count,
  repeatOf: described(z.nullable(z.string()), 'The account that this stand-in account repeats, or null.'),
  registeredAt: timestamp,
  closedAt: z.nullable(timestamp),
  isErased: booleanFlag,
});

const postAsOf = z.object({
  number: count,
  accountId: z.string(),
  status: z.enum(['visible', 'hidden', 'deleted']),
  body: described(z.string(), 'Markdown.'),
  quotedNumber: z.nullable(count),
  postedAt: timestamp,
  editedAt: z.nullable(timestamp),
});

/** The state of a thread at one moment, with some of its posts. */
export const threadSnapshotView = registerView('ThreadAsOfView', {
  title: z.string(),
  country: z.string(),
  state: z.string(),
  city: z.string(),
  accountId: described(z.string(), 'The account that started the thread.'),
  isLocked: booleanFlag,
  isPinned: booleanFlag,
  isHidden: booleanFlag,
  postCount: described(count, 'Includes hidden and deleted posts.'),
  startedAt: timestamp,
  posts: described(z.array(postAsOf), 'At most 50 posts, starting with the one requested by `post`.'),
});

/** The time of a snapshot, the times of the adjacent events in the history, and the changes since another snapshot. */
const moment = registerFields('SnapshotFields', {
  id: z.string(),
  at: described(timestamp, 'The time of the snapshot.'),
  revision: described(z.nullable(count), 'Revision of the last event up to then. Null before the first event.'),
  previousAt: described(
    z.nullable(timestamp),
    'Time of the event before the last included one. Null at the first event.',
  ),
  nextAt: described(z.nullable(timestamp), 'Time of the next event. Null at the last event.'),
  firstAt: timestamp,
  lastAt: timestamp,
  events: described(count, 'Total number of events.'),
  difference: described(
    z.nullable(z.array(changeView)),
    'The differences from the snapshot at `and`. Null if `and` was not requested.',
  ),
});

export const adSnapshotResponse = registerSuccess('AdAsOfAnswer', {
  data: registerSharedObject('AdSnapshotView', {
    ownerId: z.string(),
    ...moment,
    ad: described(z.nullable(adSnapshotView), 'Null before the ad was posted.'),
  }),
});
export const accountSnapshotResponse = registerSuccess('AccountAsOfAnswer', {
  data: registerSharedObject('AccountSnapshotView', {
    ...moment,
    account: described(z.nullable(accountSnapshotView), 'Null before the registration.'),
  }),
});
export const threadSnapshotResponse = registerSuccess('ThreadAsOfAnswer', {
  data: registerSharedObject('ThreadSnapshotView', {
    ...moment,
    thread: described(z.nullable(threadSnapshotView), 'Null before the thread was started.'),
  }),
});

const standingView = z.object({
  rank: described(count, 'Rank in the list, starting with 1.'),
  adId: z.string(),
  title: described(z.nullable(z.string()), 'The current title. Null if the ad no longer exists.'),
  isFeatured: booleanFlag,
  lastBumpedAt: described(
    timestamp,
    'The sort key of the list, the latest first. Ads with the same time are sorted by id, the highest first.',
  ),
});

/** An explanation of the rank of an ad in the list of its city and category. */
export const adRankResponse = registerSuccess('AdRankAnswer', {
  data: z.object({
    id: z.string(),
    at: timestamp,
    status: described(
      z.enum(['listed', 'hidden', 'deleted', 'not_posted', 'withheld']),
      'Only a `listed` ad has a rank. `withheld`: the configuration excludes the ad from all lists.',
    ),
    state: z.nullable(z.string()),
    city: z.nullable(z.string()),
    category: z.nullable(z.string()),
    rank: z.nullable(count),
    total: described(count, 'Number of ads in the list.'),
    standings: described(z.array(standingView), 'The ad with up to three ads above and below it.'),
    because: described(
      z.nullable(z.object({ eventId: z.string(), type: z.string(), revision: count, at: timestamp })),
      'The event that determined the rank: the ad was posted or bumped. Editing does not change the rank.',
    ),
  }),
});
