import type { EventMeta, RecordedEvent } from '@alpenglow/domain';
import { jsonEvent, type EventData, type ResolvedEvent } from '@eventstore/db-client';
import type { CheckedEvent } from '../event-store-input.ts';
import { toPosition } from './positions.ts';

/**
 * What an event's metadata holds: ours, whole, under names of our own. Names that begin with `$` belong to the server.
 */
interface Envelope {
  readonly version: number;
  readonly meta: EventMeta;
}

/** What names of streams and types begin with that are the server's own. */
const SYSTEM = '$';

export type ReadEvent = NonNullable<ResolvedEvent['event']>;

/** Parsed anew, so that a caller who changes an object afterwards does not change what is written. */
export function toClientEvent({ id, type, version, data, meta }: CheckedEvent): EventData {
  const metadata: Envelope = { version, meta: JSON.parse(meta) as EventMeta };
  return jsonEvent({
    id,
    type,
    data: JSON.parse(data) as string,
    metadata: metadata as unknown as Record<string, unknown>,
  });
}

/** Whether an event is one that readers get: not one of the server's own, such as statistics, stream metadata and links. */
export function isForReaders({ type, streamId }: ReadEvent): boolean {
  return !type.startsWith(SYSTEM) && !streamId.startsWith(SYSTEM);
}

/** The event as the port gives it. One that somebody else wrote into the same store has no envelope; it is told as an unknown system's. */
export function toRecordedEvent(event: ReadEvent): RecordedEvent {
  const { id, type, streamId: stream, revision, isJson, data } = event;
  const { version, meta } = isEnvelope(event.metadata) ? event.metadata : foreignEnvelope(event);
  return {
    id,
    type,
    version,
    data: isJson ? data : null,
    meta,
    stream,
    revision: Number(revision),
    position: toPosition(event.position),
  };
}

function isEnvelope(metadata: unknown): metadata is Envelope {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { version, meta } = metadata as { version?: unknown; meta?: unknown };
  return Number.isInteger(version) && typeof meta === 'object' && meta !== null;
}

function foreignEnvelope({ id, created }: ReadEvent): Envelope {
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
