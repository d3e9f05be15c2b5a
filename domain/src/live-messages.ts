import type { LiveMessage } from './contracts/live.ts';
import { toReadableEvent, type DomainEventType } from './events.ts';
import type { RecordedEvent } from './ports/event-store.ts';
import type { FeedMessage } from './ports/live-feed.ts';

/** The types of events that the live channel sends to browsers. `toLiveMessage` converts these events to messages. */
export const LIVE_EVENT_TYPES = [
  'AdPosted',
  'AdUpdated',
  'AdBumped',
  'AdDeleted',
  'AdHidden',
  'AdRestored',
  'ThreadStarted',
  'ReplyPosted',
  'PostEdited',
  'PostDeleted',
  'PostHidden',
  'PostRestored',
  'ThreadLocked',
  'ThreadUnlocked',
  'ThreadPinned',
  'ThreadUnpinned',
  'ThreadMoved',
] as const satisfies readonly DomainEventType[];

/** Converts an event to a message with the id of its event. Returns null or throws as `toLiveMessage` does. */
export function toFeedMessage(recorded: RecordedEvent): FeedMessage | null {
  const message = toLiveMessage(recorded);
  if (message === null) return null;
  const { traceparent } = recorded.meta;
  return { ...message, eventId: recorded.id, ...(traceparent !== undefined && { traceparent }) };
}

/**
 * Converts an event to a public message of the live channel. Returns null if the live channel does not send events of
 * this type. Messages contain no personal fields, so events whose personal fields cannot be decrypted are sent, too.
 * Throws if the stored data matches no known version.
 */
export function toLiveMessage(recorded: RecordedEvent): LiveMessage | null {
  const event = toReadableEvent(recorded);
  if (!event) return null;
  const base = { seq: event.position, at: event.meta.at };
  switch (event.type) {
    case 'AdPosted': {
      const { adId, state, city, category } = event.data;
      return { ...base, type: 'ad_created', adId, place: { state, city, category }, isRestored: false };
    }
    case 'AdUpdated':
      return { ...base, type: 'ad_updated', adId: event.data.adId, place: null, isRestored: false };
    case 'AdBumped':
      return { ...base, type: 'ad_bumped', adId: event.data.adId, place: null, isRestored: false };
    case 'AdDeleted':
    case 'AdHidden':
      return { ...base, type: 'ad_deleted', adId: event.data.adId, place: null, isRestored: false };
    case 'AdRestored':
      // A restored ad is not a new ad. Clients add it to their lists without a notification about a new ad.
      return { ...base, type: 'ad_updated', adId: event.data.adId, place: null, isRestored: true };
    case 'ThreadStarted': {
      const { threadId, country, state, city } = event.data;
      return { ...base, type: 'thread_started', threadId, number: 0, threadPlace: { country, state, city } };
    }
    case 'ReplyPosted':
      return {
        ...base,
        type: 'reply_posted',
        threadId: event.data.threadId,
        number: event.data.number,
        threadPlace: null,
      };
    case 'PostEdited':
    case 'PostDeleted':
    case 'PostHidden':
    case 'PostRestored':
      return {
        ...base,
        type: 'thread_changed',
        threadId: event.data.threadId,
        number: event.data.number,
        threadPlace: null,
      };
    case 'ThreadLocked':
    case 'ThreadUnlocked':
    case 'ThreadPinned':
    case 'ThreadUnpinned':
      return { ...base, type: 'thread_changed', threadId: event.data.threadId, number: null, threadPlace: null };
    case 'ThreadMoved': {
      const { threadId, country, state, city } = event.data;
      return { ...base, type: 'thread_changed', threadId, number: null, threadPlace: { country, state, city } };
    }
    default:
      return null;
  }
}
