import type { FollowMailMode, PostId, PostView } from '@alpenglow/domain';
import { defineReadModel, defineTally, key, optional, required } from './define-read-model.ts';

/** The number of visible threads of each country, state and city. */
export const COMMUNITY_PLACES = defineTally('community_places');

/** A thread of the community as lists show it. */
export const COMMUNITY_THREADS = defineReadModel({
  name: 'community_threads',
  version: 2,
  isShardable: true,
  tallies: [COMMUNITY_PLACES],
})({
  thread_id: 'text primary key',
  /** The code at the end of the URL of the thread. */
  code: 'text not null',
  account_id: 'text not null',
  country: 'text not null',
  state: 'text not null',
  city: 'text not null',
  title: 'text not null',
  excerpt: 'text not null',
  /** The status of the opening post. If that post is deleted while it is hidden, the status stays `hidden`. */
  status: required<PostView['status']>('text'),
  is_locked: 'boolean not null',
  is_pinned: 'boolean not null',
  /** The number of visible replies. */
  reply_count: 'integer not null',
  /**
   * The numbers of hidden replies, which `reply_count` does not include. If a hidden reply is deleted, `reply_count`
   * stays the same.
   */
  hidden_numbers: required<readonly number[]>('jsonb'),
  last_number: 'integer not null',
  started_at: 'timestamptz not null',
  last_post_at: 'timestamptz not null',
  last_account_id: 'text not null',
  /**
   * A sort key that puts recently active threads first. The key is the logarithm of a sum over all posts, in which
   * newer posts count more. The key does not depend on the current time, so it changes only with a new post.
   */
  activity: 'double precision not null',
  updated_at: 'timestamptz not null',
});

/**
 * A post of a thread in the community. The text of a hidden post is stored for moderators. Code that reads the text for
 * other people must therefore check `status`.
 */
export const COMMUNITY_POSTS = defineReadModel({ name: 'community_posts', version: 2 })({
  post_id: key<PostId>('text'),
  thread_id: 'text not null',
  number: 'integer not null',
  account_id: 'text not null',
  /** Null for replies, because only the opening post of a thread has a title. */
  title: 'text',
  /** The text of the post in Markdown. */
  body: 'text not null',
  html: 'text not null',
  excerpt: 'text not null',
  /** The words for the search. Empty if the post is not visible, so that no search finds it. */
  words: 'tsvector not null',
  fingerprint: 'text not null',
  status: required<PostView['status']>('text'),
  hidden_by: optional<'moderator' | 'report'>('text'),
  hidden_reason: 'text',
  hidden_at: 'timestamptz',
  quoted_number: 'integer',
  posted_at: 'timestamptz not null',
  edited_at: 'timestamptz',
  helpful_count: 'integer not null',
  /** Earlier texts of the post, the oldest first. */
  history: required<readonly { readonly at: string; readonly body: string }[]>('jsonb'),
});

/** One row for each thread that an account follows. `mail` is how often the account receives mails about the thread. */
export const THREAD_FOLLOWS = defineReadModel({ name: 'thread_follows', version: 1, isShardable: true })({
  /** The account id and the thread id, separated by a slash. */
  follow_id: 'text primary key',
  account_id: 'text not null',
  thread_id: 'text not null',
  mail: required<FollowMailMode>('text'),
  followed_at: 'timestamptz not null',
});

/**
 * One row for each post that an account has marked as helpful. The rows are used only to show users their own marks.
 */
export const HELPFUL_MARKS = defineReadModel({ name: 'helpful_marks', version: 2, isShardable: true })({
  /** The account id and the post id, separated by a slash. */
  mark_id: 'text primary key',
  marked_at: 'timestamptz not null',
});
