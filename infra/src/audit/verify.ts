import {
  comparePositions,
  findEventDefinition,
  START_POSITION,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { HashBlock } from '../adapters/postgres/audit-chain.ts';
import type { ChainSegment } from '../adapters/postgres/audit-segments.ts';
import type { AuditLog } from '../adapters/postgres/audit-log.ts';
import { readEventPages } from '../service/event-pages.ts';
import { canonicalJson, chainLink, eventHash, NO_HASH, segmentStartHash } from './hashes.ts';
import {
  toEntryColumns,
  dailyRoot,
  entryHash,
  createLogEntry,
  belongsInModerationLog,
  readContinuation,
  type EntryColumns,
  type StoredLogEntry,
  type LogEntry,
} from './moderation-log.ts';

/** The result of a verification of the audit log. It contains the numbers of checked items and the first errors. */
export type Verification = Awaited<ReturnType<typeof verifyAuditLog>>;

export interface VerifyDependencies {
  /** The event store. It must return the events as they are stored, with encrypted personal data. */
  readonly store: EventStore;
  readonly log: AuditLog;
}

export interface VerifyOptions {
  readonly onProgress?: (events: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The maximum number of reported errors. The first errors are enough to start an investigation. */
const MAX_PROBLEMS = 20;

/**
 * Reads all stored events, and all hashes, log entries and daily root hashes of the audit log. Recomputes the hashes,
 * entries and root hashes. If any of these records was changed, reports an error that identifies the
 * record.
 */
export async function verifyAuditLog({ store, log }: VerifyDependencies, { onProgress, signal }: VerifyOptions = {}) {
  const problems: string[] = [];
  const report = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  const withEvents = new Set<string>();
  const segments = await log.readSegments();
  checkSegments(segments, report);
  const chain = createChainCheck(log, segments, report);
  let events = 0;
  let notChained = 0;
  let after: Position = START_POSITION;
  async function checkEntriesOf(page: readonly RecordedEvent[]): Promise<void> {
    const expected = page.filter((event) => {
      if (findEventDefinition(event.type)) return belongsInModerationLog(event);
      report(`${nameOf(event)} is of a type that this build does not know`);
      return false;
    });
    // An event without a stored hash is new. Its log entry may be written a moment later, so the entry is not checked.
    for (const event of expected) if (!chain.reaches(event.position)) withEvents.add(event.id);
    const logged = expected.filter((event) => chain.reaches(event.position));
    if (logged.length === 0) return;
    const entries = await log.findEntries(logged.map(({ id }) => id));
    for (const event of logged) {
      const stored = entries.get(event.id);
      if (!stored) report(`${nameOf(event)} has no entry in the moderation log`);
      else {
        withEvents.add(event.id);
        if (canonicalJson(contentOf(createLogEntry(event, null))) !== canonicalJson(contentOf(stored.entry)))
          report(`entry ${stored.entry.number} of the moderation log differs from ${nameOf(event)}`);
      }
    }
  }
  /** Reads and checks the events that were added since the last call. Returns true if new events were found. */
  async function readNewEvents(): Promise<boolean> {
    const start = after;
    for await (const page of readEventPages(store, { after, signal })) {
      for (const event of page) {
        if (await chain.take(event)) events += 1;
        else notChained += 1;
        after = event.position;
      }
      await checkEntriesOf(page);
      onProgress?.(events);
    }
    return after !== start;
  }
  try {
    // The services may write events during the verification. If a stored hash without an event remains, the hash may
    // belong to an event that was just written, so new events are read again.
    do await readNewEvents();
    while ((await chain.hasMore()) && (await readNewEvents()));
    await chain.end();
  } catch (error) {
    signal?.throwIfAborted();
    report(`the events after the first ${events} cannot be read: ${String(error)}`);
  }
  const hasEvent = async (id: string) => {
    if (!withEvents.has(id))
      for await (const page of readEventPages(store, { after, signal }))
        for (const event of page) withEvents.add(event.id);
    return withEvents.has(id);
  };
  const entries = await checkEntryChain(log, hasEvent, report);
  const days = await checkRoots(log, report);
  return {
    events,
    entries,
    days,
    /** The segments of the chain after the first one. Each begins where the event log was replaced. */
    segments,
    /** The number of events that are too new to have a stored hash. */
    notChained,
    /** Error messages, which identify the changed records. Empty if there is no error. */
    problems,
  };
}

interface StoredHash {
  readonly position: Position;
  readonly hash: Buffer;
}

const nameOf = ({ id, type, stream, revision, position }: RecordedEvent) =>
  `event ${id} (${type}, revision ${revision} of ${stream}, position ${position})`;

/**
 * Checks that each segment of the chain names the end of the segment before it, as far as this is an event that the log
 * has lost, or an empty segment. The check of the chain compares the other ends.
 */
function checkSegments(segments: readonly ChainSegment[], report: (problem: string) => void): void {
  for (const [index, segment] of segments.entries()) {
    const { number, first, previousHash, previousLast, startHash, lostEvents, lastLostHash } = segment;
    if (previousLast !== first - 1 + lostEvents)
      report(`segment ${number} of the audit chain does not begin after the lost events of the segment before it`);
    if (number !== index + 2) report(`segment ${index + 2} of the audit chain is missing`);
    if (lostEvents > 0 && lastLostHash === null)
      report(`the hashes of the ${lostEvents} lost events before segment ${number} of the audit chain are missing`);
    if (!segmentStartHash(number, previousHash).equals(startHash))
      report(`the start of segment ${number} of the audit chain was changed`);
    const end = findEmptySegment(segments.slice(0, index), previousLast + 1)?.startHash ?? lastLostHash;
    if (end !== null && !end.equals(previousHash))
      report(`segment ${number} of the audit chain does not name the end of the segment before it`);
  }
}

/** Returns the segment that begins with this event, of which the chain had no event yet, or undefined. */
function findEmptySegment(earlier: readonly ChainSegment[], first: number): ChainSegment | undefined {
  const found = earlier.findLastIndex((segment) => segment.first <= first);
  return earlier[found]?.first === first ? earlier[found] : undefined;
}

/** Creates a check that compares events with the stored hashes, one event at a time. */
function createChainCheck(log: AuditLog, segments: readonly ChainSegment[], report: (problem: string) => void) {
  /** The segments whose first event is in the chain, by the number of this event. */
  const starts = new Map(segments.filter(({ isCurrent }) => isCurrent).map((segment) => [segment.first, segment]));
  /** The number of stored hashes that were read. */
  let taken = 0;
  const hashes = hashesOf(log.readBlocks(), report);
  let previous = NO_HASH;
  let next: StoredHash | null | undefined;
  let reached: Position = START_POSITION;
  /**
   * An event that does not match its stored hash. The hash of the next event shows whether the event or its hash was
   * changed, because it includes the previous hash.
   */
  let doubtful: { readonly name: string; readonly computed: Buffer } | null = null;
  const linkTo = (before: Buffer) => chainLink(starts.get(taken)?.startHash, before);

  /** Reports a segment without a loss that does not name the event before it. `hash` is the hash of this event. */
  function checkSegmentWithoutLoss(hash: Buffer): void {
    for (const [index, { first, number, lostEvents, previousHash, isBeforeMove }] of segments.entries()) {
      // After a later segment that begins before the event, the chain has other events.
      const isReplaced = segments.slice(index + 1).some((later) => later.first < first);
      if (first !== taken || lostEvents > 0 || isBeforeMove || isReplaced) continue;
      const end = findEmptySegment(segments.slice(0, index), first)?.startHash ?? hash;
      if (!end.equals(previousHash))
        report(`segment ${number} of the audit chain does not name the end of the segment before it`);
    }
  }

  const peek = async () => {
    if (next === undefined) {
      const read = await hashes.next();
      next = read.done ? null : read.value;
    }
    return next;
  };

  function settle(event: RecordedEvent | null, hash: Buffer | null): void {
    if (!doubtful) return;
    const { name, computed } = doubtful;
    doubtful = null;
    if (event === null || hash === null) report(`${name}, or its hash, was changed`);
    else
      report(
        eventHash(linkTo(computed), event).equals(hash) ? `the hash of ${name} was changed` : `${name} was changed`,
      );
  }

  return {
    /** Returns true if the stored hashes up to this position in the event log have been checked. */
    reaches: (position: Position) => comparePositions(position, reached) <= 0,
    /** Checks the next event. Returns false if the event is too new to have a stored hash. */
    async take(event: RecordedEvent): Promise<boolean> {
      for (
        let hash = await peek();
        hash !== null && comparePositions(hash.position, event.position) < 0;
        hash = await peek()
      ) {
        settle(null, null);
        report(`the event at position ${hash.position} is missing`);
        ({ hash: previous, position: reached } = hash);
        next = undefined;
        taken += 1;
      }
      const own = await peek();
      if (own === null) return false;
      if (comparePositions(own.position, event.position) > 0) {
        report(`${nameOf(event)} was put in`);
        return true;
      }
      next = undefined;
      taken += 1;
      checkSegmentWithoutLoss(previous);
      const computed = eventHash(linkTo(previous), event);
      const matches = computed.equals(own.hash);
      const wasHashChanged = doubtful !== null && eventHash(linkTo(doubtful.computed), event).equals(own.hash);
      settle(event, own.hash);
      if (!matches && !wasHashChanged) doubtful = { name: nameOf(event), computed };
      previous = own.hash;
      reached = own.position;
      return true;
    },
    /** Returns true if there is a stored hash whose event has not been read. */
    async hasMore(): Promise<boolean> {
      return (await peek()) !== null;
    },
    async end(): Promise<void> {
      settle(null, null);
      const left = await peek();
      if (left) report(`the event at position ${left.position} is missing`);
    },
  };
}

async function* hashesOf(
  blocks: AsyncIterable<HashBlock>,
  report: (problem: string) => void,
): AsyncGenerator<StoredHash> {
  let expected = 1;
  for await (const { first, positions, hashes } of blocks) {
    if (first > expected) report(`the hashes of events ${expected} to ${first - 1} are missing`);
    if (first < expected) report(`the hashes of events from ${expected} on are numbered from ${first} on`);
    for (const [index, position] of positions.entries()) yield { position, hash: hashes[index] ?? NO_HASH };
    expected = Math.max(first, expected) + positions.length;
  }
}

function contentOf({ number: _number, day: _day, ...content }: LogEntry): Omit<LogEntry, 'number' | 'day'> {
  return content;
}

/**
 * Checks the hash of every log entry, which includes the hash of the previous entry. Also checks the database columns
 * of the entry. An entry about a continuation of the chain has no event, and the entries of its lost range may have
 * none. Returns the number of entries.
 */
async function checkEntryChain(
  log: AuditLog,
  hasEvent: (id: string) => Promise<boolean>,
  report: (problem: string) => void,
): Promise<number> {
  let previous = NO_HASH;
  let count = 0;
  const continuations = await log.readContinuations();
  const mayLackEvent = ({ number, type, facts }: LogEntry) =>
    readContinuation({ type, facts }) !== null ||
    continuations.some(({ firstLostEntry, lastLostEntry }) => number >= firstLostEntry && number <= lastLostEntry);
  for await (const { entry, hash, columns } of log.readEntries()) {
    const name = `entry ${columns.number} of the moderation log (${columns.type}, event ${columns.eventId})`;
    count += 1;
    if (columns.number !== String(count)) {
      const state = Number(columns.number) > count ? 'missing' : `numbered ${columns.number}`;
      report(`entry ${count} of the moderation log is ${state}`);
      count = Math.max(count, Number(columns.number));
    }
    if (!mayLackEvent(entry) && !(await hasEvent(columns.eventId))) report(`${name} has no event`);
    if (!entryHash(previous, entry).equals(hash)) report(`${name}, or its hash, was changed`);
    const changed = changedColumns({ entry, columns });
    if (changed.length > 0) report(`${name}: its row was changed (${changed.join(', ')})`);
    previous = hash;
  }
  return count;
}

/** Returns the names of the database columns whose stored values differ from the values in the log entry. */
function changedColumns({ entry, columns }: Pick<StoredLogEntry, 'entry' | 'columns'>): readonly string[] {
  let expected: Partial<EntryColumns> = {};
  try {
    expected = toEntryColumns(entry);
  } catch {
    // The entry is not a valid log entry, so all its columns count as changed.
  }
  return (Object.keys(columns) as (keyof EntryColumns)[]).filter((name) => columns[name] !== expected[name]);
}

/** Recomputes the root hash of every day from the stored log entries. Returns the number of root hashes. */
async function checkRoots(log: AuditLog, report: (problem: string) => void): Promise<number> {
  const roots = await log.readRoots();
  let previous = NO_HASH;
  for (const stored of roots) {
    const entries = await log.readEntriesOfDay(stored.day);
    const computed = entries.length > 0 ? dailyRoot(stored.day, entries, previous) : null;
    if (!computed) report(`the root of ${stored.day} belongs to entries that are missing`);
    else if (!computed.root.equals(stored.root) || computed.first !== stored.first || computed.last !== stored.last)
      report(`the root of ${stored.day} does not match its entries`);
    else if (!computed.hash.equals(stored.hash)) report(`the hash of the root of ${stored.day} was changed`);
    previous = stored.hash;
  }
  return roots.length;
}
