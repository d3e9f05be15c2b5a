import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  type EventStore,
  type Position,
} from '@alpenglow/domain';
import { MAX_APPEND_bytes, MAX_APPEND_EVENTS, eventSize_bytes } from '@alpenglow/infra';
import { ToolError } from '../tool.ts';
import { createEventDigest, eventText, isSameDigest, type EventDigest, type StoredEvent } from './event-digest.ts';
import { retryDuringOutages, readEvents } from './read-events.ts';

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each append, and for each event that the target already contains. */
  readonly onProgress?: (progress: { readonly done: number; readonly last: StoredEvent }) => void;
}

export interface CopyResult extends EventDigest {
  /** Number of events that the target already contained before the copy. */
  readonly found: number;
}

/**
 * Copies events into a store in order. Each event retains its id, revision, type, version, data and meta. Personal data
 * must stay encrypted, so `target` must be a store that does not encrypt or decrypt it. The target may already contain
 * the first events of the source, e.g. after an interruption. The copy then continues after these events. Throws
 * `ToolError` if the target contains any other event. Returns the digest of the source, which is the number and the
 * hash of its events.
 *
 * Events are appended one after the other, so that the order of all events is the same as in the source. Only one page
 * of events and one append are in memory at a time.
 */
export async function copyEvents(
  source: AsyncIterable<StoredEvent>,
  target: EventStore,
  { signal, onProgress }: CopyOptions = {},
): Promise<CopyResult> {
  const digest = createEventDigest();
  const events = source[Symbol.asyncIterator]();
  try {
    const head = await retryDuringOutages(() => target.readHead(), signal);
    for await (const existing of readEvents(target, { until: head, signal })) {
      const next = await events.next();
      const text = eventText(existing);
      checkExisting(existing, text, next.done === true ? null : next.value, digest.count);
      digest.addText(text);
      onProgress?.({ done: digest.count, last: existing });
    }
    const found = digest.count;
    for await (const group of groupForAppends(events)) {
      await retryDuringOutages(() => append(target, group), signal);
      for (const event of group) digest.addText(eventText(event));
      const last = group.at(-1);
      if (last) onProgress?.({ done: digest.count, last });
    }
    return { ...digest.value(), found };
  } catch (error) {
    throw error instanceof EventStoreUnavailable
      ? new ToolError(`${error.message}. Run the same command again to continue.`, { cause: error })
      : error;
  } finally {
    await events.return?.();
  }
}

/**
 * Reads all events of the target and compares them with the digest of the source. Throws `ToolError` if they differ.
 */
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
  const until = await retryDuringOutages(() => target.readHead(), signal);
  for await (const event of readEvents(target, { until, signal })) {
    digest.addText(eventText(event));
    onEvent?.(event, digest.count);
  }
  const value = digest.value();
  if (isSameDigest(value, expected)) return;
  throw new ToolError(
    `The copy is not the same: ${value.count} events with sha256 ${value.sha256}, where ${expected.count} with ` +
      `${expected.sha256} were expected. Nothing was switched over. Empty the target and copy again.`,
  );
}

function checkExisting(existing: StoredEvent, existingText: string, original: StoredEvent | null, place: number): void {
  const nameOf = ({ type, id, stream, revision }: StoredEvent) => `${type} ${id} (revision ${revision} of ${stream})`;
  if (original === null)
    throw new ToolError(
      `The target has more events than the source: event ${place + 1} is ${nameOf(existing)}. ` +
        'It must be empty, or contain only events of an earlier copy.',
    );
  if (existingText === eventText(original)) return;
  const difference =
    existing.id === original.id
      ? `${nameOf(existing)} with other contents`
      : `${nameOf(existing)}, where the source has ${nameOf(original)}`;
  throw new ToolError(
    `The target is no copy of the source: event ${place + 1} is ${difference}. ` +
      'It must be empty, or contain only events of an earlier copy.',
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
    throw new ToolError(`${error.message}. Another process writes to the target, or the source is damaged.`, {
      cause: error,
    });
  }
}

/** Yields groups of consecutive events of the same stream. Each group is as large as possible for one append. */
async function* groupForAppends(events: AsyncIterator<StoredEvent>): AsyncGenerator<readonly StoredEvent[]> {
  let group: StoredEvent[] = [];
  let size_bytes = 0;
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    const last = group.at(-1);
    const event_bytes = eventSize_bytes({
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
