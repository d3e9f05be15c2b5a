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
import { replayEvents } from './replay/events.ts';
import { reportEvents } from './report/events.ts';
import { threadEvents } from './thread/events.ts';
import { upcastAndParse, type EventDefinition, type EventFromDefinition } from './event-definition.ts';
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
  ...replayEvents,
  ...reportEvents,
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
 * know the event type. Throws if the stored data matches no known version.
 */
export function toDomainEvent(recorded: RecordedEvent): RecordedDomainEvent | null {
  const definition = findEventDefinition(recorded.type);
  if (!definition) return null;
  const { id, stream, revision, position, meta } = recorded;
  const data = upcastAndParse(definition, recorded.version, recorded.data);
  return { type: recorded.type, data, id, stream, revision, position, meta } as RecordedDomainEvent;
}
