import type { EventMeta, RecordedEvent, StreamId } from '@alpenglow/domain';
import { jsonEvent, type EventData, type ResolvedEvent } from '@eventstore/db-client';
import type { CheckedEvent } from '../event-store-input.ts';
import { toPosition } from './positions.ts';

/**
 * The metadata that we store with each event. The names of its fields must not begin with `$`, because the server
 * reserves such names.
 */
interface Envelope {
  readonly version: number;
  readonly meta: EventMeta;
}

/** The prefix with which EventStoreDB names its own streams and event types. */
const SYSTEM = '$';

export type ReceivedEvent = NonNullable<ResolvedEvent['event']>;

/**
 * Converts an event to the format of the EventStoreDB client. Parses the JSON text again, so that a later change of the
 * caller's object does not change the stored data.
 */
export function toClientEvent({ id, type, version, data, meta }: CheckedEvent): EventData {
  const metadata: Envelope = { version, meta: JSON.parse(meta) as EventMeta };
  return jsonEvent({
    id,
    type,
    data: JSON.parse(data) as string,
    metadata: metadata as unknown as Record<string, unknown>,
  });
}

/** Returns the metadata of an event as JSON text. It is the text that the client creates for `toClientEvent`. */
export function toMetadataJson({ version, meta }: Pick<CheckedEvent, 'version' | 'meta'>): string {
  return `{"version":${version},"meta":${meta}}`;
}

/**
 * Returns true for an event of ours. Returns false for events of the server itself, such as statistics, stream metadata
 * and links.
 */
export function isUserEvent({ type, streamId }: ReceivedEvent): boolean {
  return !type.startsWith(SYSTEM) && !streamId.startsWith(SYSTEM);
}

/**
 * Converts a stored event to the format of our `EventStore` interface. An event that another system has written has no
 * metadata of ours, so its actor is an unknown system.
 */
export function toRecordedEvent(event: ReceivedEvent, position = toPosition(event.position)): RecordedEvent {
  const { id, type, streamId, revision, isJson, data } = event;
  const { version, meta } = isEnvelope(event.metadata) ? event.metadata : foreignEnvelope(event);
  return {
    id,
    type,
    version,
    data: isJson ? data : null,
    meta,
    stream: streamId as StreamId,
    revision: Number(revision),
    position,
  };
}

function isEnvelope(metadata: unknown): metadata is Envelope {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { version, meta } = metadata as { version?: unknown; meta?: unknown };
  return Number.isInteger(version) && typeof meta === 'object' && meta !== null;
}

function foreignEnvelope({ id, created }: ReceivedEvent): Envelope {
  return {
    version: 1,
    meta: {
      correlationId: id,
      causationId: null,
      actor: { kind: 'system', name: 'unknown' },
      at: created.toISOString(),
    },
  };
}
