import { isPosition, START, type LiveMessage, type Position, type RelayedBatch } from '@alpenglow/domain';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { LiveRecord } from './partition-merge.ts';

/**
 * The records of a batch: its messages, keyed by stream, and a watermark for each partition they leave behind the end of the batch.
 * The headers `after` and `position` say of each record between which positions its partition has nothing but its message, `partitions`
 * among how many the streams were divided.
 */
export function toRecords(
  { after, messages, through }: RelayedBatch,
  partitions: number,
  partitionOf: (stream: string) => number,
): Message[] {
  const divided = String(partitions);
  const reached = Array.from({ length: partitions }, () => after);
  const records: Message[] = messages.map(({ stream, message }) => {
    const partition = partitionOf(stream);
    const position = message.seq as Position;
    const headers = { after: reached[partition] ?? after, position, partitions: divided };
    reached[partition] = position;
    return { partition, key: stream, value: JSON.stringify(message), headers };
  });
  const isWatermark = messages.length === 0;
  const watermarks = reached.flatMap((position, partition) =>
    isWatermark || position < through
      ? [{ partition, key: null, value: null, headers: { after: position, position: through, partitions: divided } }]
      : [],
  );
  return [...records, ...watermarks];
}

/** A record as it was read, with the number of partitions its relay knew of. */
export interface ReadRecord extends LiveRecord {
  readonly partitions: number;
}

/** What a record of the topic says, or null when no relay of ours has written it. */
export function fromRecord({ headers, value }: Pick<KafkaMessage, 'headers' | 'value'>): ReadRecord | null {
  const after = positionIn(headers, 'after');
  const position = positionIn(headers, 'position');
  const partitions = Number(textIn(headers, 'partitions') ?? Number.NaN);
  if (after === null || position === null || after > position || !Number.isInteger(partitions)) return null;
  if (value === null) return { after, position, message: null, partitions };
  try {
    const message = JSON.parse(value.toString('utf8')) as LiveMessage | null;
    return message?.seq === position ? { after, position, message, partitions } : null;
  } catch {
    return null;
  }
}

function positionIn(headers: IHeaders | undefined, name: string): Position | null {
  const text = textIn(headers, name);
  return text !== null && (isPosition(text) || text === START) ? (text as Position) : null;
}

function textIn(headers: IHeaders | undefined, name: string): string | null {
  const header = headers?.[name];
  return header === undefined || Array.isArray(header) ? null : header.toString('utf8');
}
