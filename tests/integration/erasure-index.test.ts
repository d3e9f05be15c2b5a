import { randomUUID } from 'node:crypto';
import {
  account,
  listing,
  media,
  person,
  START_POSITION,
  thread,
  toStreamId,
  type EventStore,
  type Position,
  type StreamId,
} from '@alpenglow/domain';
import {
  createDataKeys,
  createLogger,
  findAccountStreams,
  withPersonalData,
  type AccountStreams,
} from '@alpenglow/infra';
import { runAccountStreams } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

// The index from accounts to the streams with their data (decision 0080). An erasure reads only these streams.

const log = createLogger('silent');
const { signal } = new AbortController();
const AT = '2026-03-01T12:00:00.000Z';
const OTHERS = 300;

let opened: PostgresEventStoreFixture;
let store: EventStore;
let running: ReturnType<typeof runWithRetries> | null = null;

beforeEach(async () => {
  opened = await openPostgresEventStore();
  store = withPersonalData(opened.store, createDataKeys(opened.pool, 'ab'.repeat(32)));
});
afterEach(async () => {
  await stopIndex();
  await opened.close();
});

async function append(stream: StreamId, type: string, data: Record<string, unknown>): Promise<Position> {
  const meta = { correlationId: 'test', causationId: null, actor: { kind: 'system', name: 'test' }, at: AT } as const;
  const event = { id: randomUUID(), type, version: 1, data, meta };
  return (await store.append(stream, [event], { expectedRevision: 'any' })).position;
}

const review = (reviewerId: string, owner: string) =>
  append(toStreamId(listing, owner), 'AdReviewed', {
    accountId: owner,
    adId: `ad-${owner}`,
    reviewerId,
    reviewId: randomUUID(),
    name: 'Anna',
    comment: 'Kind.',
    rating: 5,
  });
const uploadPhoto = (ownerId: string, mediaId: string) =>
  append(toStreamId(media, mediaId), 'MediaUploaded', {
    mediaId,
    ownerId,
    kind: 'photo',
    sizeBytes: 1,
    contentType: 'image/jpeg',
  });
const startThread = (accountId: string, threadId: string) =>
  append(toStreamId(thread, threadId), 'ThreadStarted', {
    threadId,
    accountId,
    admissionId: threadId,
    country: 'us',
    state: 'NV',
    city: 'reno',
    title: 'Words',
    body: 'Words.',
    fingerprint: 'words',
  });
const repeatSignUp = (ofAccountId: string, accountId: string) =>
  append(toStreamId(account, accountId), 'SignUpRepeated', {
    accountId,
    ofAccountId,
    issuanceId: 'i',
    expiresAt: AT,
    email: 'a@example.org',
    passwordHash: null,
    userType: 'client',
    displayName: 'Anna',
    age: 30,
  });
const erase = async (accountId: string): Promise<void> => {
  const [stream, ids] = [toStreamId(person, accountId), { accountId, receiptId: randomUUID() }];
  await append(stream, 'ErasureRequested', { ...ids, by: 'self', reason: null });
  await append(stream, 'ErasureStepDone', { ...ids, step: 'keys_retired' });
};
const completeErasure = (accountId: string) =>
  append(toStreamId(person, accountId), 'ErasureCompleted', { accountId, receiptId: randomUUID() });

/** Writes data of anna in four streams of other names, between events of many other accounts. */
async function writeHistory(): Promise<void> {
  await review('anna', 'carl');
  await Promise.all(Array.from({ length: OTHERS }, (_, index) => review(`other-${index}`, `owner-${index}`)));
  await uploadPhoto('anna', 'photo-1');
  await startThread('anna', 'thread-1');
  await repeatSignUp('anna', 'stand-in');
}
const STREAMS = ['account-stand-in', 'listing-carl', 'media-photo-1', 'thread-thread-1'];

function startIndex(): void {
  running = runWithRetries((stopped) =>
    runAccountStreams({ pool: opened.pool, sealedStore: opened.store, log }, stopped),
  );
}
async function stopIndex(): Promise<void> {
  await running?.stop();
  running = null;
}
/** Waits until the index contains all events. */
async function waitForIndex(): Promise<void> {
  const head = await store.readHead();
  await eventually(async () => expect((await readCheckpoint()) ?? START_POSITION).toBe(head));
}
async function readCheckpoint(): Promise<Position | undefined> {
  const { rows } = await opened.pool.query<{ position: Position }>(
    `select position from rm.checkpoints where name = 'reactor-account-streams'`,
  );
  return rows[0]?.position;
}
async function readRows(accountId: string): Promise<readonly string[]> {
  const { rows } = await opened.pool.query<{ stream: string }>(
    'select stream from rm.account_streams where account_id = $1 order by 1',
    [accountId],
  );
  return rows.map(({ stream }) => stream);
}

/** Finds the streams of an account. Counts the events that are read of the log. */
async function find(accountId: string): Promise<AccountStreams & { readonly eventsRead: number }> {
  let eventsRead = 0;
  const counting: Pick<EventStore, 'findEventId' | 'readAll'> = {
    findEventId: (...args) => opened.store.findEventId(...args),
    async readAll(options) {
      const page = await opened.store.readAll(options);
      eventsRead += page.length;
      return page;
    },
  };
  const found = await findAccountStreams(accountId, { pool: opened.pool, sealedStore: counting }, signal);
  return { ...found, eventsRead };
}
const sorted = (streams: readonly string[]) => [...streams].sort();

test('a store without the index is searched, and with it an erasure reads no event of other accounts', async () => {
  await writeHistory();
  const searched = await find('anna');
  expect(sorted(searched.others)).toEqual(STREAMS);
  expect(searched.eventsRead).toBe(OTHERS + 4);

  startIndex();
  await waitForIndex();
  const found = await find('anna');
  expect(sorted(found.others)).toEqual(STREAMS);
  expect(found.own).toEqual(searched.own);
  expect(found.eventsRead).toBe(0);
  expect((await find('unknown')).others).toEqual([]);
});

test('events after the checkpoint of the index are found, too', async () => {
  await writeHistory();
  startIndex();
  await waitForIndex();
  await stopIndex();
  await review('anna', 'dora');
  await review('other-1', 'emma');
  const found = await find('anna');
  expect(sorted(found.others)).toEqual(['account-stand-in', 'listing-carl', 'listing-dora', ...STREAMS.slice(2)]);
  expect(found.eventsRead).toBe(2);
});

test('a build of the index that is interrupted is resumed, and all streams are found meanwhile', async () => {
  await writeHistory();
  // The connection ends in the middle of the build: each transaction of the index fails, except every third one.
  let transactions = 0;
  const interrupted = runWithRetries(
    async (stopped) => {
      const ended = new AbortController();
      const small: EventStore = {
        ...opened.store,
        async *subscribeAll(options) {
          for await (const batch of opened.store.subscribeAll(options))
            for (let from = 0; from < batch.length; from += 50) {
              transactions += 1;
              if (transactions % 3 === 0) throw new Error('killed');
              yield batch.slice(from, from + 50);
            }
        },
      };
      await runAccountStreams({ pool: opened.pool, sealedStore: small, log }, AbortSignal.any([stopped, ended.signal]));
    },
    { retry_ms: 1 },
  );
  const head = await store.readHead();
  await eventually(async () => {
    expect(sorted((await find('anna')).others)).toEqual(STREAMS);
    expect(await readCheckpoint()).toBe(head);
  });
  await interrupted.stop();
  expect(interrupted.failures.length).toBeGreaterThan(0);
  expect(await readRows('anna')).toEqual(STREAMS);
});

test('after the loss of events, the rows of lost events are removed and the new events are found', async () => {
  await writeHistory();
  const last = await store.readHead();
  startIndex();
  await waitForIndex();
  await review('anna', 'lost-1');
  await review('anna', 'lost-2');
  await waitForIndex();
  await stopIndex();
  await opened.rewindTo(last);
  await review('anna', 'new-1');
  await review('ben', 'new-2');
  await review('anna', 'new-3');
  const expected = [...STREAMS, 'listing-new-1', 'listing-new-3'].sort();
  // The index still contains lost events. It is not used, except that it may name too many streams.
  expect(sorted((await find('anna')).others)).toEqual(expect.arrayContaining(expected));
  startIndex();
  await eventually(async () => expect(await readRows('anna')).toEqual(expected));
  await waitForIndex();
  expect(sorted((await find('anna')).others)).toEqual(expected);
});

test('a process that starts late deletes no rows of the process that has taken over', async () => {
  await writeHistory();
  startIndex();
  await waitForIndex();
  await stopIndex();
  // The first process has read the checkpoint, and stops until the second process has added a row.
  const gate = createGate();
  const stalled: EventStore = {
    ...opened.store,
    async findEventId(...args) {
      const id = await opened.store.findEventId(...args);
      await gate.yieldToOtherWork();
      return id;
    },
  };
  const late = runAccountStreams({ pool: opened.pool, sealedStore: stalled, log }, signal);
  late.catch(() => undefined);
  await gate.waitUntilReached();
  await review('anna', 'dora');
  startIndex();
  await waitForIndex();
  gate.open();
  await expect(late).rejects.toThrow('Checkpoint');
  expect(await readRows('anna')).toContain('listing-dora');
});

test('the end of an erasure removes the account from the index, except for streams of a new account', async () => {
  await writeHistory();
  await review('other-1', 'carl');
  startIndex();
  await erase('anna');
  // During the erasure, the person signs up again, writes another review of the same ad, and uploads a photo.
  await review('anna', 'carl');
  await uploadPhoto('anna', 'photo-2');
  await waitForIndex();
  expect(await readRows('anna')).toEqual([...STREAMS, 'media-photo-2'].sort());
  await completeErasure('anna');
  await waitForIndex();
  expect(await readRows('anna')).toEqual(['listing-carl', 'media-photo-2']);
  expect(await readRows('other-1')).toEqual(['listing-carl', 'listing-owner-1']);

  await erase('anna');
  await completeErasure('anna');
  await waitForIndex();
  expect(await readRows('anna')).toEqual([]);
  expect(await readRows('other-1')).toEqual(['listing-carl', 'listing-owner-1']);
});
