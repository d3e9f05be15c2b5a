import type { EventMeta, Position, RecordedEvent, StreamId } from '@alpenglow/domain';
import { jsonEvent, type EventData } from '@eventstore/db-client';
import { isEventMeta, isObject, type CheckedEvent } from '../event-store-input.ts';
import { toPosition, type LogPosition } from './positions.ts';

/**
 * The metadata that we store with each event. The names of its fields must not begin with `$`, because the server
 * reserves such names.
 */
interface Envelope {
  readonly version: number;
  readonly meta: EventMeta;
  /** The prefix of the streams of the installation that wrote the event. Missing if it is empty. */
  readonly prefix?: string;
}

/** The prefix with which EventStoreDB names its own streams and event types. */
const SYSTEM = '$';

/** An event as the server returns it, of any application. */
export interface ReceivedEvent {
  readonly id: string;
  readonly streamId: string;
  readonly type: string;
  readonly revision: number | bigint;
  readonly isJson: boolean;
  /** A JSON value if `isJson` is true, and bytes otherwise. */
  readonly data: unknown;
  /** A JSON value, bytes that are no JSON text, or undefined. */
  readonly metadata: unknown;
  /** Undefined if the server sends no position. */
  readonly position: LogPosition | Position | undefined;
}

/**
 * Returns true for events of the server itself, such as statistics, stream metadata and links. They are neither ours
 * nor of another application.
 */
export function isSystemEvent({ type, streamId }: Pick<ReceivedEvent, 'type' | 'streamId'>): boolean {
  return type.startsWith(SYSTEM) || streamId.startsWith(SYSTEM);
}

export type OwnEvents = ReturnType<typeof createOwnEvents>;

/**
 * Creates the functions that distinguish our events from all others (decision 0113). An event is ours if it is JSON,
 * its metadata is our envelope with `streamPrefix`, and the name of its stream begins with `streamPrefix`. Streams of
 * our `EventStore` interface have names without this prefix.
 */
export function createOwnEvents(streamPrefix: string) {
  const prefix = streamPrefix === '' ? {} : { prefix: streamPrefix };
  const endOfMetadata = streamPrefix === '' ? '}' : `,"prefix":${JSON.stringify(streamPrefix)}}`;
  return {
    streamPrefix,
    /**
     * Converts an event to the format of the EventStoreDB client. Parses the JSON text again, so that a later change of
     * the caller's object does not change the stored data.
     */
    toClientEvent({ id, type, version, data, meta }: CheckedEvent): EventData {
      const metadata: Envelope = { version, meta: JSON.parse(meta) as EventMeta, ...prefix };
      return jsonEvent({
        id,
        type,
        data: JSON.parse(data) as string,
        metadata: metadata as unknown as Record<string, unknown>,
      });
    },
    /** Returns the metadata of an event as JSON text. It is the text that the client creates for `toClientEvent`. */
    toMetadataJson: ({ version, meta }: Pick<CheckedEvent, 'version' | 'meta'>): string =>
      `{"version":${version},"meta":${meta}${endOfMetadata}`,
    /** Returns the name of a stream on the server. */
    toServerStream: (stream: string): string => streamPrefix + stream,
    isOwn: (event: ReceivedEvent): boolean =>
      event.isJson &&
      event.streamId.startsWith(streamPrefix) &&
      !isSystemEvent(event) &&
      isEnvelope(event.metadata, streamPrefix),
    /** Converts an event of ours to the format of our `EventStore` interface. */
    toRecordedEvent(event: ReceivedEvent, position = toPosition(event.position)): RecordedEvent {
      const { id, type, streamId, revision, data } = event;
      const { version, meta } = event.metadata as Envelope;
      return {
        id,
        type,
        version,
        data,
        meta,
        stream: (streamPrefix === '' ? streamId : streamId.slice(streamPrefix.length)) as StreamId,
        revision: Number(revision),
        position,
      };
    },
  };
}

function isEnvelope(metadata: unknown, streamPrefix: string): boolean {
  if (!isObject(metadata)) return false;
  const { version, meta, prefix = '' } = metadata;
  return Number.isInteger(version) && isEventMeta(meta) && prefix === streamPrefix;
}
