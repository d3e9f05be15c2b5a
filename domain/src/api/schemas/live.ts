import * as z from 'zod/mini';
import { registerResponseSchema, registerSharedSchema, registerView } from '../component.ts';
import { AD_LIVE_TYPES, LIVE_REJECTIONS, LIVE_TOPICS_MAX, THREAD_LIVE_TYPES } from '../../contracts/live-types.ts';
import { count, described, timestamp } from './common.ts';

const seq = described(
  z.string(),
  'Opaque token of the position of the event. Send it as `since` to resume without a gap.',
);

/** A message of the live channel about a change of an ad. */
export const adLiveMessage = registerView('AdLiveMessage', {
  seq,
  type: z.enum(AD_LIVE_TYPES),
  adId: z.string(),
  // The place and category in which the ad is listed. Null for types of messages that do not contain them.
  place: z.nullable(z.object({ state: z.string(), city: z.string(), category: z.string() })),
  // True if a hidden ad is public again. Lists add it like a new ad, but it is not a new ad.
  isRestored: z.boolean(),
  at: timestamp,
});

/**
 * A message of the live channel about a change in the community: a new thread, a new reply, or another change of a
 * thread.
 */
export const threadLiveMessage = registerView('ThreadLiveMessage', {
  seq,
  type: z.enum(THREAD_LIVE_TYPES),
  threadId: z.string(),
  // Number of the post. Null if the change concerns the whole thread.
  number: z.nullable(count),
  // The place in which the thread was started, or to which it was moved. Null for any other change.
  threadPlace: z.nullable(z.object({ country: z.string(), state: z.string(), city: z.string() })),
  at: timestamp,
});

/** A message of the live channel, which sends changes to browsers. The message contains only public data. */
export const liveMessage = registerResponseSchema('LiveMessage', z.union([adLiveMessage, threadLiveMessage]));

const topicText = z.string().check(z.minLength(1), z.maxLength(64));
const topicTextOrAbsent = z.optional(topicText);

/** A kind of content that a page displays. The client receives the messages about this content. */
export const liveTopic = registerSharedSchema(
  'LiveTopic',
  z.discriminatedUnion('kind', [
    /** All messages. */
    z.strictObject({ kind: z.literal('all') }),
    /** The ads of a place and category. An omitted property stands for all places or categories. */
    z.strictObject({
      kind: z.literal('ads'),
      state: topicTextOrAbsent,
      city: topicTextOrAbsent,
      category: topicTextOrAbsent,
    }),
    z.strictObject({ kind: z.literal('ad'), adId: topicText }),
    /** The threads of a place. */
    z.strictObject({
      kind: z.literal('threads'),
      country: topicTextOrAbsent,
      state: topicTextOrAbsent,
      city: topicTextOrAbsent,
    }),
    z.strictObject({ kind: z.literal('thread'), threadId: topicText }),
    /** The ads and threads of the signed-in user. The server takes the account from the session. */
    z.strictObject({ kind: z.literal('own') }),
  ]),
);

/** The message with which a client replaces the topics of its connection. */
export const liveSubscribe = registerSharedSchema(
  'LiveSubscribe',
  z.strictObject({
    type: z.literal('subscribe'),
    /** The reply contains this number. */
    id: z.int().check(z.nonnegative()),
    topics: z.array(liveTopic).check(z.maxLength(LIVE_TOPICS_MAX)),
    /** Tokens of the positions up to which the client knows its topics. The reply names those that changed later. */
    since: z.optional(z.nullable(z.string().check(z.maxLength(1_000)))),
  }),
);

/** The reply to a subscription. From then on, the client receives the messages of its topics. */
export const liveSubscribed = registerView('LiveSubscribed', {
  type: z.literal('subscribed'),
  id: count,
  /** The position from which the client can resume. Null if the `seq` of the last message is still valid. */
  seq: z.nullable(seq),
  /** Indexes of the topics that may have changed after `since`. The client loads their data again. */
  missed: z.array(count),
});

/** The reply to a message that is invalid. The topics of the connection stay the same. */
export const liveRejected = registerView('LiveRejected', {
  type: z.literal('rejected'),
  /** The `id` of the rejected message. Null if the message contains no valid one. */
  id: z.nullable(count),
  reason: z.enum(LIVE_REJECTIONS),
});

/** The position from which a client with topics can resume, although no message of its topics was sent lately. */
export const livePosition = registerView('LivePosition', { type: z.literal('position'), seq });

/** Everything that the server sends. A client that never subscribes receives only messages about changes. */
export const liveChannelMessage = registerResponseSchema(
  'LiveChannelMessage',
  z.union([liveMessage, liveSubscribed, liveRejected, livePosition]),
);
