import { ARIZONA } from './threads/arizona.ts';
import { CALIFORNIA } from './threads/california.ts';
import { FLORIDA } from './threads/florida.ts';
import { ILLINOIS } from './threads/illinois.ts';
import { NEVADA } from './threads/nevada.ts';
import { NEW_YORK } from './threads/new-york.ts';
import { TEXAS } from './threads/texas.ts';
import type { ReplyText, ThreadText } from './threads/thread-text.ts';

/** A demo thread of the community with its replies in their order. Texts are Markdown. */
export interface DemoThread extends Pick<ThreadText, 'city' | 'author' | 'title' | 'body'> {
  readonly key: string;
  readonly country: 'us';
  readonly state: string;
  /** Age of the opening post at the time of seeding. */
  readonly age_ms: number;
  readonly isPinned: boolean;
  readonly replies: readonly DemoReply[];
}

export interface DemoReply {
  readonly body: string;
  readonly author: number;
  readonly age_ms: number;
  /**
   * Index of the earlier reply that this reply quotes. It is -1 for the opening post, and null if the reply quotes no
   * post.
   */
  readonly quotes: number | null;
  /**
   * The numbers of demo ads. The accounts that posted these ads marked the reply as helpful. The author of the reply is
   * never one of them.
   */
  readonly helpfulBy: readonly number[];
}

const BY_STATE: Readonly<Record<string, readonly ThreadText[]>> = {
  CA: CALIFORNIA,
  NV: NEVADA,
  NY: NEW_YORK,
  AZ: ARIZONA,
  FL: FLORIDA,
  TX: TEXAS,
  IL: ILLINOIS,
};

const HOUR_ms = 60 * 60_000;
const DAY_ms = 24 * HOUR_ms;

/**
 * Returns the initial threads of the community. Some cities have several threads, and most have none. Every call
 * returns the same threads.
 */
export function demoThreads(): readonly DemoThread[] {
  return Object.entries(BY_STATE).flatMap(([state, threads]) =>
    threads.map((thread, index) => demoThread(state, thread, index)),
  );
}

function demoThread(state: string, { daysAgo, isPinned, replies, ...content }: ThreadText, index: number): DemoThread {
  const age_ms = Math.round(daysAgo * DAY_ms);
  const key = `${state.toLowerCase()}-${index + 1}`;
  return {
    ...content,
    key,
    country: 'us',
    state,
    age_ms,
    isPinned: isPinned ?? false,
    replies: demoReplies(replies, age_ms),
  };
}

function demoReplies(replies: readonly ReplyText[], threadAge_ms: number): readonly DemoReply[] {
  let age_ms = threadAge_ms;
  return replies.map(({ author, hoursLater, quotes = null, helpfulBy = [], body }) => {
    age_ms -= Math.round(hoursLater * HOUR_ms);
    return { body, author, age_ms, quotes, helpfulBy };
  });
}
