import { START_POSITION, type Position } from '@alpenglow/domain';

/**
 * The position of an event in EventStoreDB's log. It consists of two byte offsets: of the commit and of the event's
 * record.
 */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const TEXT = /^(\d{20})\/(\d{20})$/u;
const DIGITS = 20;
/**
 * The largest valid offset, because the server stores offsets as signed 64-bit numbers. If the server has no offset, it
 * sends a larger number.
 */
const LAST_OFFSET = 2n ** 63n - 1n;

/**
 * Converts a position of the EventStoreDB client to a position of our `EventStore` interface. A text is already such a
 * position. Throws if the server returned no position.
 */
export function toPosition(position: LogPosition | Position | undefined): Position {
  const converted = typeof position === 'object' ? fromOffsets(position.commit, position.prepare) : position;
  if (converted === undefined)
    throw new Error(
      'The event store returns no position of an event in its stream: EventStoreDB 22.10 or later is needed',
    );
  return converted;
}

/**
 * Returns the position of our `EventStore` interface for two offsets of the server. Both have a fixed width, so that
 * positions sort as texts in the order of the log. Returns undefined if an offset is too large, so that the server has
 * sent no position.
 */
export function fromOffsets(commit: number | bigint, prepare: number | bigint): Position | undefined {
  if (commit > LAST_OFFSET || prepare > LAST_OFFSET) return undefined;
  const text = pad(commit);
  return `${text}/${commit === prepare ? text : pad(prepare)}` as Position;
}

/**
 * Converts a position of our `EventStore` interface to the format of the EventStoreDB client. Throws `RangeError` if
 * the text is not a position of EventStoreDB.
 */
export function toLogPosition(position: Position): LogPosition | 'start' {
  if (position === START_POSITION) return 'start';
  const [, commit, prepare] = TEXT.exec(position) ?? [];
  const parsed =
    commit !== undefined && prepare !== undefined ? { commit: BigInt(commit), prepare: BigInt(prepare) } : null;
  if (!parsed || parsed.commit > LAST_OFFSET || parsed.prepare > LAST_OFFSET)
    throw new RangeError('This is not a position of this event store');
  return parsed;
}

function pad(offset: number | bigint): string {
  return String(offset).padStart(DIGITS, '0');
}
