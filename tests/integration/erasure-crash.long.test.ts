import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  account,
  toCaseId,
  comparePositions,
  ERASURE_STEPS,
  identity,
  identityBlobKey,
  listing,
  media,
  moderationCase,
  person,
  photoBlobKeys,
  thread,
  type BlobStore,
  type CaseState,
  type ErasureStep,
  type ModerationEvent,
  type Position,
  toStreamId,
} from '@alpenglow/domain';
import {
  addReport,
  claimCase,
  decideCase,
  decideIdentityCheck,
  fileAppeal,
  postAd,
  registerAccount,
  requestErasure,
  requestIdentityCheck,
  startThread,
  uploadMedia,
} from '@alpenglow/domain/deciders';
import {
  accountIdOf,
  findAccountOfSealedBlob,
  createCommandHandler,
  createDataKeys,
  createFileBlobStore,
  createJobQueue,
  createRecordedJobQueue,
  createUnfinishedJobs,
  createLogger,
  createPool,
  createPostgresEventStore,
  createSealedBlobs,
  createSessions,
  continueErasures,
  migrateJobs,
  openJobBackend,
  withPersonalData,
  type CommandHandler,
  type ErasedPerson,
  type ErasureSteps,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, createPurgeStep, runProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createErasureSteps } from '../../workers/src/erasure/erasure-steps.ts';
import { findInTables } from '../support/clear-text.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_ORIGIN } from '../support/recording.ts';

// Compares two erasures on a real database. In the first erasure, the process crashes before and after each step. The
// second erasure runs without a crash. Both erasures must have the same result.

const SECRET = 'ab'.repeat(32);
const signal = new AbortController().signal;
const idOf = (email: string) => accountIdOf(SECRET, email);
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let folder: string;
let blobs: BlobStore;
let backend: JobBackend;
let stopProjections: () => Promise<void>;

/** Simulates the start of a process. The new objects share no memory with the objects of an earlier process. */
function createProcess() {
  const sealedStore = createPostgresEventStore({ pool, connectionString: database.connectionString });
  const dataKeys = createDataKeys(pool, SECRET);
  const store = withPersonalData(sealedStore, dataKeys);
  const commands = createCommandHandler(store);
  const deps = {
    pool,
    sealedStore,
    dataKeys,
    commands,
    sessions: createSessions(pool),
    blobs,
    backend,
    createAccountId: idOf,
    log,
  };
  const steps: ErasureSteps = { ...createErasureSteps(deps), read_models_purged: createPurgeStep(deps, PROJECTIONS) };
  return { ...deps, store, steps, end: () => store.close() };
}

beforeAll(async () => {
  database = await createMigratedDatabase();
  const { connectionString } = database;
  await migrateJobs(connectionString);
  pool = createPool({ connectionString, max: PROJECTIONS.length * 2 + 4, applicationName: 'test' });
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-erasure-'));
  blobs = await createFileBlobStore({ root: folder });
  backend = await openJobBackend({ connectionString });
  const runner = createProcess();
  const stopped = new AbortController();
  // All projections listen to this signal.
  setMaxListeners(0, stopped.signal);
  const running = PROJECTIONS.map((projection) =>
    runProjection(projection, { store: runner.store, pool, log }, stopped.signal),
  );
  stopProjections = async () => {
    stopped.abort();
    await Promise.allSettled(running);
    await runner.end();
  };
});
afterAll(async () => {
  await stopProjections();
  await backend.close();
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Creates a person with a moderated ad, a photo, a thread, identity pictures and a waiting job. Then requests the
 * erasure of this person.
 */
async function createPersonInErasure(email: string, words: string): Promise<string> {
  const { commands, dataKeys, end } = createProcess();
  const accountId = idOf(email);
  const mediaId = `${accountId}-photo`;
  await commands.execute(
    account,
    accountId,
    registerAccount,
    { accountId, email, passwordHash: 'hash', userType: 'provider', displayName: words, age: 30, isDemo: true },
    TEST_ORIGIN,
  );
  await commands.execute(
    media,
    mediaId,
    uploadMedia,
    { mediaId, ownerId: accountId, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' },
    TEST_ORIGIN,
  );
  await blobs.put(photoBlobKeys.variant(mediaId, '640.webp'), Buffer.from(words));
  const poster = { accountId, isProvider: true, emailVerified: true };
  const fields = {
    name: words,
    title: `${words} at home`,
    category: 'escort',
    state: 'NV',
    city: 'Reno',
    description: `${words} is calm.`,
    price: null,
    body: null,
    phone: null,
    socialMedia: null,
  } as const;
  const posted = await commands.execute(
    listing,
    accountId,
    postAd,
    { poster, clientId: null, fields, photos: [mediaId], video: null, isDemo: false },
    TEST_ORIGIN,
  );
  await hideAndAppeal(commands, accountId, posted.state.ad?.adId ?? '', words);
  await requestIdentityChecks({ commands, dataKeys }, accountId, words);
  const queue = createJobQueue(backend);
  await createRecordedJobQueue(queue, createUnfinishedJobs(pool)).enqueue(
    'reply-mail',
    { accountId, threadId: mediaId, number: 1 },
    { jobId: mediaId, delay_ms: 60 * 60_000 },
  );
  await queue.close();
  await pool.query(`insert into mail.sent (id, state) values ('digest-' || $1 || '-2026-03-01', 'sent')`, [accountId]);
  const threadId = randomUUID();
  const started = {
    threadId,
    accountId,
    admissionId: threadId,
    place: { country: 'us', state: 'NV', city: 'reno' },
    title: `${words} writes`,
    content: { body: `${words} writes.`, fingerprint: words, links: 0 },
  };
  await commands.execute(thread, threadId, startThread, started, TEST_ORIGIN);
  const { position } = await commands.execute(
    person,
    accountId,
    requestErasure,
    { accountId, receiptId: randomUUID(), by: 'self', reason: null },
    TEST_ORIGIN,
  );
  await end();
  await eventually(async () => expect(await hasReached(position)).toBe(true));
  return accountId;
}

/** Reports and hides an ad. Then files an appeal of the owner of the ad. */
async function hideAndAppeal(commands: CommandHandler, ownerId: string, adId: string, words: string): Promise<void> {
  const subject = { kind: 'ad', id: adId } as const;
  const decide = (decision: Parameters<typeof commands.handle<CaseState, ModerationEvent>>[2]) =>
    commands.handle(moderationCase, toCaseId(subject), decision, TEST_ORIGIN);
  await decide((state, context) =>
    addReport(
      {
        reportId: randomUUID(),
        reason: 'spam',
        subject,
        ownerId,
        evidence: { stream: toStreamId(listing, ownerId), revision: 0 },
        canHide: true,
      },
      state,
      context,
    ),
  );
  await decide((state, context) => claimCase({ moderatorId: 'mona' }, state, context));
  const { state } = await decide((current, context) =>
    decideCase(
      { moderatorId: 'mona', outcome: 'hidden', rule: 'spam', facts: `${words} is named.`, wasHidden: false },
      current,
      context,
    ),
  );
  await decide((current, context) =>
    fileAppeal(
      {
        accountId: ownerId,
        registeredAt: null,
        decisionId: state?.decision?.decisionId ?? '',
        text: `${words} is not named.`,
      },
      current,
      context,
    ),
  );
}

/**
 * Creates two identity checks of an account. The first check is rejected, but its picture has not been removed yet. The
 * second check is open.
 */
async function requestIdentityChecks(
  { commands, dataKeys }: Pick<ReturnType<typeof createProcess>, 'commands' | 'dataKeys'>,
  accountId: string,
  words: string,
): Promise<void> {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  const owner = {
    accountId,
    userType: 'provider',
    emailVerified: true,
    verifiedByAdmin: false,
    registeredAt: '',
  } as const;
  for (const isAccepted of [false, null]) {
    const checkId = randomUUID();
    await sealed.put(identityBlobKey(checkId, 1), accountId, Buffer.from(words));
    await commands.execute(
      identity,
      accountId,
      requestIdentityCheck,
      { checkId, files: 1, provider: owner },
      TEST_ORIGIN,
    );
    if (isAccepted !== null)
      await commands.execute(
        identity,
        accountId,
        decideIdentityCheck,
        { accountId, isAccepted, reason: `${words} is blurred.`, owner: owner },
        TEST_ORIGIN,
      );
  }
}

async function hasReached(position: Position | null): Promise<boolean> {
  const { rows } = await pool.query<{ position: Position }>('select position from rm.checkpoints');
  return (
    position !== null &&
    rows.length >= PROJECTIONS.length &&
    rows.every((row) => comparePositions(row.position, position) >= 0)
  );
}

/** Returns the steps of an erasure. For one account, `step` crashes before or after it has done its work. */
function crashingAt(
  step: ErasureStep,
  when: 'before' | 'after',
  accountId: string,
  steps: ErasureSteps,
  onCrash: () => void,
): ErasureSteps {
  return {
    ...steps,
    async [step](erased: ErasedPerson, until: AbortSignal) {
      if (erased.accountId !== accountId) return (await steps[step]?.(erased, until)) ?? 'later';
      const outcome = when === 'after' ? await steps[step]?.(erased, until) : 'done';
      if (outcome !== 'done') return 'later';
      onCrash();
      throw new Error('crashed');
    },
  };
}

/** Resumes all erasures in a new process. */
async function resumeErasures(change: (steps: ErasureSteps) => ErasureSteps = (steps) => steps): Promise<void> {
  const { steps, end, ...deps } = createProcess();
  await continueErasures(deps, change(steps), signal);
  await end();
}

async function stepsOf(accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ step: string }>(
    `select coalesce(data ->> 'step', type) as step from es.events where stream = $1 order by revision`,
    [`person-${accountId}`],
  );
  return rows.map(({ step }) => step);
}

/**
 * Replaces a text by its length and other values by their type. The remaining data of two persons can then be compared,
 * because their ids and names have the same length.
 */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'string') return typeof value;
  return Number.isNaN(Date.parse(value)) ? value.length : 'time';
}

/** Returns all remaining data of a person. Replaces values that depend on the person or the time. */
async function readRemainingData(accountId: string): Promise<unknown> {
  const rowsByTable: Record<string, unknown> = {};
  for (const { name, columns } of PROJECTIONS) {
    const { rows } = await pool.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from rm.${name} t where t::text like '%' || $1 || '%'`,
      [accountId],
    );
    rowsByTable[name] = rows.map(({ row }) => Object.keys(columns).map((column) => shapeOf(row[column])));
  }
  const { rows: keys } = await pool.query<{ is_destroyed: boolean }>(
    `select wrapped_key is null as is_destroyed from auth.data_keys where split_part(account_id, '~', 1) = $1
      order by split_part(account_id, '~', 2)::integer`,
    [accountId],
  );
  const files: string[] = [];
  for await (const { key } of blobs.list('photos/')) if (key.includes(accountId)) files.push(key);
  for await (const { key } of blobs.list('identity/'))
    if ((await findAccountOfSealedBlob(blobs, key)) === accountId) files.push(key);
  const { rows: jobs } = await pool.query(
    `select from bullmq.job j where j::text like $1
      union all select from jobs.unfinished u where u::text like $1
      union all select from mail.sent s where s::text like $1`,
    [`%${accountId}%`],
  );
  return { rowsByTable, keys, files, jobs };
}

test('an erasure with a crash before and after each step has the same result as one without crashes', async () => {
  const crashed = await createPersonInErasure('crashed@erased.example', 'Xylophona');
  const completed = await createPersonInErasure('completed@erased.example', 'Zephyrina');
  expect(await readRemainingData(crashed)).toMatchObject({
    keys: [{ is_destroyed: false }],
    files: [expect.anything(), expect.anything(), expect.anything()],
    jobs: [expect.anything(), expect.anything(), expect.anything()],
  });
  for (const step of ERASURE_STEPS) {
    for (const when of ['before', 'after'] as const) {
      const before = await stepsOf(crashed);
      expect(before.at(-1)).not.toBe('ErasureCompleted');
      // Retries until the erasure reaches this step. The erasure takes a while, because a purge waits until no process
      // can decrypt the data.
      const onCrash = vi.fn();
      await eventually(
        async () => {
          await resumeErasures((steps) => crashingAt(step, when, crashed, steps, onCrash));
          expect(onCrash).toHaveBeenCalled();
        },
        { interval_ms: 300 },
      );
      expect(await stepsOf(crashed)).toEqual(before);
    }
    await eventually(async () => {
      await resumeErasures((steps) => ({ [step]: steps[step] }));
      expect(await stepsOf(crashed)).toContain(step);
    });
  }
  await eventually(async () => {
    await resumeErasures();
    expect(await stepsOf(completed)).toContain('ErasureCompleted');
  });

  const steps = ['ErasureRequested', ...ERASURE_STEPS, 'ErasureCompleted'];
  expect(await stepsOf(crashed)).toEqual(steps);
  expect(await stepsOf(completed)).toEqual(steps);
  const { store, end } = createProcess();
  const head = await store.readHead();
  await end();
  await eventually(async () => expect(await hasReached(head)).toBe(true));
  expect(await readRemainingData(crashed)).toEqual(await readRemainingData(completed));
  expect(await readRemainingData(crashed)).toEqual({
    rowsByTable: expect.anything() as unknown,
    // The second key has encrypted the events of the erasure, e.g. that the account is closed.
    keys: [{ is_destroyed: true }, { is_destroyed: false }],
    files: [],
    jobs: [],
  });
  expect(await findInTables(pool, ['Xylophona', 'Zephyrina', 'crashed@erased', 'completed@erased'])).toEqual([]);
});
