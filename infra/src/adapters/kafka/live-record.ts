import { isPosition, START_POSITION, type FeedMessage, type Position, type RelayBatch } from '@alpenglow/domain';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { LiveRecord } from './partition-merge.ts';

/**
 * Returns the Kafka records of a batch of live messages. Each message becomes a record whose key is the stream of the
 * event. Partitions whose last message is before the end of the batch also get a watermark, which is a record without a
 * message that reports progress. The headers `after` and `position` state that the partition contains no other message
 * between these two positions in the event log. The header `partitions` is the number of partitions of the topic. The
 * header `run` is the run of the relay. The header `id` is the id of the event at `position`, and `traceparent` is the
 * span that has caused the message. The value contains neither, because a reader of an earlier build would send them to
 * browsers.
 */
export function toRecords(
  { after, messages, through, throughId, run }: RelayBatch,
  partitions: number,
  partitionOf: (stream: string) => number,
): Message[] {
  const headersOf = (from: Position, position: Position, id = position === through ? throughId : null): IHeaders => ({
    after: from,
    position,
    partitions: String(partitions),
    ...(run !== undefined && { run }),
    ...(id && { id }),
  });
  const positions = Array.from({ length: partitions }, () => after);
  const records: Message[] = messages.map(({ stream, message: { eventId, traceparent, ...message } }) => {
    const partition = partitionOf(stream);
    const position = message.seq as Position;
    const headers = {
      ...headersOf(positions[partition] ?? after, position, eventId),
      ...(traceparent !== undefined && { traceparent }),
    };
    positions[partition] = position;
    return { partition, key: stream, value: JSON.stringify(message), headers };
  });
  const watermarks = positions.flatMap((position, partition) => {
    if (messages.length > 0 && position >= through) return [];
    return [{ partition, key: null, value: null, headers: headersOf(position, through) }];
  });
  return [...records, ...watermarks];
}

/**
 * A record that was read from Kafka. `partitions` is the number of partitions that the topic had when the record was
 * written.
 */
export interface ParsedRecord extends LiveRecord {
  readonly partitions: number;
}

/** Parses a Kafka record. Returns null if our relay (the program that fills the topic) did not write the record. */
export function parseRecord({ headers, value }: Pick<KafkaMessage, 'headers' | 'value'>): ParsedRecord | null {
  const after = positionIn(headers, 'after');
  const position = positionIn(headers, 'position');
  const partitions = Number(textIn(headers, 'partitions') ?? Number.NaN);
  if (after === null || position === null || after > position || !Number.isInteger(partitions)) return null;
  const id = textIn(headers, 'id');
  const progress = { after, position, partitions, id, run: textIn(headers, 'run') };
  if (value === null) return { ...progress, message: null };
  try {
    const message = JSON.parse(value.toString('utf8')) as FeedMessage | null;
    if (message?.seq !== position) return null;
    const traceparent = textIn(headers, 'traceparent');
    return {
      ...progress,
      message: { ...message, ...(id !== null && { eventId: id }), ...(traceparent !== null && { traceparent }) },
    };
  } catch {
    return null;
  }
}

function positionIn(headers: IHeaders | undefined, name: string): Position | null {
  const text = textIn(headers, name);
  return text !== null && (isPosition(text) || text === START_POSITION) ? (text as Position) : null;
}

function textIn(headers: IHeaders | undefined, name: string): string | null {
  const header = headers?.[name];
  return header === undefined || Array.isArray(header) ? null : header.toString('utf8');
}
