import { START_POSITION, type FeedMessage, type LogMark, type Position } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { encode, type EncodedMessage } from './encode.ts';
import type { LiveKeys } from './live-subjects.ts';
import { createTopicPositions } from './topic-index.ts';

/** The maximum number of messages in memory, and of the events that a client receives from the event store. */
export const REPLAY_LIMIT = 1_000;

export type PublishedMessages = ReturnType<typeof createPublishedMessages>;

/**
 * Owns the record of what this process has published: the position up to which messages are published (the head),
 * the last messages, and the last position of each topic. Invariant: the messages in memory are all messages after
 * `memoryStart` up to `head`, the oldest first.
 */
export function createPublishedMessages({ positionTokens }: Dependencies<'positionTokens'>) {
  const recent: EncodedMessage[] = [];
  let recentAfter: Position = START_POSITION;
  /** The position in the event log up to which messages are published. Null until the feed has started. */
  let publishedUpTo: Position | null = null;
  /** The last event up to which messages are published and whose id is known. */
  let lastEvent: LogMark | null = null;
  const topicPositions = createTopicPositions(START_POSITION);
  /** The last token of `sealHead`, and its position. Thousands of clients that connect at once share it. */
  let sealed: LogMark & { readonly token: string } = { position: START_POSITION, id: null, token: '' };

  /** Returns the id of a message in memory. Returns null if it is unknown. */
  function findRecentId(position: Position): string | null {
    const entry = recent.findLast((one) => one.position <= position);
    return entry?.position === position ? entry.id : null;
  }

  return {
    head: (): Position | null => publishedUpTo,
    lastEvent: (): LogMark | null => lastEvent,
    memoryStart: (): Position => recentAfter,
    /** The messages in memory. The list changes with the next message. */
    inMemory: (): readonly EncodedMessage[] => recent,
    /** Adds the next message, which then is the head. Returns null if it was already published. */
    add(live: FeedMessage, keys: LiveKeys): EncodedMessage | null {
      if (publishedUpTo !== null && (live.seq as Position) <= publishedUpTo) return null;
      const entry = encode(live, keys, positionTokens);
      recent.push(entry);
      if (recent.length > REPLAY_LIMIT) recentAfter = recent.shift()?.position ?? recentAfter;
      topicPositions.record(keys, entry.position);
      publishedUpTo = entry.position;
      return entry;
    },
    /** Moves the head to the end of a batch, whose last events may have no message. */
    advance(through: Position, throughId: string | null): void {
      if (publishedUpTo === null || through > publishedUpTo) publishedUpTo = through;
      if (throughId !== null && through === publishedUpTo) lastEvent = { position: through, id: throughId };
    },
    /** Forgets all messages after a gap in the feed. The next message is after this position. */
    restartAt(after: Position): void {
      recent.length = 0;
      recentAfter = publishedUpTo = after;
      topicPositions.restartAt(after);
    },
    /** Forgets everything, because the event log was replaced. The feed then starts again. */
    clear(): void {
      recent.length = 0;
      recentAfter = START_POSITION;
      publishedUpTo = lastEvent = null;
      topicPositions.restartAt(START_POSITION);
    },
    /** Returns true if this process has published the event, so that the event store need not be read. */
    contains({ position, id }: LogMark): boolean {
      if (lastEvent?.position === position) return lastEvent.id === id;
      const entry = recent.findLast((one) => one.position <= position);
      return entry?.position === position && entry.id === id;
    },
    /** Returns true if the topic has a message after `since`, or if this is unknown. */
    hasChanged: topicPositions.hasChanged,
    /** Returns a token of the head, with the id of its event if it is known. */
    sealHead(): string {
      const position = publishedUpTo ?? START_POSITION;
      const id = lastEvent?.position === position ? lastEvent.id : findRecentId(position);
      if (sealed.position !== position || sealed.id !== id)
        sealed = { position, id, token: positionTokens.seal(position, id) };
      return sealed.token;
    },
  };
}
