import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  account,
  addReport,
  caseIdOf,
  claimCase,
  comparePositions,
  decideCase,
  decideIdentityCheck,
  ERASURE_STEPS,
  fileAppeal,
  identity,
  identityBlob,
  listing,
  media,
  moderationCase,
  person,
  photoBlobs,
  postAd,
  registerAccount,
  requestErasure,
  requestIdentityCheck,
  startThread,
  thread,
  uploadMedia,
  type BlobStore,
  type CaseState,
  type ErasureStep,
  type ModerationEvent,
  type Position,
} from '@alpenglow/domain';
import {
  accountIdOf,
  accountOfSealedBlob,
  createCommandHandler,
  createDataKeys,
  createFileBlobStore,
  createJobQueue,
  createLogger,
  createPool,
  createPostgresEventStore,
  createSealedBlobs,
  createSessions,
  goOnWithErasures,
  migrateJobs,
  openJobBackend,
  withPersonalData,
  type CommandHandler,
  type ErasedPerson,
  type ErasureSteps,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, purgeWork, runProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { erasureSteps } from '../../workers/src/erasure/erasure-steps.ts';
import { foundInTables } from '../support/clear-text.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { BY_TEST } from '../support/recording.ts';

/** An erasure whose process dies before and after each of its steps, and one that nothing happens to, on the real database: both come to the same end. */

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

/** What a process has in its memory: a new one begins with none of it. */
function newProcess() {
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
    accountIdOf: idOf,
    log,
  };
  const steps: ErasureSteps = { ...erasureSteps(deps), read_models_purged: purgeWork(deps, PROJECTIONS) };
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
  const runner = newProcess();
  const stopped = new AbortController();
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

/** Somebody with an ad that was decided about, a photo, a thread, pictures of their identity, and a job that waits. */
async function live(email: string, words: string): Promise<string> {
  const { commands, dataKeys, end } = newProcess();
  const accountId = idOf(email);
  const mediaId = `${accountId}-photo`;
  await commands.handle(
    account,
    accountId,
    (state, context) =>
      registerAccount(
        { accountId, email, passwordHash: 'hash', userType: 'provider', displayName: words, age: 30, isDemo: true },
        state,
        context,
      ),
    BY_TEST,
  );
  await commands.handle(
    media,
    mediaId,
    (state) =>
      uploadMedia({ mediaId, ownerId: accountId, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' }, state),
    BY_TEST,
  );
  await blobs.put(photoBlobs.variant(mediaId, '640.webp'), Buffer.from(words));
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
  const posted = await commands.handle(
    listing,
    accountId,
    (state, context) =>
      postAd({ poster, clientId: null, fields, photos: [mediaId], video: null, isDemo: false }, state, context),
    BY_TEST,
  );
  await judge(commands, accountId, posted.state.ad?.adId ?? '', words);
  await handIn({ commands, dataKeys }, accountId, words);
  const queue = createJobQueue(backend);
  await queue.enqueue(
    'reply-mail',
    { accountId, threadId: mediaId, number: 1 },
    { jobId: mediaId, delay_ms: 60 * 60_000 },
  );
  await queue.close();
  const threadId = randomUUID();
  const started = {
    threadId,
    accountId,
    admissionId: threadId,
    place: { country: 'us', state: 'NV', city: 'reno' },
    title: `${words} asks`,
    words: { body: `${words} asks.`, fingerprint: words, links: 0 },
  };
  await commands.handle(
    thread,
    threadId,
    (state) => startThread(started as Parameters<typeof startThread>[0], state),
    BY_TEST,
  );
  const { position } = await commands.handle(
    person,
    accountId,
    (state) => requestErasure({ accountId, receiptId: randomUUID(), by: 'self', reason: null }, state),
    BY_TEST,
  );
  await end();
  await eventually(async () => expect(await hasReached(position)).toBe(true));
  return accountId;
}

/** The ad was reported and hidden, which its owner appeals against. */
async function judge(commands: CommandHandler, ownerId: string, adId: string, words: string): Promise<void> {
  const subject = { kind: 'ad', id: adId } as const;
  const decide = (what: Parameters<typeof commands.handle<CaseState, ModerationEvent>>[2]) =>
    commands.handle(moderationCase, caseIdOf(subject), what, BY_TEST);
  await decide((state, context) =>
    addReport(
      {
        reportId: randomUUID(),
        reason: 'spam',
        subject,
        ownerId,
        evidence: { stream: `listing-${ownerId}`, revision: 0 },
        isHiding: true,
      },
      state,
      context,
    ),
  );
  await decide((state, context) => claimCase('mona', state, context));
  const { state } = await decide((now, context) =>
    decideCase(
      { moderatorId: 'mona', outcome: 'hidden', rule: 'spam', facts: `${words} says so.`, wasHidden: false },
      now,
      context,
    ),
  );
  await decide((now, context) =>
    fileAppeal(
      { accountId: ownerId, decisionId: state?.decision?.decisionId ?? '', text: `${words} does not.` },
      now,
      context,
    ),
  );
}

/** Two requests to be verified; nobody was there to remove the picture of the first. */
async function handIn(
  { commands, dataKeys }: Pick<ReturnType<typeof newProcess>, 'commands' | 'dataKeys'>,
  accountId: string,
  words: string,
): Promise<void> {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  const asker = {
    accountId,
    userType: 'provider',
    emailVerified: true,
    verifiedByAdmin: false,
    registeredAt: '',
  } as const;
  for (const isAccepted of [false, null]) {
    const checkId = randomUUID();
    await sealed.put(identityBlob(checkId, 1), accountId, Buffer.from(words));
    await commands.handle(
      identity,
      accountId,
      (state) => requestIdentityCheck({ checkId, files: 1 }, asker, state),
      BY_TEST,
    );
    if (isAccepted !== null)
      await commands.handle(
        identity,
        accountId,
        (state) => decideIdentityCheck({ accountId, isAccepted, reason: `${words} is blurred.` }, asker, state),
        BY_TEST,
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

/** The steps, of which one of one person dies before or after its work. */
function dyingAt(
  step: ErasureStep,
  when: 'before' | 'after',
  accountId: string,
  steps: ErasureSteps,
  died: () => void,
): ErasureSteps {
  return {
    ...steps,
    async [step](erased: ErasedPerson, until: AbortSignal) {
      if (erased.accountId !== accountId) return (await steps[step]?.(erased, until)) ?? 'later';
      const outcome = when === 'after' ? await steps[step]?.(erased, until) : 'done';
      if (outcome !== 'done') return 'later';
      died();
      throw new Error('died');
    },
  };
}

/** What is done, by a process that begins with nothing in memory. */
async function goOn(change: (steps: ErasureSteps) => ErasureSteps = (steps) => steps): Promise<void> {
  const { steps, end, ...deps } = newProcess();
  await goOnWithErasures(deps, change(steps), signal);
  await end();
}

async function stepsOf(accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ step: string }>(
    `select coalesce(data ->> 'step', type) as step from es.events where stream = $1 order by revision`,
    [`person-${accountId}`],
  );
  return rows.map(({ step }) => step);
}

/** Texts by their length: ids and names of the two have the same. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'string') return typeof value;
  return Number.isNaN(Date.parse(value)) ? value.length : 'time';
}

/** What is left of somebody, without what only tells one person or moment from another. */
async function leftOf(accountId: string): Promise<unknown> {
  const left: Record<string, unknown> = {};
  for (const { name, columns } of PROJECTIONS) {
    const { rows } = await pool.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from rm.${name} t where t::text like '%' || $1 || '%'`,
      [accountId],
    );
    left[name] = rows.map(({ row }) => Object.keys(columns).map((column) => shapeOf(row[column])));
  }
  const { rows: keys } = await pool.query<{ is_destroyed: boolean }>(
    `select wrapped_key is null as is_destroyed from auth.data_keys where account_id = $1`,
    [accountId],
  );
  const files: string[] = [];
  for await (const { key } of blobs.list('photos/')) if (key.includes(accountId)) files.push(key);
  for await (const { key } of blobs.list('identity/'))
    if ((await accountOfSealedBlob(blobs, key)) === accountId) files.push(key);
  const { rows: jobs } = await pool.query('select from bullmq.job j where j::text like $1', [`%${accountId}%`]);
  return { left, keys, files, jobs };
}

test('an erasure that is killed before and after each of its steps comes to the same end as one that is not', async () => {
  const killed = await live('killed@erased.example', 'Xylophona');
  const unharmed = await live('unharmed@erased.example', 'Zephyrina');
  expect(await leftOf(killed)).toMatchObject({
    keys: [{ is_destroyed: false }],
    files: [expect.anything(), expect.anything(), expect.anything()],
    jobs: [expect.anything()],
  });
  for (const step of ERASURE_STEPS) {
    for (const when of ['before', 'after'] as const) {
      const before = await stepsOf(killed);
      expect(before.at(-1)).not.toBe('ErasureCompleted');
      // Until it comes to this step: a purge waits until no process can open anything any more.
      const died = vi.fn();
      await eventually(
        async () => {
          await goOn((steps) => dyingAt(step, when, killed, steps, died));
          expect(died).toHaveBeenCalled();
        },
        { interval_ms: 300 },
      );
      expect(await stepsOf(killed)).toEqual(before);
    }
    await eventually(async () => {
      await goOn((steps) => ({ [step]: steps[step] }));
      expect(await stepsOf(killed)).toContain(step);
    });
  }
  await eventually(async () => {
    await goOn();
    expect(await stepsOf(unharmed)).toContain('ErasureCompleted');
  });

  const steps = ['ErasureRequested', ...ERASURE_STEPS, 'ErasureCompleted'];
  expect(await stepsOf(killed)).toEqual(steps);
  expect(await stepsOf(unharmed)).toEqual(steps);
  expect(await leftOf(killed)).toEqual(await leftOf(unharmed));
  expect(await leftOf(killed)).toEqual({
    left: expect.anything() as unknown,
    keys: [{ is_destroyed: true }],
    files: [],
    jobs: [],
  });
  expect(await foundInTables(pool, ['Xylophona', 'Zephyrina', 'killed@erased', 'unharmed@erased'])).toEqual([]);
});
