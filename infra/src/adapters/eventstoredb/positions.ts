import { START, type Position } from '@alpenglow/domain';

/** Where EventStoreDB keeps an event: the offsets of its commit and of its own record in the log. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const TEXT = /^(\d{20})\/(\d{20})$/u;
const DIGITS = 20;
/** An offset is a signed 64-bit number on the server, which says the largest unsigned one where it knows none. */
const LAST_OFFSET = 2n ** 63n - 1n;

/** Both offsets at fixed width, so that text order is log order. Throws when the server named no position. */
export function toPosition(position: LogPosition | undefined): Position {
  if (!position || position.commit > LAST_OFFSET || position.prepare > LAST_OFFSET) {
    throw new Error(
      'The event store tells no position of an event in its stream: EventStoreDB 22.10 or later is needed',
    );
  }
  return `${pad(position.commit)}/${pad(position.prepare)}` as Position;
}

/** What the client takes for a position of ours. Throws `RangeError` for text that is none of this store's. */
export function toLogPosition(position: Position): LogPosition | 'start' {
  if (position === START) return 'start';
  const [, commit, prepare] = TEXT.exec(position) ?? [];
  const parsed =
    commit !== undefined && prepare !== undefined ? { commit: BigInt(commit), prepare: BigInt(prepare) } : null;
  if (!parsed || parsed.commit > LAST_OFFSET || parsed.prepare > LAST_OFFSET)
    throw new RangeError('This is not a position of this event store');
  return parsed;
}

function pad(offset: bigint): string {
  return String(offset).padStart(DIGITS, '0');
}
