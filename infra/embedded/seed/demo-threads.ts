import { ARIZONA } from './threads/arizona.ts';
import { CALIFORNIA } from './threads/california.ts';
import { FLORIDA } from './threads/florida.ts';
import { ILLINOIS } from './threads/illinois.ts';
import { NEVADA } from './threads/nevada.ts';
import { NEW_YORK } from './threads/new-york.ts';
import { TEXAS } from './threads/texas.ts';
import type { ReplyText, ThreadText } from './threads/thread-text.ts';

/** A demo thread of the community with its replies in the order in which they were posted. Texts are Markdown. */
export interface DemoThread {
  readonly key: string;
  readonly country: 'us';
  readonly state: string;
  readonly city: string;
  readonly title: string;
  readonly body: string;
  /** The number of the demo ad whose poster wrote it. */
  readonly author: number;
  /** How long before the seeding it was posted, in ms. */
  readonly age_ms: number;
  readonly isPinned: boolean;
  readonly replies: readonly DemoReply[];
}

export interface DemoReply {
  readonly body: string;
  readonly author: number;
  readonly age_ms: number;
  /** The index of the earlier reply it answers to, -1 for the opening post, or null. */
  readonly quotes: number | null;
  /** Numbers of demo ads whose posters found it helpful; never its author's. */
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

/** Threads to begin the community with: some cities have several, most have none. The same on every run. */
export function demoThreads(): readonly DemoThread[] {
  return Object.entries(BY_STATE).flatMap(([state, threads]) =>
    threads.map((thread, index) => demoThread(state, thread, index)),
  );
}

function demoThread(
  state: string,
  { city, by, daysAgo, isPinned, title, body, replies }: ThreadText,
  index: number,
): DemoThread {
  const age_ms = Math.round(daysAgo * DAY_ms);
  return {
    key: `${state.toLowerCase()}-${index + 1}`,
    country: 'us',
    state,
    city,
    title,
    body,
    author: by,
    age_ms,
    isPinned: isPinned ?? false,
    replies: demoReplies(replies, age_ms),
  };
}

function demoReplies(replies: readonly ReplyText[], opened_ms: number): readonly DemoReply[] {
  let age_ms = opened_ms;
  return replies.map(({ by, hoursLater, quotes = null, helpfulBy = [], body }) => {
    age_ms -= Math.round(hoursLater * HOUR_ms);
    return { body, author: by, age_ms, quotes, helpfulBy };
  });
}
