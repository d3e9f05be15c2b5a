import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  article,
  BlobStoreDenied,
  moderationCase,
  BlobStoreUnavailable,
  evidenceBlobKey,
  listing,
  media,
  person,
  partialUploadKeys,
  photoBlobKeys,
  PHOTO_VARIANT_NAMES,
  videoBlobKeys,
  type BlobStore,
  type EventStore,
  toCaseId,
  toStreamId,
} from '@alpenglow/domain';
import {
  addReport,
  decideWithoutReport,
  postAd,
  deleteAd,
  draftArticle,
  hideAd,
  liftLegalHold,
  recordPhotoVariants,
  recordVideoProbe,
  rejectMedia,
  reviseArticle,
  setLegalHold,
  uploadMedia,
} from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createDataKeys,
  createEvidenceDirectory,
  createFileBlobStore,
  createFollowDirectory,
  createJobQueue,
  createRecordedJobQueue,
  createUnfinishedJobs,
  removeMatchingJobs,
  createLogger,
  createMediaDirectory,
  createPictureChecks,
  createPictureCopies,
  createPool,
  createPostgresEventStore,
  createSessions,
  createRemovalCopies,
  createRemovalTokens,
  createStatementTokens,
  createReplyNotifications,
  createUnsubscribeTokens,
  noImageHashList,
  openJobBackend,
  type CommandHandler,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { startWorkers } from '@alpenglow/workers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { resumeJobs } from '../../workers/src/resume-jobs.ts';
import { alignAllMediaEvidence } from '../../workers/src/seal-media.ts';
import { sweepMedia } from '../../workers/src/sweep-media.ts';
import { decoder } from '../support/decoder.ts';
import { validAd } from '../support/api.ts';
import { createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { pictures } from '../support/pictures.ts';
import { mp4 } from '../support/videos.ts';
import { eventually } from '../support/eventually.ts';
import { interceptWrites } from '../support/intercept-writes.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';

const HOUR_ms = 60 * 60_000;
const DAY_ms = 24 * HOUR_ms;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const log = createLogger('silent');

let database: TestDatabase;
let folder: string;
let pool: Pool;
let store: EventStore;
let blobs: BlobStore;
let commands: CommandHandler;
beforeEach(async () => {
  database = await createWorkDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-sweep-'));
  blobs = await createFileBlobStore({ root: folder });
  pool = createPool({ connectionString: database.connectionString, max: 12, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  commands = createCommandHandler(store);
});
afterEach(async () => {
  await store.close();
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Returns dependencies that workers require but these tests do not use. */
const unusedDependencies = () => ({
  store,
  sealedStore: store,
  dataKeys: createDataKeys(pool, '00'.repeat(32)),
  sessions: createSessions(pool),
  createAccountId: () => '',
  ads: { ownerOf: () => Promise.resolve(null) },
  evidence: createEvidenceDirectory(pool),
  progress: { waitFor: () => Promise.resolve(true) },
  follows: createFollowDirectory(pool),
  mail: { send: () => Promise.resolve() },
  replyNotifications: createReplyNotifications(pool),
  createVerificationCode: () => '',
  unsubscribeTokens: createUnsubscribeTokens('00'),
  statementTokens: createStatementTokens('00'),
  removalTokens: createRemovalTokens('00'),
  removalCopies: createRemovalCopies('00'),
  operatorEmail: null,
  knownImages: noPictureLists,
  hashList: noImageHashList,
  copies: createPictureCopies(pool),
  pictureChecks: createPictureChecks(pool),
  haveOtherReaders: () => Promise.resolve(false),
  hashKey: (text: string) => text,
  site: 'https://alpenglow.example',
});

async function upload(mediaId: string, ownerId = 'anna'): Promise<void> {
  const bytes = await pictures.jpeg();
  await blobs.put(photoBlobKeys.original(mediaId), bytes);
  await commands.execute(
    media,
    mediaId,
    uploadMedia,
    { mediaId, ownerId, kind: 'photo', sizeBytes: bytes.length, contentType: 'image/jpeg' },
    origin,
  );
}
/** Creates a photo in the state `ready`. Its variants are fake files. */
async function createReadyPhoto(mediaId: string, ownerId = 'anna'): Promise<void> {
  await upload(mediaId, ownerId);
  for (const name of PHOTO_VARIANT_NAMES) await blobs.put(photoBlobKeys.variant(mediaId, name), Buffer.from('x'));
  const variants = PHOTO_VARIANT_NAMES.map((name) => ({ name, sizeBytes: 1 }));
  await commands.execute(
    media,
    mediaId,
    recordPhotoVariants,
    { width: 1, height: 1, blur: '', hash: '00ff'.repeat(16), variants },
    origin,
  );
  await blobs.remove(photoBlobKeys.original(mediaId));
}
async function uploadVideo(mediaId: string): Promise<void> {
  const bytes = await mp4();
  await blobs.put(videoBlobKeys.original(mediaId), bytes);
  await commands.execute(
    media,
    mediaId,
    uploadMedia,
    { mediaId, ownerId: 'anna', kind: 'video', sizeBytes: bytes.length, contentType: 'video/mp4' },
    origin,
  );
}
/** Creates a video in the state `ready`. Its playable file is fake. */
async function createReadyVideo(mediaId: string): Promise<void> {
  await uploadVideo(mediaId);
  await blobs.put(videoBlobKeys.playable(mediaId), Buffer.from('x'));
  await commands.execute(
    media,
    mediaId,
    recordVideoProbe,
    { duration_s: 1, width: 1, height: 1, codec: 'mjpeg', sizeBytes: 1, shortened_s: 0 },
    origin,
  );
  await blobs.remove(videoBlobKeys.original(mediaId));
}
const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
const postAdWith = (photos: readonly string[], video: string | null = null) =>
  commands.execute(
    listing,
    'anna',
    postAd,
    {
      poster,
      clientId: null,
      fields: { ...validAd, category: 'escort', price: null, body: null, phone: null, socialMedia: null },
      photos,
      video,
      isDemo: false,
    },
    origin,
  );
const statusOf = async (mediaId: string) => (await commands.load(media, mediaId)).state?.status;
async function listKeys(prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list(prefix)) found.push(key);
  return found.sort();
}

/** Runs projections until their read models have processed the last event. */
async function updateReadModels(): Promise<void> {
  const head = await store.readHead();
  const stop = new AbortController();
  const projections = PROJECTIONS.filter(({ name }) =>
    ['media_items', 'ad_cards', 'articles', 'moderation_cases'].includes(name),
  );
  const running = projections.map((projection) => runProjection(projection, { store, pool, log }, stop.signal));
  await eventually(async () => {
    const { rowCount } = await pool.query('select from rm.checkpoints where position >= $1', [head]);
    expect(rowCount).toBe(projections.length);
  });
  stop.abort();
  await Promise.all(running);
}
const sweep = (later_ms: number, blobStore = blobs) =>
  sweepMedia(
    {
      pool,
      blobs: blobStore,
      dataKeys: createDataKeys(pool, '00'.repeat(32)),
      commands,
      mediaDirectory: createMediaDirectory(pool),
      evidence: createEvidenceDirectory(pool),
      log,
    },
    Date.now() + later_ms,
    new AbortController().signal,
  );

describe('a photo of an account under a legal hold', () => {
  const sealedKeys = PHOTO_VARIANT_NAMES.map((name) => evidenceBlobKey(photoBlobKeys.variant('held', name))).sort();
  const alignAll = () =>
    alignAllMediaEvidence(
      {
        pool,
        blobs,
        commands,
        dataKeys: createDataKeys(pool, '00'.repeat(32)),
        mediaDirectory: createMediaDirectory(pool),
        log,
      },
      new AbortController().signal,
    );
  const hold = (decider: typeof setLegalHold) =>
    commands.execute(person, 'anna', decider, { accountId: 'anna', reason: 'A court requires it.' }, origin);

  test('is sealed as evidence when nothing uses it, and removed when the hold has ended', async () => {
    await createReadyPhoto('held');
    await hold(setLegalHold);
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await statusOf('held')).toBe('removed');
    expect(await listKeys('photos/')).toEqual([]);
    expect(await listKeys('evidence/')).toEqual(sealedKeys);
    const [key = ''] = sealedKeys;
    expect(await buffer((await blobs.read(key)).bytes)).not.toEqual(Buffer.from('x'));
    await alignAll();
    expect(await listKeys('evidence/')).toEqual(sealedKeys);
    await hold(liftLegalHold);
    await alignAll();
    expect(await listKeys('evidence/')).toEqual([]);
  });

  test('stays readable while an ad shows it', async () => {
    await createReadyPhoto('held');
    await postAdWith(['held']);
    await hold(setLegalHold);
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 0 });
    await alignAll();
    expect(await listKeys('evidence/')).toEqual([]);
    expect(await listKeys('photos/')).toHaveLength(PHOTO_VARIANT_NAMES.length);
  });

  test('is sealed completely by the next sweep if the first one was interrupted', async () => {
    await createReadyPhoto('held');
    await hold(setLegalHold);
    await updateReadModels();
    const working = blobs;
    let writes = 0;
    blobs = {
      ...working,
      put: (...args) => {
        writes += 1;
        return writes > 3 ? Promise.reject(new BlobStoreUnavailable('away')) : working.put(...args);
      },
    };
    await expect(sweep(DAY_ms + 1_000)).rejects.toThrow('away');
    expect(await listKeys('photos/')).toHaveLength(PHOTO_VARIANT_NAMES.length);
    blobs = working;
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await listKeys('photos/')).toEqual([]);
    expect(await listKeys('evidence/')).toEqual(sealedKeys);
  });
});

describe('a photo without a result', () => {
  test('is rejected after a day, and its files are removed', async () => {
    await upload('stuck');
    await blobs.put(photoBlobKeys.variant('stuck', '320.jpg'), Buffer.from('x'));
    await upload('stuck-and-lost');
    await blobs.remove(photoBlobKeys.original('stuck-and-lost'));
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toEqual({ givenUp: 2, removed: 0, originals: 0, partial: 0 });
    expect((await commands.load(media, 'stuck')).state).toMatchObject({
      status: 'rejected',
      code: 'FILE_NOT_READABLE',
    });
    expect(await statusOf('stuck-and-lost')).toBe('rejected');
    expect([...(await listKeys('originals/')), ...(await listKeys('photos/'))]).toEqual([]);
  });

  test('can still be processed within the day', async () => {
    await upload('slow');
    await updateReadModels();
    expect(await sweep(DAY_ms - 60_000)).toEqual({ givenUp: 0, removed: 0, originals: 0, partial: 0 });
    expect(await statusOf('slow')).toBe('processing');
    expect(await listKeys('originals/')).toHaveLength(1);
  });

  test('keeps a result that is newer than the read model', async () => {
    await upload('late');
    await updateReadModels();
    const variants = PHOTO_VARIANT_NAMES.map((name) => ({ name, sizeBytes: 1 }));
    await blobs.put(photoBlobKeys.variant('late', '320.jpg'), Buffer.from('x'));
    await commands.execute(
      media,
      'late',
      recordPhotoVariants,
      { width: 1, height: 1, blur: '', hash: '00ff'.repeat(16), variants },
      origin,
    );
    await sweep(DAY_ms + 1_000);
    expect(await statusOf('late')).toBe('ready');
    expect(await listKeys('photos/')).toEqual(['photos/late/320.jpg']);
  });

  test('does not stop the sweep of other files if the sweep of one file fails', async () => {
    await upload('stuck');
    await upload('fine');
    await createReadyPhoto('unused');
    await updateReadModels();
    const failing: BlobStore = {
      ...blobs,
      getInfo: (key) => (key.includes('stuck') ? Promise.reject(new Error('damaged')) : blobs.getInfo(key)),
    };
    const warn = vi.spyOn(log, 'warn');
    await expect(sweep(DAY_ms + 1_000, failing)).rejects.toThrow('1 items failed (sweep-media): damaged');
    expect(warn.mock.calls.map(([fields]) => (fields as { item?: string }).item)).toEqual(['stuck']);
    warn.mockRestore();
    expect(await statusOf('fine')).toBe('rejected');
    expect(await statusOf('unused')).toBe('removed');
    expect(await statusOf('stuck')).toBe('processing');
    await sweep(DAY_ms + 1_000);
    expect(await statusOf('stuck')).toBe('rejected');
  });

  test('is not rejected while the blob store is unavailable', async () => {
    await upload('stuck');
    await updateReadModels();
    const unavailableStore: BlobStore = { ...blobs, getInfo: () => Promise.reject(new BlobStoreUnavailable('away')) };
    await expect(
      sweepMedia(
        {
          pool,
          dataKeys: createDataKeys(pool, '00'.repeat(32)),
          blobs: unavailableStore,
          commands,
          mediaDirectory: createMediaDirectory(pool),
          evidence: createEvidenceDirectory(pool),
          log,
        },
        Date.now() + DAY_ms + 1_000,
        new AbortController().signal,
      ),
    ).rejects.toThrow('away');
    expect(await statusOf('stuck')).toBe('processing');
  });

  test('is not rejected if the blob store rejects our requests: its job waits', async () => {
    const backend = await openJobBackend({ connectionString: database.connectionString });
    const jobs = createJobQueue(backend, { firstRetry_ms: 10 });
    const put = vi.fn(() => Promise.reject(new BlobStoreDenied('S3 refused: AccessDenied 403')));
    const workers = startWorkers({
      sweepExpired: async () => undefined,
      backend,
      pool,
      commands,
      blobs: { ...blobs, put },
      mediaDirectory: createMediaDirectory(pool),
      decoder,
      ...unusedDependencies(),
      log,
    });
    await upload('refused');
    await jobs.enqueue('photo-variants', { mediaId: 'refused' }, { jobId: 'j' });
    await eventually(async () =>
      expect((await jobs.counts())['photo-variants']).toEqual({ waiting: 0, active: 0, delayed: 1, failed: 0 }),
    );
    expect(put).toHaveBeenCalledTimes(1);
    expect(await statusOf('refused')).toBe('processing');
    await workers.stop();
    await jobs.close();
    await backend.close();
  });

  test('is rejected at once if its job has failed permanently', async () => {
    const backend = await openJobBackend({ connectionString: database.connectionString });
    const jobs = createJobQueue(backend, { firstRetry_ms: 10 });
    const fullStore: BlobStore = { ...blobs, put: () => Promise.reject(new Error('disk full')) };
    const workers = startWorkers({
      sweepExpired: async () => undefined,
      backend,
      pool,
      commands,
      blobs: fullStore,
      mediaDirectory: createMediaDirectory(pool),
      decoder,
      ...unusedDependencies(),
      log,
    });
    await upload('unlucky');
    await jobs.enqueue('photo-variants', { mediaId: 'unlucky' }, { jobId: 'j' });
    await jobs.enqueue('photo-variants', { mediaId: 'never-uploaded' }, { jobId: 'k' });
    await eventually(async () =>
      expect((await commands.load(media, 'unlucky')).state).toMatchObject({
        status: 'rejected',
        code: 'FILE_NOT_READABLE',
      }),
    );
    await eventually(async () => expect(await listKeys('originals/')).toEqual([]));
    await workers.stop();
    await jobs.close();
    await backend.close();
  });
});

test('a photo whose job the queue has lost is processed after all', async () => {
  const backend = await openJobBackend({ connectionString: database.connectionString });
  const queue = createJobQueue(backend);
  const unfinishedJobs = createUnfinishedJobs(pool);
  await upload('lost');
  await createRecordedJobQueue(queue, unfinishedJobs).enqueue('photo-variants', { mediaId: 'lost' }, { jobId: 'j' });
  await removeMatchingJobs(backend, () => true);
  await pool.query('update jobs.unfinished set check_at = now()');
  expect(await resumeJobs({ unfinishedJobs, queue, log }, new AbortController().signal)).toBe(1);
  const workers = startWorkers({
    sweepExpired: async () => undefined,
    backend,
    pool,
    commands,
    blobs,
    mediaDirectory: createMediaDirectory(pool),
    decoder,
    ...unusedDependencies(),
    log,
  });
  await eventually(async () => expect(await statusOf('lost')).toBe('ready'));
  await eventually(async () => expect((await pool.query('select from jobs.unfinished')).rowCount).toBe(0));
  await workers.stop();
  await queue.close();
  await backend.close();
});

test('an ad that an earlier version hid because of a decision about one photo is online again', async () => {
  for (const mediaId of ['removed', 'other']) await createReadyPhoto(mediaId);
  await postAdWith(['removed', 'other']);
  const decision = {
    subject: { kind: 'media', id: 'removed' },
    ownerId: 'anna',
    evidence: { stream: toStreamId(media, 'removed'), revision: 0 },
    moderatorId: 'mona',
    outcome: 'removed',
    rule: 'contact',
    facts: 'So.',
    wasHidden: false,
  } as const;
  await commands.execute(moderationCase, 'media-removed', decideWithoutReport, decision, origin);
  const hold = { accountId: 'anna', adId: null, by: 'moderator', caseId: toCaseId(decision.subject) } as const;
  await commands.execute(listing, 'anna', hideAd, hold, origin);
  const loadAd = async () => (await commands.load(listing, 'anna')).state.ad;
  expect((await loadAd())?.holdingCaseIds).toEqual(['media-removed']);
  await updateReadModels();
  await sweep(0);
  expect(await loadAd()).toMatchObject({ holdingCaseIds: [], photos: ['removed', 'other'] });
  await updateReadModels();
  const { revision } = await commands.load(listing, 'anna');
  await sweep(0);
  expect((await commands.load(listing, 'anna')).revision, 'nothing is written again').toBe(revision);
});

describe('a photo that no ad shows', () => {
  test('is removed with its files after a day, unless an ad shows it or it is a stock picture', async () => {
    for (const mediaId of ['shown', 'dropped']) await createReadyPhoto(mediaId);
    await createReadyPhoto('demo-01', 'house');
    await postAdWith(['shown', 'demo-01']);
    await updateReadModels();
    expect(await sweep(DAY_ms - 60_000)).toMatchObject({ removed: 0 });
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['shown', 'dropped', 'demo-01'].map(statusOf))).toEqual(['ready', 'removed', 'ready']);
    expect(await listKeys('photos/dropped/')).toEqual([]);
    expect(await listKeys('photos/')).toHaveLength(2 * PHOTO_VARIANT_NAMES.length);
  });

  test.each([
    { outcome: 'warned', after29Days: 'ready' },
    { outcome: 'change_requested', changeDays: 7, after29Days: 'ready' },
    { outcome: 'hidden', after29Days: 'ready' },
    { outcome: 'kept', after29Days: 'removed' },
  ] as const)('is retained until the case of its owner is final: $outcome', async ({ after29Days, ...outcome }) => {
    await createReadyPhoto('dropped');
    const caseSubject = {
      subject: { kind: 'ad', id: 'a1' },
      ownerId: 'anna',
      evidence: { stream: toStreamId(listing, 'anna'), revision: 0 },
    } as const;
    await commands.execute(
      moderationCase,
      'ad-a1',
      addReport,
      { ...caseSubject, reportId: 'r1', reason: 'spam', canHide: true },
      origin,
    );
    await updateReadModels();
    expect(await sweep(40 * DAY_ms)).toMatchObject({ removed: 0 });
    const decision = { moderatorId: 'mona', ...outcome, rule: 'spam', facts: 'So.', wasHidden: false } as const;
    await commands.execute(moderationCase, 'ad-a1', decideWithoutReport, { ...decision, ...caseSubject }, origin);
    await updateReadModels();
    await sweep(29 * DAY_ms);
    expect(await statusOf('dropped'), 'its owner may appeal for 30 days').toBe(after29Days);
    await sweep(31 * DAY_ms);
    expect(await statusOf('dropped')).toBe('removed');
  });

  test('is removed if its ad was deleted', async () => {
    await createReadyPhoto('shown');
    const { state } = await postAdWith(['shown']);
    await commands.execute(listing, 'anna', deleteAd, { poster, adId: state.ad?.adId ?? '' }, origin);
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await listKeys('photos/')).toEqual([]);
  });

  test('is not removed if an ad shows it, even if the read model is behind', async () => {
    await createReadyPhoto('shown');
    await updateReadModels();
    await postAdWith(['shown']);
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 0 });
    expect(await statusOf('shown')).toBe('ready');
  });

  test('is removed once by several parallel sweeps', async () => {
    await createReadyPhoto('dropped');
    await upload('stuck');
    await updateReadModels();
    await Promise.all([sweep(DAY_ms + 1_000), sweep(DAY_ms + 1_000), sweep(DAY_ms + 1_000)]);
    expect((await store.readStream(toStreamId(media, 'dropped'))).map(({ type }) => type)).toEqual([
      'MediaUploaded',
      'PhotoVariantsMade',
      'MediaRemoved',
    ]);
    expect((await store.readStream(toStreamId(media, 'stuck'))).map(({ type }) => type)).toEqual([
      'MediaUploaded',
      'MediaRejected',
    ]);
    expect([...(await listKeys('originals/')), ...(await listKeys('photos/'))]).toEqual([]);
  });

  test('is removed by the next sweep if the first one was interrupted', async () => {
    await createReadyPhoto('dropped');
    await updateReadModels();
    const failingCommands = interceptWrites(commands, () => Promise.reject(new Error('killed')));
    await expect(
      sweepMedia(
        {
          pool,
          dataKeys: createDataKeys(pool, '00'.repeat(32)),
          blobs,
          commands: failingCommands,
          mediaDirectory: createMediaDirectory(pool),
          evidence: createEvidenceDirectory(pool),
          log,
        },
        Date.now() + DAY_ms + 1_000,
        new AbortController().signal,
      ),
    ).rejects.toThrow('killed');
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await statusOf('dropped')).toBe('removed');
  });
});

describe('a photo of an article', () => {
  const draft = (articleId: string, cover: string | null, body = 'Text') =>
    commands.execute(
      article,
      articleId,
      draftArticle,
      {
        articleId,
        fields: { title: 'Title', summary: 'Summary', body, language: 'en', state: null, city: null, tags: [], cover },
      },
      origin,
    );

  test('is not removed while a cover or a text shows it, including drafts', async () => {
    for (const mediaId of ['cover', 'in-a-text', 'dropped']) await createReadyPhoto(mediaId);
    await draft('with-a-cover', 'cover');
    await draft('with-a-picture', null, '![A view](/uploads/photos/in-a-text/1600.jpg)');
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['cover', 'in-a-text', 'dropped'].map(statusOf))).toEqual(['ready', 'ready', 'removed']);
  });

  test('is removed when no article shows it', async () => {
    await createReadyPhoto('cover');
    await draft('with-a-cover', 'cover');
    await commands.execute(article, 'with-a-cover', reviseArticle, { changes: { cover: null } }, origin);
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await statusOf('cover')).toBe('removed');
  });
});

describe('original files', () => {
  beforeEach(async () => {
    await upload('processing');
    await upload('rejected');
    await commands.execute(media, 'rejected', rejectMedia, { code: 'NOT_AN_IMAGE' }, origin);
    await blobs.put(photoBlobKeys.original('no-event'), Buffer.from('half an upload'));
    await updateReadModels();
  });

  test('of photos with a result, and of uploads without an event, are removed', async () => {
    expect(await sweep(HOUR_ms + 1_000)).toEqual({ givenUp: 0, removed: 0, originals: 2, partial: 0 });
    expect(await listKeys('originals/')).toEqual(['originals/processing']);
  });

  test('are not removed while an upload may be running', async () => {
    expect(await sweep(0)).toEqual({ givenUp: 0, removed: 0, originals: 0, partial: 0 });
    expect(await listKeys('originals/')).toHaveLength(3);
  });
});

test('the files of an upload that is not complete are removed after a day', async () => {
  await blobs.put(partialUploadKeys.info('a1', 'u1'), Buffer.from('{}'));
  await blobs.put(partialUploadKeys.block('a1', 'u1', 0), Buffer.from('half an upload'));
  await updateReadModels();
  expect(await sweep(DAY_ms - 60_000)).toMatchObject({ partial: 0 });
  expect(await listKeys('partial/')).toHaveLength(2);
  expect(await sweep(DAY_ms + 1_000)).toMatchObject({ partial: 2 });
  expect(await listKeys('partial/')).toEqual([]);
});

describe('a video', () => {
  test('without a result is rejected after a day, and its files are removed', async () => {
    await uploadVideo('stuck');
    await blobs.put(videoBlobKeys.playable('stuck'), Buffer.from('x'));
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toEqual({ givenUp: 1, removed: 0, originals: 0, partial: 0 });
    expect((await commands.load(media, 'stuck')).state).toMatchObject({
      status: 'rejected',
      code: 'FILE_NOT_READABLE',
    });
    expect([...(await listKeys('originals/')), ...(await listKeys('videos/'))]).toEqual([]);
  });

  test('is removed after a day if no ad shows it', async () => {
    for (const mediaId of ['shown', 'dropped']) await createReadyVideo(mediaId);
    await postAdWith([], 'shown');
    await updateReadModels();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['shown', 'dropped'].map(statusOf))).toEqual(['ready', 'removed']);
    expect(await listKeys('videos/')).toEqual(['videos/shown']);
  });

  test('is not removed if an ad shows it, even if the read model is behind', async () => {
    await createReadyVideo('shown');
    await updateReadModels();
    await postAdWith([], 'shown');
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 0 });
    expect(await statusOf('shown')).toBe('ready');
  });
});
