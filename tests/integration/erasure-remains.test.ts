import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  account,
  createThreadCode,
  evidenceBlobKey,
  identityBlobKey,
  media,
  originalBlobKey,
  person as personAggregate,
  photoBlobKeys,
  publicBlobKeys,
  thread,
  toStreamId,
  type BlobStore,
  type EventStore,
} from '@alpenglow/domain';
import {
  accountIdOf,
  createCommandHandler,
  createDataKeys,
  createFileBlobStore,
  createInbox,
  createJobQueue,
  createLogger,
  createPostgresEventStore,
  createSessions,
  createUnfinishedJobs,
  openJobBackend,
  withPersonalData,
  type ErasedPerson,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { createPurgeStep, findRemainingRows, PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createErasureSteps } from '../../workers/src/erasure/erasure-steps.ts';
import { findAccountData } from '../../workers/src/erasure/find-account-data.ts';
import { findRemainingData, toErasedOwner } from '../../workers/src/erasure/find-remaining-data.ts';
import { findTraces, removeTraces, type ErasedOwner } from '../../workers/src/erasure/remove-traces.ts';
import { findInTables } from '../support/clear-text.ts';
import { createTestPool, createWorkDatabase, type TestDatabase } from '../support/database.ts';
import {
  appendEvent,
  appendProvider,
  appendThread,
  appendTraces,
  destroyKeys,
  personInErasure,
} from '../support/erased-person.ts';
import { eventually } from '../support/eventually.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

// The last part of an erasure verifies its result (decision 0080). These tests put data of an erased account into each
// kind of place, and the verification must find it.

const SECRET = 'ab'.repeat(32);
const EMAIL = 'xylophona@example.org';
const WORD = 'Xylophona';
const ID = accountIdOf(SECRET, EMAIL);
const MEDIA = `${ID}-photo`;
const CHECK = randomUUID();
const THREAD = randomUUID();
const OWN_THREAD = randomUUID();
const HOUR_ms = 60 * 60_000;
const log = createLogger('silent');
const { signal } = new AbortController();

let database: TestDatabase;
let pool: Pool;
let folder: string;
let blobs: BlobStore;
let backend: JobBackend;
let sealedStore: EventStore;
let store: EventStore;
let dataKeys: ReturnType<typeof createDataKeys>;
let running: readonly ReturnType<typeof runWithRetries>[];
/** The erased account. Its steps have times in the future, so that everything that the tests add is older. */
let person: ErasedPerson;
let owner: ErasedOwner;

beforeAll(async () => {
  database = await createWorkDatabase();
  const { connectionString } = database;
  pool = createTestPool(connectionString, PROJECTIONS.length * 2 + 4);
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-remains-'));
  blobs = await createFileBlobStore({ root: folder });
  backend = await openJobBackend({ connectionString });
  sealedStore = createPostgresEventStore({ pool, connectionString });
  dataKeys = createDataKeys(pool, SECRET);
  store = withPersonalData(sealedStore, dataKeys);
  await appendProvider(store, 'other', 'Other');
  await appendThread(store, 'other', THREAD, 'Other');
  await appendProvider(store, ID, WORD);
  await appendThread(store, ID, OWN_THREAD, WORD);
  await appendTraces(store, ID, WORD, { ownerId: 'other', threadId: THREAD, mediaId: MEDIA, checkId: CHECK });
  running = PROJECTIONS.map((projection) =>
    runWithRetries((stopped) => runProjection(projection, { store, pool, log }, stopped)),
  );
  await waitForProjections();
  await destroyKeys(ID, dataKeys, pool);
  person = personInErasure(ID, 'read_models_purged', new Date(Date.now() + HOUR_ms));
  const purge = createPurgeStep(
    { pool, sealedStore, dataKeys, commands: createCommandHandler(store), log },
    PROJECTIONS,
  );
  const destroyed = personInErasure(ID, 'keys_destroyed', new Date());
  await eventually(async () => expect(await purge(destroyed, signal)).toBe('done'));
  const data = await findAccountData(ID, { pool, sealedStore }, signal);
  const later = new Date(Date.now() + HOUR_ms);
  owner = toErasedOwner(person, data, new Set(data.uploads), { readAt: later, purgedAt: later });
});
afterAll(async () => {
  for (const projection of running) await projection.stop();
  await backend.close();
  await store.close();
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function waitForProjections(): Promise<void> {
  const head = await store.readHead();
  await eventually(async () => {
    const { rows } = await pool.query('select from rm.checkpoints where position = $1', [head]);
    expect(rows).toHaveLength(PROJECTIONS.length);
  });
}

describe('in read models', () => {
  const find = () => findRemainingRows(person, PROJECTIONS, { pool, sealedStore, dataKeys }, signal);

  test('nothing is found after the purge', async () => {
    expect(await find()).toEqual([]);
    expect(await findInTables(pool, [WORD])).toEqual([]);
  });

  test.each([
    ['a name in the account', 'accounts', 'display_name', 'account_id = $1', () => ID],
    ['a mail address in the account', 'accounts', 'email', 'account_id = $1', () => ID],
    ['a title in a list', 'ad_cards', 'title', 'account_id = $1', () => ID],
    ['a description of an ad', 'ad_details', 'description', 'account_id = $1', () => ID],
    ['a phone number for finding linked ads', 'ad_links', 'phone_digits', 'account_id = $1', () => ID],
    ['a title of a thread', 'community_threads', 'title', 'thread_id = $1', () => OWN_THREAD],
    ['a post in a thread of another account', 'community_posts', 'body', 'thread_id = $1 and number = 1', () => THREAD],
    ['a preview of a photo', 'media_items', 'blur', 'media_id = $1', () => MEDIA],
    ['a text of a report', 'reports', 'text', 'reporter_id = $1', () => ID],
  ] as const)('%s is found', async (_what, table, column, where, key) => {
    const { rows } = await pool.query<Record<string, unknown>>(`select ${column} from rm.${table} where ${where}`, [
      key(),
    ]);
    expect(rows).toHaveLength(1);
    await pool.query(`update rm.${table} set ${column} = $2 where ${where}`, [key(), WORD]);
    expect(await find()).toEqual([`rm.${table}`]);
    await pool.query(`update rm.${table} set ${column} = $2 where ${where}`, [key(), rows[0]?.[column]]);
    expect(await find()).toEqual([]);
  });

  test('a review of the ad of another account is found', async () => {
    const change = (from: string, to: string) =>
      pool.query(
        `update rm.ad_details set written_reviews = replace(written_reviews::text, $1, $2)::jsonb
          where account_id = 'other'`,
        [from, to],
      );
    await change('"comment": ""', `"comment": "${WORD}"`);
    expect(await find()).toEqual(['rm.ad_details']);
    await change(`"comment": "${WORD}"`, '"comment": ""');
    expect(await find()).toEqual([]);
  });

  test('a row that should not exist, and a row in the previous table of a swap, are found', async () => {
    await pool.query('delete from rm.accounts where account_id = $1', [ID]);
    expect(await find()).toEqual(['rm.accounts']);
    await pool.query(
      `insert into rm.accounts (account_id, email, display_name, user_type, age, email_verified, verified, two_step,
                                is_demo, registered_at)
       select $1, '', '', user_type, 0, false, false, false, false, registered_at from rm.accounts limit 1`,
      [ID],
    );
    // The time of the registration is that of another account.
    expect(await find()).toEqual(['rm.accounts']);
    await pool.query(
      `update rm.accounts set registered_at = (select (meta ->> 'at')::timestamptz from es.events
                                                where stream = 'account-' || $1 and type = 'AccountRegistered')
        where account_id = $1`,
      [ID],
    );
    expect(await find()).toEqual([]);
    await pool.query(
      `create table rm.accounts__previous (like rm.accounts including all);
       insert into rm.accounts__previous select * from rm.accounts;
       insert into rm.previous_versions (projection, version, position)
         select name, version, position from rm.checkpoints where name = 'accounts'`,
    );
    expect(await find()).toEqual([]);
    await pool.query('update rm.accounts__previous set display_name = $2 where account_id = $1', [ID, WORD]);
    expect(await find()).toEqual(['rm.accounts__previous']);
    await pool.query(`drop table rm.accounts__previous; delete from rm.previous_versions`);
  });
});

describe('in other places', () => {
  const findData = async () =>
    findRemainingData(
      person,
      await findAccountData(ID, { pool, sealedStore }, signal),
      new Set(owner.mediaIds),
      { blobs, dataKeys },
      signal,
    );
  const deps = () => ({ pool, backend, createAccountId: (email: string) => accountIdOf(SECRET, email) });
  const find = async () => (await findTraces([owner], deps()))[0];

  test('nothing is found at first', async () => {
    expect(owner.mediaIds).toEqual([MEDIA]);
    expect(await findData()).toEqual([]);
    expect(await find()).toEqual([]);
  });

  test.each([
    ['an original file', originalBlobKey(MEDIA)],
    ['a variant of a photo', photoBlobKeys.variant(MEDIA, '640.webp')],
    ['evidence', `${evidenceBlobKey(publicBlobKeys.photo(MEDIA))}640.webp`],
    ['a picture of an identity check', identityBlobKey(CHECK, 1)],
  ])('%s is found', async (_what, key) => {
    await blobs.put(key, Buffer.from(WORD));
    expect(await findData()).toEqual(['blobs']);
    await blobs.remove(key);
    expect(await findData()).toEqual([]);
  });

  test('a key that is not destroyed is found', async () => {
    const { rows } = await pool.query<{ account_id: string; wrapped_key: Buffer | null }>(
      `select account_id, wrapped_key from auth.data_keys where split_part(account_id, '~', 1) = $1`,
      [ID],
    );
    const destroyed = rows.find(({ wrapped_key: key }) => key === null)?.account_id;
    const setKey = (key: string | null) =>
      pool.query(`update auth.data_keys set wrapped_key = decode($2, 'hex') where account_id = $1`, [destroyed, key]);
    await setKey('00');
    expect(await findData()).toEqual(['keys']);
    await setKey(null);
    expect(await findData()).toEqual([]);
  });

  const plants: Readonly<Record<string, readonly [place: string, plant: () => Promise<unknown>]>> = {
    'a session': [
      'sessions',
      () => createSessions(pool).open({ accountId: ID, passwordVersion: 0, twoStepVersion: 0 }),
    ],
    'a stored response': [
      'stored responses',
      () =>
        pool.query(
          `insert into requests.answers (account_id, key, request_hash, turn, locked_until, status, headers, body,
                                         expires_at)
           values ('other', gen_random_uuid()::text, '', gen_random_uuid(), now(), 200, '{}', $1,
                   now() + interval '1 day')`,
          [Buffer.from(WORD)],
        ),
    ],
    'the progress of mails about replies': [
      'reply notifications',
      () =>
        pool.query('insert into mail.told_replies (account_id, thread_id, first, up_to) values ($1, $2, 1, 1)', [
          ID,
          THREAD,
        ]),
    ],
    'the record of a mail about a reply': [
      'reply notifications',
      () => pool.query(`insert into mail.sent (id, state) values ('reply-' || $1 || '-1', 'sent')`, [ID]),
    ],
    'the record of a digest': [
      'reply notifications',
      () => pool.query(`insert into mail.sent (id, state) values ('digest-' || $1 || '-2026-03-01', 'sent')`, [ID]),
    ],
    'a mail to the person': [
      'inbox',
      () =>
        createInbox(pool).send({ id: randomUUID(), to: EMAIL, subject: 'Words', text: 'Words', unsubscribeUrl: null }),
    ],
    'a mail about a thread of the person': [
      'inbox',
      () =>
        createInbox(pool).send({
          id: randomUUID(),
          to: 'other@example.org',
          subject: 'Words',
          text: `https://example.org/${createThreadCode(OWN_THREAD)}?post=1`,
          unsubscribeUrl: null,
        }),
    ],
    'a job that is stored as unfinished': [
      'unfinished jobs',
      () => createUnfinishedJobs(pool).add('photo-variants', { mediaId: MEDIA }, { jobId: randomUUID() }),
    ],
    'a waiting job about the account': ['jobs', () => enqueue('digest-mail', { accountId: ID, day: '2026-03-01' })],
    'a delayed job about a photo of the account': [
      'jobs',
      () => enqueue('photo-variants', { mediaId: MEDIA }, HOUR_ms),
    ],
  };
  async function enqueue(...[kind, payload, delay_ms = 0]: readonly [string, object, number?]): Promise<void> {
    const queue = createJobQueue(backend);
    await queue.enqueue(kind as 'photo-variants', payload as { mediaId: string }, { jobId: randomUUID(), delay_ms });
    await queue.close();
  }

  test.each(Object.entries(plants))('%s is found, removed and then no longer found', async (_what, [place, plant]) => {
    await plant();
    expect(await find()).toEqual([place]);
    expect(await removeTraces([owner], deps())).toEqual([[]]);
    expect(await find()).toEqual([]);
  });

  test('data of other accounts, and newer data of the same account, is not removed', async () => {
    const newer = { ...owner, closedAt: new Date(0), before: new Date(0), purgedAt: new Date(0) };
    for (const [, plant] of Object.values(plants).filter(([place]) => place !== 'reply notifications')) await plant();
    const others = { ...owner, accountId: 'none', accountIds: ['none'], mediaIds: ['none'], mailTexts: ['none'] };
    expect(await removeTraces([newer, { ...others, purgedAt: new Date(0) }], deps())).toEqual([[], []]);
    expect([...new Set(await find())].sort()).toEqual([
      'inbox',
      'jobs',
      'sessions',
      'stored responses',
      'unfinished jobs',
    ]);
    // Two accounts share one search. Each gets its own result.
    expect(await findTraces([{ ...others, purgedAt: new Date(0) }, owner], deps())).toEqual([[], await find()]);
    expect(await removeTraces([owner], deps())).toEqual([[]]);
  });

  test('the last step destroys a key that a process has stored again after a failover', async () => {
    // The failover lost the row of the key. A process still had the key in memory, because it had not received the
    // message that the key was destroyed.
    const restored = `${ID}~7`;
    await pool.query('insert into auth.data_keys (account_id, wrapped_key) values ($1, $2)', [
      restored,
      randomBytes(60),
    ]);
    expect(await findData()).toEqual(['keys']);
    const steps = { ...deps(), blobs, sealedStore, dataKeys, sessions: createSessions(pool), log };
    const { traces_removed: lastStep } = createErasureSteps({
      ...steps,
      commands: createCommandHandler(store),
    } as never);
    expect(await lastStep?.(person, signal)).toBe('done');
    expect(await findData()).toEqual([]);
    expect(await dataKeys.find([restored])).toEqual(new Map([[restored, null]]));
  });

  test('the last step of an erasure is not done while its data remains', async () => {
    const planted: BlobStore = {
      ...blobs,
      // A failure of the storage: the file is still there after its removal.
      remove: async () => undefined,
    };
    await blobs.put(originalBlobKey(MEDIA), Buffer.from(WORD));
    const commands = createCommandHandler(store);
    const sessions = createSessions(pool);
    const stepWith = (used: BlobStore) =>
      createErasureSteps({ ...deps(), blobs: used, sealedStore, dataKeys, sessions, log, commands } as never)
        .traces_removed;
    expect(await stepWith(planted)?.(person, signal)).toBe('later');
    expect(await stepWith(blobs)?.(person, signal)).toBe('done');
  });
});

test('data of a new account with the same address remains, although the clocks of processes differ', async () => {
  const EARLIER = new Date(Date.now() - HOUR_ms);
  const LATER = new Date(Date.now() + HOUR_ms);
  const id = 'again';
  const register = (at: Date) =>
    appendEvent(
      store,
      toStreamId(account, id),
      'AccountRegistered',
      {
        accountId: id,
        email: 'again@example.org',
        passwordHash: null,
        userType: 'client',
        displayName: 'Again',
        age: 30,
        isDemo: false,
      },
      at,
    );
  const upload = (mediaId: string, at: Date) =>
    appendEvent(
      store,
      toStreamId(media, mediaId),
      'MediaUploaded',
      { mediaId, ownerId: id, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' },
      at,
    );
  const reply = (number: number, at: Date) =>
    appendEvent(
      store,
      toStreamId(thread, THREAD),
      'ReplyPosted',
      {
        threadId: THREAD,
        number,
        accountId: id,
        admissionId: `${id}-${number}`,
        body: '',
        fingerprint: '',
        quotedNumber: null,
      },
      at,
    );
  await register(LATER);
  await upload('old-photo', LATER);
  await reply(2, LATER);
  await appendEvent(store, toStreamId(personAggregate, id), 'ErasureRequested', {
    accountId: id,
    receiptId: randomUUID(),
    by: 'self',
    reason: null,
  });
  const before = await findAccountData(id, { pool, sealedStore }, signal);
  await register(EARLIER);
  await appendThread(store, id, 'new-thread', 'Again');
  await appendEvent(store, toStreamId(thread, 'new-thread'), 'ReplyPosted', {
    threadId: 'new-thread',
    number: 1,
    accountId: 'other',
    admissionId: 'other-1',
    body: '',
    fingerprint: '',
    quotedNumber: null,
  });
  await upload('new-photo', EARLIER);
  await reply(3, EARLIER);
  const after = await findAccountData(id, { pool, sealedStore }, signal);
  expect(before).toMatchObject({
    isRegisteredAgain: false,
    uploads: ['old-photo'],
    threads: new Map([[THREAD, Infinity]]),
  });
  expect(after).toMatchObject({ isRegisteredAgain: true, uploads: ['old-photo'], threads: new Map([[THREAD, 3]]) });
});
