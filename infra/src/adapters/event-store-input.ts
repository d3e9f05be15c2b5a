import {
  InvalidAppend,
  START_POSITION,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type StreamId,
} from '@alpenglow/domain';

/** Limits of the event store. They are the same for every implementation, such as Postgres or EventStoreDB. */
export const MAX_APPEND_EVENTS = 500;
export const MAX_APPEND_bytes = 1024 * 1024;
export const MAX_READ_EVENTS = 1_000;
const MAX_STREAM_characters = 200;
const MAX_TYPE_characters = 100;
const MAX_VERSION = 32_767;
const MAX_REVISION = 2_147_483_647;
/** The maximum number of bytes that a store adds to the data, metadata and type of an event. */
const ENVELOPE_bytes = 96;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;
/** Matches valid names. Names that begin with `$` are not valid, because EventStoreDB reserves them. */
const PRINTABLE = /^(?!\$)\P{C}+$/u;
/**
 * Matches the JSON escapes of U+0000 and of half surrogate pairs, which stores do not accept. The escape must follow an
 * even number of backslashes. If the number is odd, the backslash of `\u` is itself escaped, so the text is not an
 * escape.
 */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][\da-f]{2})/u;
const POSITION = /^\d{19}$/u;
const LAST_POSITION = '9223372036854775807';

/** A request to append events. It has passed all checks that can be done without access to the store. */
export interface CheckedAppend {
  readonly stream: StreamId;
  readonly expectedRevision: ExpectedRevision;
  readonly events: readonly CheckedEvent[];
  readonly size_bytes: number;
}

/** An event with `data` and `meta` as JSON text. */
export interface CheckedEvent extends Pick<EventToAppend, 'id' | 'type' | 'version'> {
  readonly data: string;
  readonly meta: string;
}

/** Checks an append and serializes its events. Throws `InvalidAppend` if a store cannot store the events. */
export function checkAppend(
  stream: StreamId,
  events: readonly EventToAppend[],
  expectedRevision: ExpectedRevision,
): CheckedAppend {
  checkName('The stream', stream, MAX_STREAM_characters);
  if (typeof expectedRevision === 'number' && !isWithin(expectedRevision, 0, MAX_REVISION)) {
    throw new InvalidAppend(`The expected revision ${expectedRevision} is not a revision`);
  }
  if (events.length === 0) throw new InvalidAppend('An append needs an event');
  if (events.length > MAX_APPEND_EVENTS)
    throw new InvalidAppend(`${events.length} events are more than an append may hold (${MAX_APPEND_EVENTS})`);

  const checked: CheckedEvent[] = [];
  for (const [index, event] of events.entries()) {
    const previous = events[index - 1];
    // The events of one command share one `meta` object, so it is serialized once.
    const meta =
      (event.meta === previous?.meta ? checked[index - 1]?.meta : undefined) ?? toJson(event.type, event.meta);
    checked.push(checkEvent(event, meta));
  }
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidAppend('Two events of one append have the same id');
  const size_bytes = checked.reduce((sum, event) => sum + eventSize_bytes(event), 0);
  if (size_bytes > MAX_APPEND_bytes)
    throw new InvalidAppend(`${size_bytes} bytes are more than an append may hold (${MAX_APPEND_bytes})`, {
      isTooLarge: true,
    });
  return { stream, expectedRevision, events: checked, size_bytes };
}

function checkEvent({ id, type, version, data, meta: given }: EventToAppend, meta: string): CheckedEvent {
  if (!UUID.test(id)) throw new InvalidAppend('An event id must be a UUID in lower case');
  checkName('The event type', type, MAX_TYPE_characters);
  if (!isWithin(version, 1, MAX_VERSION))
    throw new InvalidAppend(`The version ${version} of ${type} is not a whole number from 1`);
  // EventStoreDB would accept the event, but its adapter would take it for an event of another application.
  if (!isEventMeta(given))
    throw new InvalidAppend(`The metadata of ${type} lacks a field, or a field has another type`);
  return { id, type, version, data: toJson(type, data), meta };
}

/** Returns true if a value has the fields of the metadata of an event (`EventMeta`), in their types. */
export function isEventMeta(meta: unknown): boolean {
  if (!isObject(meta) || !isObject(meta['actor'])) return false;
  const { correlationId, causationId, actor, at, traceparent } = meta;
  const { kind, accountId, name } = actor;
  return (
    typeof correlationId === 'string' &&
    (causationId === null || typeof causationId === 'string') &&
    typeof at === 'string' &&
    (traceparent === undefined || typeof traceparent === 'string') &&
    ((kind === 'account' && typeof accountId === 'string') || (kind === 'system' && typeof name === 'string'))
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * Returns the size of an event in bytes, for the comparison with `MAX_APPEND_bytes`. `data` and `meta` are JSON text.
 * Each character of the type counts as two bytes, as in EventStoreDB.
 */
export function eventSize_bytes({ type, data, meta }: Pick<CheckedEvent, 'type' | 'data' | 'meta'>): number {
  return Buffer.byteLength(data) + Buffer.byteLength(meta) + 2 * type.length + ENVELOPE_bytes;
}

/** Returns true if `name` is a valid name of a stream. */
export function isStreamName(name: string): boolean {
  return isName(name, MAX_STREAM_characters);
}

function isName(name: string, max: number): boolean {
  return name.length <= max && PRINTABLE.test(name);
}

function checkName(label: string, name: string, max: number): void {
  if (!isName(name, max))
    throw new InvalidAppend(`${label} must be 1 to ${max} printable characters, the first of which is not $`);
}

function toJson(type: string, value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    throw new InvalidAppend(`${type} holds something that is not JSON`, { cause });
  }
  if (json === undefined) throw new InvalidAppend(`${type} holds something that is not JSON`);
  if (json.includes('\\u') && UNSTORABLE_ESCAPE.test(json))
    throw new InvalidAppend(`${type} holds a text with U+0000 or half a surrogate pair`);
  return json;
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

/**
 * Returns a position in the event log as a decimal number in text form. The result for `START_POSITION` is 0. Throws
 * `RangeError` if the text is not a position of the stores in Postgres or memory.
 */
export function positionToCounter(position: Position): string {
  if (position === START_POSITION) return '0';
  if (!POSITION.test(position) || position > LAST_POSITION)
    throw new RangeError('This is not a position of this event store');
  return position;
}

/**
 * Returns the number of an event in the log as a position, which is a text of 19 digits. Because of the fixed width,
 * positions sort as texts in the same order as their numbers.
 */
export function counterToPosition(counter: string | number): Position {
  return String(counter).padStart(LAST_POSITION.length, '0') as Position;
}

/** Returns `limit`, reduced to the maximum page size. Throws `RangeError` if `limit` is not a whole number from 1. */
export function checkPageSize(limit: number | undefined): number {
  if (limit === undefined) return MAX_READ_EVENTS;
  if (!isWithin(limit, 1, Number.MAX_SAFE_INTEGER))
    throw new RangeError(`A limit must be a whole number from 1, not ${limit}`);
  return Math.min(limit, MAX_READ_EVENTS);
}

/**
 * Returns the revision at which reading a stream starts. If `from` is undefined, this is the first revision for
 * `forwards` and the last one for `backwards`. Throws `RangeError` if `from` is not a whole number from 0.
 */
export function startRevision(from: number | undefined, direction: 'forwards' | 'backwards'): number {
  if (from === undefined) return direction === 'forwards' ? 0 : MAX_REVISION;
  if (!isWithin(from, 0, Number.MAX_SAFE_INTEGER))
    throw new RangeError(`A stream is read from a revision, not from ${from}`);
  return Math.min(from, MAX_REVISION);
}
