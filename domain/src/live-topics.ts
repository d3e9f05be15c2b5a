import type { z } from 'zod/mini';
import { liveSubscribe } from './api/schemas/live.ts';
import { isAdMessage, type LiveMessage, type LiveSubscribe, type LiveTopic } from './contracts/live.ts';
import { slugify } from './places/places.ts';

/** The ad or thread of a live message, with everything that decides which clients display it. */
export type LiveSubject =
  | {
      readonly accountId: string;
      /** All places and categories in which the ad was listed so far. A list also shows that an ad has left it. */
      readonly places: readonly AdPlace[];
    }
  | { readonly accountId: string; readonly country: string; readonly state: string; readonly city: string };

/** The place and category in which an ad is listed. */
export interface AdPlace {
  readonly state: string;
  readonly city: string;
  readonly category: string;
}

/** The key of the topic `all`. */
const ALL_TOPICS_KEY = 'all';

/**
 * Returns the key of a topic. A message concerns the topic if `findLiveKeys` returns this key. Returns null if the
 * topic needs a session, but `accountId` is null.
 */
export function liveTopicKeyOf(topic: LiveTopic, accountId: string | null): string | null {
  switch (topic.kind) {
    case 'all':
      return ALL_TOPICS_KEY;
    case 'ads':
      return adsKey(topic.state, topic.city, topic.category);
    case 'ad':
      return `ad|${topic.adId}`;
    case 'threads':
      return threadsKey(topic.country, topic.state, topic.city);
    case 'thread':
      return `thread|${topic.threadId}`;
    case 'own':
      return accountId === null ? null : `own|${accountId}`;
  }
}

/**
 * Returns the keys of all topics that a message concerns. Returns null if they are unknown. The message then concerns
 * every topic. This applies without a subject, and to a thread that was moved, because its earlier place is unknown.
 */
export function findLiveKeys(message: LiveMessage, subject: LiveSubject | null): readonly string[] | null {
  if (!subject) return null;
  const keys = [ALL_TOPICS_KEY, `own|${subject.accountId}`];
  if (isAdMessage(message)) {
    if (!('places' in subject) || subject.places.length === 0) return null;
    keys.push(`ad|${message.adId}`);
    for (const { state, city, category } of message.place ? [message.place, ...subject.places] : subject.places)
      for (const listed of [undefined, category])
        keys.push(adsKey(undefined, undefined, listed), adsKey(state, undefined, listed), adsKey(state, city, listed));
  } else {
    if ('places' in subject || (message.type === 'thread_changed' && message.threadPlace)) return null;
    const { country, state, city } = subject;
    keys.push(`thread|${message.threadId}`);
    keys.push(threadsKey(), threadsKey(country), threadsKey(country, state), threadsKey(country, state, city));
  }
  return [...new Set(keys)];
}

// A topic with a city but without a state stands for all places, because names of cities are not unique.
function adsKey(state: string | undefined, city: string | undefined, category: string | undefined): string {
  return `ads|${keyPart(state)}|${state === undefined ? '' : keyPart(city)}|${keyPart(category)}`;
}

function threadsKey(country?: string, state?: string, city?: string): string {
  const parts = [country, state, city];
  const end = parts.indexOf(undefined);
  return `threads|${(end === -1 ? parts : parts.slice(0, end)).map(keyPart).join('|')}`;
}

const keyPart = (text: string | undefined): string => (text === undefined ? '' : slugify(text));

/** A message of a client. It is invalid if it is null. */
export interface ParsedSubscribe {
  readonly message: LiveSubscribe | null;
  /** The `id` of the message, also if the message is invalid. Null if it contains no valid one. */
  readonly id: number | null;
}

/** Parses a text message of a client of the live channel. */
export function parseLiveSubscribe(text: string): ParsedSubscribe {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { message: null, id: null };
  }
  const parsed: z.core.util.SafeParseResult<z.output<typeof liveSubscribe>> = liveSubscribe.safeParse(value);
  if (parsed.success) return { message: parsed.data, id: parsed.data.id };
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return { message: null, id: Number.isSafeInteger(id) && (id as number) >= 0 ? (id as number) : null };
}
