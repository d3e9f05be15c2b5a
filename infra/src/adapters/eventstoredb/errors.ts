import { ConcurrencyConflict, EventStoreUnavailable, InvalidAppend } from '@alpenglow/domain';
import { convertToCommandError, ErrorType, isCommandError } from '@eventstore/db-client';

/** gRPC status codes the client has no error of its own for. */
const UNKNOWN = 2;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;

/** What the server says while it elects a leader. */
const NO_LEADER = /No leader info available/u;
/** The client's own words for a cluster none of whose members answers. */
const UNDISCOVERED = /^Failed to discover after \d+ attempts/u;
/** gRPC's, for a request that met a connection which was just being replaced. */
const CHANNEL_CLOSED = /^Channel has been shut down/u;
const INVALID_POSITION = /invalid position|ReadAllResult: InvalidPosition/iu;

/**
 * Whether the same request may succeed a moment later: the connection or the leader was lost under it, or the server gave it up. That is also how
 * it answers an append whose events another request is just writing.
 */
export function isWorthRepeating(thrown: unknown): boolean {
  const error = asClientError(thrown);
  if (!error) return thrown instanceof Error && CHANNEL_CLOSED.test(thrown.message);
  switch (error.type) {
    case ErrorType.UNAVAILABLE:
    case ErrorType.CANCELLED:
    case ErrorType.NOT_LEADER:
    case ErrorType.TIMEOUT:
      return true;
    case ErrorType.UNKNOWN:
      return error.code === INTERNAL || NO_LEADER.test(error.message);
    default:
      return false;
  }
}

/** Whether the store cannot be asked now, rather than that it was asked something wrong. */
export function isOutage(thrown: unknown): boolean {
  if (isWorthRepeating(thrown)) return true;
  const error = asClientError(thrown);
  if (!error) return thrown instanceof Error && UNDISCOVERED.test(thrown.message);
  return error.type === ErrorType.DEADLINE_EXCEEDED || error.code === RESOURCE_EXHAUSTED;
}

/**
 * Whether a subscription that ended so may go on once it is begun anew: after an outage, and after a fault the server has no name for,
 * as when it has dropped a reader that was too slow for it.
 */
export function isPassing(thrown: unknown): boolean {
  if (isOutage(thrown)) return true;
  const error = asClientError(thrown);
  return error?.type === ErrorType.UNKNOWN && error.code === UNKNOWN && !INVALID_POSITION.test(error.message);
}

export function isUnknownStream(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.STREAM_NOT_FOUND;
}

/** A stream that an administrator has deleted for good: nothing can be read from it or written to it any more. */
export function isTombstoned(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.STREAM_DELETED;
}

export function isWrongRevision(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.WRONG_EXPECTED_VERSION;
}

/** The port's error for what the client threw; an error that no caller can do anything about stays as it is. */
export function toPortError(cause: unknown): unknown {
  if (cause instanceof EventStoreUnavailable || cause instanceof InvalidAppend || cause instanceof ConcurrencyConflict)
    return cause;
  if (isOutage(cause)) return new EventStoreUnavailable('The event store cannot be reached', { cause });
  const error = asClientError(cause);
  switch (error?.type) {
    case ErrorType.STREAM_DELETED:
      return new InvalidAppend('This stream was deleted for good', { cause });
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return new InvalidAppend('The event store is set to take less at once than this append holds', { cause });
    case ErrorType.ACCESS_DENIED:
      return new Error('The event store refuses the user that EVENTSTORE_URL names', { cause });
    case ErrorType.UNKNOWN:
      return INVALID_POSITION.test(error.message)
        ? new RangeError('This is not a position of this event store', { cause })
        : cause;
    default:
      return cause;
  }
}

interface ClientError {
  readonly type: ErrorType;
  /** Of gRPC. */
  readonly code?: number;
  readonly message: string;
}

/** The client's error; some paths of the client let gRPC's through as it was. */
function asClientError(error: unknown): ClientError | null {
  if (!(error instanceof Error)) return null;
  const isServiceError =
    'details' in error && typeof error.details === 'string' && 'code' in error && typeof error.code === 'number';
  const converted = isServiceError ? convertToCommandError(error) : error;
  return isCommandError(converted) ? converted : null;
}
