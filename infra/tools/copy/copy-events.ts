import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  type EventStore,
  type Position,
} from '@alpenglow/domain';
import { MAX_APPEND_bytes, MAX_APPEND_EVENTS, sizeOf } from '../../src/adapters/event-store-input.ts';
import { ToolError } from '../tool.ts';
import { createEventDigest, eventText, isSameDigest, type EventDigest, type StoredEvent } from './event-digest.ts';
import { patiently, readEvents } from './read-events.ts';

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told after each append, and of each event that is there already. */
  readonly onProgress?: (progress: { readonly done: number; readonly last: StoredEvent }) => void;
}

export interface Copied extends EventDigest {
  /** How many events were in the target before. */
  readonly found: number;
}

/**
 * Copies events into a store, in order, each with its id, revision, type, version, data and meta as they are (personal data
 * stays sealed: hand in the store itself, not one that opens it). What the target holds already must be how the source
 * begins; the copy goes on from there, so that one that was broken off, or events that came since, are a matter of calling
 * this again. Answers what the source held. Throws `ToolError` when the target holds anything else.
 *
 * One append at a time: nothing else keeps the order of events of different streams. Memory: a page, and one append.
 */
export async function copyEvents(
  source: AsyncIterable<StoredEvent>,
  target: EventStore,
  { signal, onProgress }: CopyOptions = {},
): Promise<Copied> {
  const digest = createEventDigest();
  const events = source[Symbol.asyncIterator]();
  try {
    const head = await patiently(() => target.head(), signal);
    for await (const held of readEvents(target, { until: head, signal })) {
      const next = await events.next();
      const text = eventText(held);
      checkHeld(held, text, next.done === true ? null : next.value, digest.count);
      digest.addText(text);
      onProgress?.({ done: digest.count, last: held });
    }
    const found = digest.count;
    for await (const group of appendable(events)) {
      await patiently(() => append(target, group), signal);
      for (const event of group) digest.addText(eventText(event));
      const last = group.at(-1);
      if (last) onProgress?.({ done: digest.count, last });
    }
    return { ...digest.value(), found };
  } catch (error) {
    throw error instanceof EventStoreUnavailable
      ? new ToolError(`${error.message}. Run the same command again to go on.`, { cause: error })
      : error;
  } finally {
    await events.return?.();
  }
}

/** Reads the target from its first event on and holds it against what was copied. Throws `ToolError` when it differs. */
export async function verifyCopy(
  target: EventStore,
  expected: EventDigest,
  {
    signal,
    onEvent,
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly onEvent?: (event: StoredEvent & { readonly position: Position }, done: number) => void;
  } = {},
): Promise<void> {
  const digest = createEventDigest();
  const until = await patiently(() => target.head(), signal);
  for await (const event of readEvents(target, { until, signal })) {
    digest.addText(eventText(event));
    onEvent?.(event, digest.count);
  }
  const value = digest.value();
  if (isSameDigest(value, expected)) return;
  throw new ToolError(
    `The copy is not the same: ${value.count} events with sha256 ${value.sha256}, where ${expected.count} with ${expected.sha256} were expected. Nothing was switched over. Empty the target and copy again.`,
  );
}

function checkHeld(held: StoredEvent, heldText: string, original: StoredEvent | null, place: number): void {
  const nameOf = ({ type, id, stream, revision }: StoredEvent) => `${type} ${id} (revision ${revision} of ${stream})`;
  if (original === null)
    throw new ToolError(
      `The target holds more than the source: event ${place + 1} is ${nameOf(held)}. It must be empty, or hold what an earlier copy put there.`,
    );
  if (heldText === eventText(original)) return;
  const what =
    held.id === original.id
      ? `${nameOf(held)} with other contents`
      : `${nameOf(held)}, where the source has ${nameOf(original)}`;
  throw new ToolError(
    `The target is no copy of the source: event ${place + 1} is ${what}. It must be empty, or hold what an earlier copy put there.`,
  );
}

async function append(target: EventStore, group: readonly StoredEvent[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { stream, revision } = first;
  try {
    await target.append(
      stream,
      group.map(({ id, type, version, data, meta }) => ({ id, type, version, data, meta })),
      { expectedRevision: revision === 0 ? 'no-stream' : revision - 1 },
    );
  } catch (error) {
    if (!(error instanceof ConcurrencyConflict) && !(error instanceof InvalidAppend)) throw error;
    throw new ToolError(`${error.message}. Somebody else writes into the target, or the source is damaged.`, {
      cause: error,
    });
  }
}

/** Neighbours of one stream together, as many as one append may hold. */
async function* appendable(events: AsyncIterator<StoredEvent>): AsyncGenerator<readonly StoredEvent[]> {
  let group: StoredEvent[] = [];
  let size_bytes = 0;
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    const last = group.at(-1);
    const event_bytes = sizeOf({
      type: event.type,
      data: JSON.stringify(event.data),
      meta: JSON.stringify(event.meta),
    });
    const follows = last !== undefined && event.stream === last.stream && event.revision === last.revision + 1;
    if (last && !(follows && group.length < MAX_APPEND_EVENTS && size_bytes + event_bytes <= MAX_APPEND_bytes)) {
      yield group;
      group = [];
      size_bytes = 0;
    }
    group.push(event);
    size_bytes += event_bytes;
  }
  if (group.length > 0) yield group;
}
