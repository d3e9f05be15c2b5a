import { accountEvents, type AccountEvent } from './account/events.ts';
import { articleEvents, type ArticleEvent } from './article/events.ts';
import { authorEvents, type AuthorEvent } from './author/events.ts';
import { consentEvents, type ConsentEvent } from './consent/events.ts';
import type { EventDefinition } from './event-definition.ts';
import { favoritesEvents, type FavoritesEvent } from './favorites/events.ts';
import { followsEvents, type FollowsEvent } from './follows/events.ts';
import { helpfulEvents, type HelpfulEvent } from './helpful/events.ts';
import { jobControlEvents, type JobControlEvent } from './job-control/events.ts';
import { hidingRuleEvents, type HidingRuleEvent } from './hiding-rule/events.ts';
import { identityEvents, type IdentityEvent } from './identity/events.ts';
import { listingEvents, type ListingEvent } from './listing/events.ts';
import { mediaEvents, type MediaEvent } from './media/events.ts';
import { moderationEvents, type ModerationEvent } from './moderation/events.ts';
import { personEvents, type PersonEvent } from './person/events.ts';
import { replayEvents, type ReplayEvent } from './replay/events.ts';
import { reportEvents, type ReportEvent } from './report/events.ts';
import { threadEvents, type ThreadEvent } from './thread/events.ts';
import { upcastAndParse } from './event-definition.ts';
import type { EventMeta, Position, RecordedEvent } from './ports/event-store.ts';

/** Every event of the domain. */
export type DomainEvent =
  | AccountEvent
  | ArticleEvent
  | AuthorEvent
  | ConsentEvent
  | FavoritesEvent
  | FollowsEvent
  | HelpfulEvent
  | HidingRuleEvent
  | IdentityEvent
  | JobControlEvent
  | ListingEvent
  | MediaEvent
  | ModerationEvent
  | PersonEvent
  | ReplayEvent
  | ReportEvent
  | ThreadEvent;
export type DomainEventType = DomainEvent['type'];

/** A domain event as it happened: with its place in its stream and in the store. */
export type Recorded<Event extends DomainEvent = DomainEvent> = Event & {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly meta: EventMeta;
};

export const EVENT_DEFINITIONS: readonly EventDefinition[] = [
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
];

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
