import { comparePositions, START, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { AuditLog, HashBlock } from '../adapters/postgres/audit-log.ts';
import { canonicalJson, eventHash, NO_HASH } from './hashes.ts';
import {
  columnsOf,
  dailyRoot,
  entryHash,
  entryOf,
  isLogged,
  type EntryColumns,
  type KeptEntry,
  type LogEntry,
} from './moderation-log.ts';

/** What was looked at, and the first places that do not fit. */
export interface Verification {
  readonly events: number;
  readonly entries: number;
  readonly days: number;
  /** Events too new to be chained yet. */
  readonly notChained: number;
  /** In words that name the place; none where all is as it was written. */
  readonly faults: readonly string[];
}

export interface VerifyDependencies {
  /** Events as they are kept, personal fields sealed. */
  readonly store: EventStore;
  readonly log: AuditLog;
}

export interface VerifyOptions {
  readonly onProgress?: (events: number) => void;
  readonly signal?: AbortSignal | undefined;
}

const PAGE_events = 1_000;
/** Whoever finds more than this will look at the first of them. */
const MAX_FAULTS = 20;

/**
 * Reads every event as it is kept, every hash, every entry of the moderation log and every daily root, and makes each of them again from what
 * it was made of (design, trust and privacy). A changed byte of an event, a hash, an entry or a root, in whichever column, is a fault that
 * names it.
 */
export async function verifyAuditLog(
  { store, log }: VerifyDependencies,
  { onProgress, signal }: VerifyOptions = {},
): Promise<Verification> {
  const faults: string[] = [];
  const say = (fault: string) => {
    if (faults.length < MAX_FAULTS) faults.push(fault);
  };
  const withEvents = new Set<string>();
  const chain = checkedChain(log, say);
  let events = 0;
  let notChained = 0;
  let after: Position = START;
  /** Reads what has come since; answers whether anything has. */
  async function readOn(): Promise<boolean> {
    const before = after;
    for await (const page of pagesOf(store, after, signal)) {
      for (const event of page) {
        if (await chain.take(event)) events += 1;
        else notChained += 1;
        after = event.position;
      }
      await checkEntriesOf(page, log, { say, withEvents, isChained: chain.reaches });
      onProgress?.(events);
    }
    return after !== before;
  }
  try {
    // The product may go on beside it: an event is there before its hash is, so that a hash without one is looked for once more.
    do await readOn();
    while ((await chain.hasMore()) && (await readOn()));
    await chain.end();
  } catch (error) {
    signal?.throwIfAborted();
    say(`after ${events} events, what follows cannot be read: ${String(error)}`);
  }
  const hasEvent = async (id: string) => {
    if (!withEvents.has(id))
      for await (const page of pagesOf(store, after, signal)) for (const event of page) withEvents.add(event.id);
    return withEvents.has(id);
  };
  const entries = await checkEntryChain(log, hasEvent, say);
  const days = await checkRoots(log, say);
  return { events, entries, days, notChained, faults };
}

interface KeptHash {
  readonly position: Position;
  readonly hash: Buffer;
}

const nameOf = ({ id, type, stream, revision, position }: RecordedEvent) =>
  `event ${id} (${type}, revision ${revision} of ${stream}, position ${position})`;

/** Holds events, one after the other, against the hashes that are kept. */
function checkedChain(log: AuditLog, say: (fault: string) => void) {
  const kept = hashesOf(log.blocks(), say);
  let previous = NO_HASH;
  let next: KeptHash | null | undefined;
  let reached: Position = START;
  /** An event whose hash is not the kept one: what comes after it tells which of the two was changed. */
  let doubtful: { readonly name: string; readonly computed: Buffer } | null = null;

  const peek = async () => {
    if (next === undefined) {
      const read = await kept.next();
      next = read.done ? null : read.value;
    }
    return next;
  };

  function settle(event: RecordedEvent | null, hash: Buffer | null): void {
    if (!doubtful) return;
    const { name, computed } = doubtful;
    doubtful = null;
    if (event === null || hash === null) say(`${name}, or its hash, was changed`);
    else say(eventHash(computed, event).equals(hash) ? `the hash of ${name} was changed` : `${name} was changed`);
  }

  return {
    /** Whether the chain covers this position. */
    reaches: (position: Position) => comparePositions(position, reached) <= 0,
    /** False for an event that is too new to be chained. */
    async take(event: RecordedEvent): Promise<boolean> {
      for (
        let hash = await peek();
        hash !== null && comparePositions(hash.position, event.position) < 0;
        hash = await peek()
      ) {
        settle(null, null);
        say(`the event at position ${hash.position} is missing`);
        ({ hash: previous, position: reached } = hash);
        next = undefined;
      }
      const own = await peek();
      if (own === null) return false;
      if (comparePositions(own.position, event.position) > 0) {
        say(`${nameOf(event)} was put in`);
        return true;
      }
      next = undefined;
      const computed = eventHash(previous, event);
      const isFit = computed.equals(own.hash);
      const wasHashChanged = doubtful !== null && eventHash(doubtful.computed, event).equals(own.hash);
      settle(event, own.hash);
      if (!isFit && !wasHashChanged) doubtful = { name: nameOf(event), computed };
      previous = own.hash;
      reached = own.position;
      return true;
    },
    /** Whether a hash is left whose event has not come. */
    async hasMore(): Promise<boolean> {
      return (await peek()) !== null;
    },
    async end(): Promise<void> {
      settle(null, null);
      const left = await peek();
      if (left) say(`the event at position ${left.position} is missing`);
    },
  };
}

async function* hashesOf(blocks: AsyncIterable<HashBlock>, say: (fault: string) => void): AsyncGenerator<KeptHash> {
  let expected = 1;
  for await (const { first, positions, hashes } of blocks) {
    if (first > expected) say(`the hashes of events ${expected} to ${first - 1} are missing`);
    if (first < expected) say(`the hashes of events from ${expected} on are numbered from ${first} on`);
    for (const [index, position] of positions.entries()) yield { position, hash: hashes[index] ?? NO_HASH };
    expected = Math.max(first, expected) + positions.length;
  }
}

async function* pagesOf(
  store: EventStore,
  from: Position,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let after = from; ; ) {
    signal?.throwIfAborted();
    const page = await store.readAll({ after, limit: PAGE_events });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.position;
  }
}

interface EntryCheck {
  readonly say: (fault: string) => void;
  readonly withEvents: Set<string>;
  readonly isChained: (position: Position) => boolean;
}

/** Holds the entries of a page of events against what the events say. */
async function checkEntriesOf(
  page: readonly RecordedEvent[],
  log: AuditLog,
  { say, withEvents, isChained }: EntryCheck,
): Promise<void> {
  // One that is not chained yet may have its entry a moment later.
  for (const event of page) if (isLogged(event) && !isChained(event.position)) withEvents.add(event.id);
  const logged = page.filter((event) => isLogged(event) && isChained(event.position));
  if (logged.length === 0) return;
  const entries = await log.entriesOf(logged.map(({ id }) => id));
  for (const event of logged) {
    const found = entries.get(event.id);
    if (!found) say(`${nameOf(event)} has no entry in the moderation log`);
    else {
      withEvents.add(event.id);
      if (canonicalJson(withoutPlace(entryOf(event, null))) !== canonicalJson(withoutPlace(found.entry)))
        say(`entry ${found.entry.number} of the moderation log does not say what ${nameOf(event)} says`);
    }
  }
}

/** What an entry says, wherever it stands. */
function withoutPlace({ number: _number, day: _day, ...said }: LogEntry): Omit<LogEntry, 'number' | 'day'> {
  return said;
}

/** Holds each entry against the one before it, and its row against what it says; answers how many there are. */
async function checkEntryChain(
  log: AuditLog,
  hasEvent: (id: string) => Promise<boolean>,
  say: (fault: string) => void,
): Promise<number> {
  let previous = NO_HASH;
  let count = 0;
  for await (const { entry, hash, columns } of log.entries()) {
    const name = `entry ${columns.number} of the moderation log (${columns.type}, event ${columns.eventId})`;
    count += 1;
    if (columns.number !== String(count)) {
      say(
        `entry ${count} of the moderation log is ${Number(columns.number) > count ? 'missing' : `numbered ${columns.number}`}`,
      );
      count = Math.max(count, Number(columns.number));
    }
    if (!(await hasEvent(columns.eventId))) say(`${name} has no event`);
    if (!entryHash(previous, entry).equals(hash)) say(`${name}, or its hash, was changed`);
    const changed = changedColumns({ entry, columns });
    if (changed.length > 0) say(`${name}: its row was changed (${changed.join(', ')})`);
    previous = hash;
  }
  return count;
}

/** The columns that are not what the entry would have written. */
function changedColumns({ entry, columns }: Pick<KeptEntry, 'entry' | 'columns'>): readonly string[] {
  let written: Partial<EntryColumns> = {};
  try {
    written = columnsOf(entry);
  } catch {
    // It was changed so much that it is no entry any more: none of its columns says what it says.
  }
  return (Object.keys(columns) as (keyof EntryColumns)[]).filter((name) => columns[name] !== written[name]);
}

/** Makes every daily root again of the entries that are kept; answers how many there are. */
async function checkRoots(log: AuditLog, say: (fault: string) => void): Promise<number> {
  const roots = await log.roots();
  let previous = NO_HASH;
  for (const kept of roots) {
    const entries = await log.entriesOn(kept.day);
    const made = entries.length > 0 ? dailyRoot(kept.day, entries, previous) : null;
    if (!made) say(`the root of ${kept.day} is of entries that are not there`);
    else if (!made.root.equals(kept.root) || made.first !== kept.first || made.last !== kept.last)
      say(`the root of ${kept.day} is not that of its entries`);
    else if (!made.hash.equals(kept.hash)) say(`the hash of the root of ${kept.day} was changed`);
    previous = kept.hash;
  }
  return roots.length;
}
