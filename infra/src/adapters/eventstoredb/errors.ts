import { ConcurrencyConflict, EventStoreUnavailable, InvalidAppend } from '@alpenglow/domain';
import { convertToCommandError, ErrorType, isCommandError } from '@eventstore/db-client';

const RETRYABLE: ReadonlySet<ErrorType> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.CANCELLED,
  ErrorType.NOT_LEADER,
  ErrorType.TIMEOUT,
]);
/** gRPC status codes for which the EventStoreDB client has no error class. */
const UNKNOWN = 2;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;

/** Matches the server's error message while the cluster elects a leader. */
const NO_LEADER = /No leader info available/u;
/** Matches the client's error message if no member of the cluster responds. */
const UNDISCOVERED = /^Failed to discover after \d+ attempts/u;
/** Matches gRPC's error message for a request on a connection that was just being replaced. */
const CHANNEL_CLOSED = /^Channel has been shut down/u;
/** Matches the server's error message for a subscription whose reader is slower than the new events. */
const SLOW_READER = /Consumer too slow to handle event/iu;
/** Matches the error message of KurrentDB from 25.0 on for a single event. The client has no error class for it. */
const EVENT_TOO_LARGE = /exceeds Maximum Append Event Size/iu;

/**
 * Returns true if the same request may succeed a moment later. In this case, the connection or the leader was lost, or
 * the server canceled the request. The server also cancels an append while another request writes the same events.
 */
export function isRetryable(thrown: unknown): boolean {
  const error = asClientError(thrown);
  if (!error) return thrown instanceof Error && CHANNEL_CLOSED.test(thrown.message);
  if (error.type === ErrorType.UNKNOWN) return error.code === INTERNAL || NO_LEADER.test(error.message);
  return RETRYABLE.has(error.type);
}

/** Returns true if the store cannot be reached now, and false if the request itself was wrong. */
export function isOutage(thrown: unknown): boolean {
  if (isRetryable(thrown)) return true;
  const error = asClientError(thrown);
  if (!error) return thrown instanceof Error && UNDISCOVERED.test(thrown.message);
  return error.type === ErrorType.DEADLINE_EXCEEDED || error.code === RESOURCE_EXHAUSTED;
}

/** Returns true if an outage has a usual cause, such as a lost connection, so that its stack is of no interest. */
export function isExpectedOutage(thrown: unknown): boolean {
  return thrown instanceof EventStoreUnavailable || isOutage(thrown);
}

/**
 * Returns true if the server has ended a subscription because its reader was slower than the new events. This is not an
 * outage. The reader resumes after its last event, and the server then reads the log at the speed of the reader.
 */
export function isSlowReader(thrown: unknown): boolean {
  return SLOW_READER.test(asClientError(thrown)?.message ?? '');
}

/**
 * Returns true if a subscription that ended with this error can be resumed. This is possible after an outage and after
 * an error of unknown type. For example, the server ends a subscription with an error of unknown type if its reader is
 * too slow.
 */
export function isTransient(thrown: unknown): boolean {
  if (isOutage(thrown)) return true;
  const error = asClientError(thrown);
  return error?.type === ErrorType.UNKNOWN && error.code === UNKNOWN;
}

/**
 * Returns true if the server has responded to a request with an error, and false for an outage or an error of this
 * process. The server has no error for a position at which no event begins. It reports one of several other errors, and
 * only a second read shows the reason.
 */
export function isServerError(thrown: unknown): boolean {
  return !(thrown instanceof EventStoreUnavailable) && !isOutage(thrown) && asClientError(thrown) !== null;
}

export function isUnknownStream(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.STREAM_NOT_FOUND;
}

/** Returns true if an administrator has permanently deleted the stream, so that it cannot be used any more. */
export function isTombstoned(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.STREAM_DELETED;
}

export function isWrongRevision(error: unknown): boolean {
  return asClientError(error)?.type === ErrorType.WRONG_EXPECTED_VERSION;
}

/**
 * Converts an error of the EventStoreDB client to an error of our `EventStore` interface. Returns other errors
 * unchanged.
 */
export function toPortError(cause: unknown): unknown {
  if (cause instanceof EventStoreUnavailable || cause instanceof InvalidAppend || cause instanceof ConcurrencyConflict)
    return cause;
  if (isOutage(cause)) return new EventStoreUnavailable('The event store cannot be reached', { cause });
  const error = asClientError(cause);
  if (error && EVENT_TOO_LARGE.test(error.message)) return tooLarge(cause);
  switch (error?.type) {
    case ErrorType.STREAM_DELETED:
      return new InvalidAppend('This stream was permanently deleted', { cause });
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return tooLarge(cause);
    case ErrorType.ACCESS_DENIED:
      return new Error('The event store rejects the user of EVENTSTORE_URL', { cause });
    default:
      return cause;
  }
}

function tooLarge(cause: unknown): InvalidAppend {
  return new InvalidAppend('An event exceeds the size limit of the event store', { cause, isTooLarge: true });
}

interface ClientError {
  readonly type: ErrorType;
  /** The gRPC status code. */
  readonly code?: number;
  readonly message: string;
}

/**
 * Returns `error` as an error of the EventStoreDB client, or null if it is any other error. Also converts gRPC errors
 * that the client has thrown without converting them.
 */
function asClientError(error: unknown): ClientError | null {
  if (!(error instanceof Error)) return null;
  const isServiceError =
    'details' in error && typeof error.details === 'string' && 'code' in error && typeof error.code === 'number';
  const converted = isServiceError ? convertToCommandError(error) : error;
  return isCommandError(converted) ? converted : null;
}
