import { InvalidAppend, START, type EventToAppend, type ExpectedRevision, type Position } from '@alpenglow/domain';

/** Limits of the event store port, the same for every adapter. */
export const MAX_APPEND_EVENTS = 500;
export const MAX_APPEND_bytes = 1024 * 1024;
export const MAX_READ_EVENTS = 1_000;
const MAX_STREAM_characters = 200;
const MAX_TYPE_characters = 100;
const MAX_VERSION = 32_767;
const MAX_REVISION = 2_147_483_647;
/** What an event takes up besides its data, its meta and its type, at most: no store adds more. */
const ENVELOPE_bytes = 64;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;
/** What begins with `$` is EventStoreDB's own. */
const PRINTABLE = /^(?!\$)\P{C}+$/u;
/** JSON.stringify escapes U+0000 and half surrogate pairs, always in lower case; an even number of backslashes before it is a text about escapes. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][\da-f]{2})/u;
const POSITION = /^\d{19}$/u;
const LAST_POSITION = '9223372036854775807';

/** An append that has passed every check that needs no look at the store. */
export interface CheckedAppend {
  readonly stream: string;
  readonly expectedRevision: ExpectedRevision;
  readonly events: readonly CheckedEvent[];
  readonly size_bytes: number;
}

/** `data` and `meta` as JSON text. */
export interface CheckedEvent {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: string;
  readonly meta: string;
}

/** Throws `InvalidAppend` for whatever no store of ours may hold. */
export function checkAppend(
  stream: string,
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
    const before = events[index - 1];
    // The events of one command share their meta.
    const meta = (event.meta === before?.meta ? checked[index - 1]?.meta : undefined) ?? toJson(event.type, event.meta);
    checked.push(checkEvent(event, meta));
  }
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidAppend('Two events of one append have the same id');
  const size_bytes = checked.reduce((sum, event) => sum + sizeOf(event), 0);
  if (size_bytes > MAX_APPEND_bytes)
    throw new InvalidAppend(`${size_bytes} bytes are more than an append may hold (${MAX_APPEND_bytes})`);
  return { stream, expectedRevision, events: checked, size_bytes };
}

function checkEvent({ id, type, version, data }: EventToAppend, meta: string): CheckedEvent {
  if (!UUID.test(id)) throw new InvalidAppend('An event id must be a UUID in lower case');
  checkName('The event type', type, MAX_TYPE_characters);
  if (!isWithin(version, 1, MAX_VERSION))
    throw new InvalidAppend(`The version ${version} of ${type} is not a whole number from 1`);
  return { id, type, version, data: toJson(type, data), meta };
}

/** What an event counts towards `MAX_APPEND_bytes`: as EventStoreDB counts it, with two bytes for each character of the type. `data` and `meta` are JSON text. */
export function sizeOf({ type, data, meta }: Pick<CheckedEvent, 'type' | 'data' | 'meta'>): number {
  return Buffer.byteLength(data) + Buffer.byteLength(meta) + 2 * type.length + ENVELOPE_bytes;
}

/** Whether there can be a stream of that name. */
export function isStreamName(name: string): boolean {
  return isName(name, MAX_STREAM_characters);
}

function isName(name: string, max: number): boolean {
  return name.length <= max && PRINTABLE.test(name);
}

function checkName(what: string, name: string, max: number): void {
  if (!isName(name, max))
    throw new InvalidAppend(`${what} must be 1 to ${max} printable characters, the first of which is no $`);
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

/** The position as the number it stands for, in decimal text; `START` is 0. Throws `RangeError` for text that is no position of these stores. */
export function positionToNumber(position: Position): string {
  if (position === START) return '0';
  if (!POSITION.test(position) || position > LAST_POSITION)
    throw new RangeError('This is not a position of this event store');
  return position;
}

/** A counter's value as a position: 19 digits, so that text order is number order. */
export function toPosition(counter: string | number): Position {
  return String(counter).padStart(LAST_POSITION.length, '0') as Position;
}

/** A page size within the port's bounds. */
export function pageSize(limit: number | undefined): number {
  if (limit === undefined) return MAX_READ_EVENTS;
  if (!isWithin(limit, 1, Number.MAX_SAFE_INTEGER))
    throw new RangeError(`A limit must be a whole number from 1, not ${limit}`);
  return Math.min(limit, MAX_READ_EVENTS);
}

/** The revision a stream is read from: what was asked for, or the end that `direction` starts at. */
export function startRevision(from: number | undefined, direction: 'forwards' | 'backwards'): number {
  if (from === undefined) return direction === 'forwards' ? 0 : MAX_REVISION;
  if (!isWithin(from, 0, Number.MAX_SAFE_INTEGER))
    throw new RangeError(`A stream is read from a revision, not from ${from}`);
  return Math.min(from, MAX_REVISION);
}
