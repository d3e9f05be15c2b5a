import { accountEvents, type AccountEvent } from './account/events.ts';
import type { EventDefinition } from './event-definition.ts';
import { favoritesEvents, type FavoritesEvent } from './favorites/events.ts';
import { listingEvents, type ListingEvent } from './listing/events.ts';
import { mediaEvents, type MediaEvent } from './media/events.ts';
import { upcastAndParse } from './event-definition.ts';
import type { EventMeta, Position, RecordedEvent } from './ports/event-store.ts';

/** Every event of the domain. */
export type DomainEvent = AccountEvent | FavoritesEvent | ListingEvent | MediaEvent;
export type DomainEventType = DomainEvent['type'];

/** A domain event as it happened: with its place in its stream and in the store. */
export type Recorded<Event extends DomainEvent = DomainEvent> = Event & {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly meta: EventMeta;
};

export const EVENT_DEFINITIONS: readonly EventDefinition[] = [...accountEvents, ...favoritesEvents, ...listingEvents, ...mediaEvents];

const byType = new Map(EVENT_DEFINITIONS.map((definition) => [definition.type, definition]));

/** The definition of an event type, or null for a type this build does not know. */
export function definitionOf(type: string): EventDefinition | null {
  return byType.get(type) ?? null;
}

/**
 * A stored event as a domain event of the newest version, or null when its type is unknown to this build.
 * Throws when the stored shape fits no known version.
 */
export function toDomainEvent(recorded: RecordedEvent): Recorded | null {
  const definition = definitionOf(recorded.type);
  if (!definition) return null;
  const { id, stream, revision, position, meta } = recorded;
  const data = upcastAndParse(definition, recorded.version, recorded.data);
  return { type: recorded.type, data, id, stream, revision, position, meta } as Recorded;
}
