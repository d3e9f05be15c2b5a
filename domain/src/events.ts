import { accountEvents } from './account/events.ts';
import type { StreamId } from './aggregate.ts';
import { articleEvents } from './article/events.ts';
import { authorEvents } from './author/events.ts';
import { consentEvents } from './consent/events.ts';
import { favoritesEvents } from './favorites/events.ts';
import { followsEvents } from './follows/events.ts';
import { helpfulEvents } from './helpful/events.ts';
import { jobControlEvents } from './job-control/events.ts';
import { hidingRuleEvents } from './hiding-rule/events.ts';
import { identityEvents } from './identity/events.ts';
import { listingEvents } from './listing/events.ts';
import { mediaEvents } from './media/events.ts';
import { moderationEvents } from './moderation/events.ts';
import { personEvents } from './person/events.ts';
import { removalEvents } from './removal/events.ts';
import { replayEvents } from './replay/events.ts';
import { reportEvents } from './report/events.ts';
import { takenDownEvents } from './taken-down/events.ts';
import { threadEvents } from './thread/events.ts';
import {
  UnreadableEventError,
  upcastAndParse,
  type EventDefinition,
  type EventFromDefinition,
} from './event-definition.ts';
import type { EventMeta, Position, RecordedEvent } from './ports/event-store.ts';

const DEFINITIONS = [
  ...accountEvents,
  ...articleEvents,
  ...authorEvents,
  ...consentEvents,
  ...favoritesEvents,
  ...followsEvents,
  ...helpfulEvents,
  ...hidingRuleEvents,
  ...identityEvents,
  ...jobControlEvents,
  ...listingEvents,
  ...mediaEvents,
  ...moderationEvents,
  ...personEvents,
  ...removalEvents,
  ...replayEvents,
  ...reportEvents,
  ...takenDownEvents,
  ...threadEvents,
] as const;
export const EVENT_DEFINITIONS: readonly EventDefinition[] = DEFINITIONS;

/** The union of all event types of the domain. */
export type DomainEvent = EventFromDefinition<(typeof DEFINITIONS)[number]>;
export type DomainEventType = DomainEvent['type'];

/** A stored domain event. `revision` is its number in its stream, and `position` is its position in the event log. */
export type RecordedDomainEvent<Event extends DomainEvent = DomainEvent> = Event & {
  readonly id: string;
  readonly stream: StreamId;
  readonly revision: number;
  readonly position: Position;
  readonly meta: EventMeta;
};

const byType = new Map(EVENT_DEFINITIONS.map((definition) => [definition.type, definition]));

/** Returns the definition of an event type, or null if this build of the software does not know the type. */
export function findEventDefinition(type: string): EventDefinition | null {
  return byType.get(type) ?? null;
}

/**
 * Converts a stored event to a domain event of the newest version. Returns null if this build of the software does not
 * know the event type. Throws `UnreadableEventError` if the personal data of the event cannot be decrypted,
 * `NewerEventVersionError` if a newer build wrote the event, and another error if the stored data is invalid.
 */
export function toDomainEvent(recorded: RecordedEvent): RecordedDomainEvent | null {
  const definition = findEventDefinition(recorded.type);
  if (!definition) return null;
  const shared = sharedEvents.get(recorded);
  if (!shared) return decode(definition, recorded);
  shared.decoded ??= decode(definition, recorded);
  return shared.decoded;
}

/** The stored events that several consumers of the process receive, and their domain events. */
const sharedEvents = new WeakMap<RecordedEvent, { decoded: RecordedDomainEvent | null }>();

/**
 * Makes `toDomainEvent` convert a stored event only once, and return the same object to all its callers. They must not
 * change it.
 */
export function decodeOnce(recorded: RecordedEvent): void {
  if (!sharedEvents.has(recorded)) sharedEvents.set(recorded, { decoded: null });
}

function decode(definition: EventDefinition, recorded: RecordedEvent): RecordedDomainEvent {
  const { id, stream, revision, position, meta, unreadable } = recorded;
  if (unreadable !== undefined && recorded.version <= definition.version)
    throw new UnreadableEventError(`Event ${id} (revision ${revision} of ${stream}): ${unreadable}`);
  const data = upcastAndParse(definition, recorded.version, recorded.data);
  return { type: recorded.type, data, id, stream, revision, position, meta } as RecordedDomainEvent;
}

/**
 * Converts a stored event like `toDomainEvent`, also if its personal fields cannot be decrypted. Reading such a field
 * then throws `UnreadableEventError`. Code that reads only the other fields can therefore handle the event, and no code
 * takes a missing field for an empty one.
 */
export function toReadableEvent(recorded: RecordedEvent): RecordedDomainEvent | null {
  const { unreadable } = recorded;
  const replaced = replaceUnreadableFields(recorded);
  const event = toDomainEvent(replaced);
  if (event === null || unreadable === undefined) return event;
  const rejectAccess = () => {
    throw new UnreadableEventError(`Event ${event.id} (revision ${event.revision} of ${event.stream}): ${unreadable}`);
  };
  const personalFields = Object.keys(findEventDefinition(event.type)?.personalFields ?? {});
  const getters = personalFields.map((name) => [name, { get: rejectAccess, enumerable: true }] as const);
  const data = Object.defineProperties({ ...event.data }, Object.fromEntries(getters));
  return { ...event, data } as RecordedDomainEvent;
}

/**
 * Returns an event with the replacement values of an erasure if its personal fields cannot be decrypted, and otherwise
 * the same event. Use it only where the personal fields are not needed.
 */
export function replaceUnreadableFields(recorded: RecordedEvent): RecordedEvent {
  const { unreadable, ...event } = recorded;
  if (unreadable === undefined) return recorded;
  return { ...event, data: { ...(event.data as object), ...findEventDefinition(event.type)?.personalFields } };
}
