import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  addReport,
  article,
  BlobStoreRefusal,
  decideDirectly,
  moderationCase,
  BlobStoreUnavailable,
  listing,
  media,
  photoBlobs,
  PHOTO_VARIANTS,
  postAd,
  deleteAd,
  draftArticle,
  recordPhotoVariants,
  recordVideoProbe,
  rejectMedia,
  reviseArticle,
  uploadMedia,
  videoBlobs,
  type BlobStore,
  type EventStore,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createDataKeys,
  createEvidenceDirectory,
  createFileBlobStore,
  createFollowDirectory,
  createJobQueue,
  createLogger,
  createMediaDirectory,
  createPool,
  createPostgresEventStore,
  createSessions,
  createStatementTokens,
  createToldReplies,
  createUnsubscribeTokens,
  noKnownImages,
  openJobBackend,
  type BullJobQueue,
  type CommandHandler,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { startWorkers } from '@alpenglow/workers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { resumeMedia } from '../../workers/src/resume-media.ts';
import { sweepMedia } from '../../workers/src/sweep-media.ts';
import { validAd } from '../support/api.ts';
import { createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { pictures } from '../support/pictures.ts';
import { mp4 } from '../support/videos.ts';
import { eventually } from '../support/eventually.ts';

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

/** What workers need that nobody here writes to. */
const noMails = () => ({
  store,
  sealedStore: store,
  dataKeys: createDataKeys(pool, '00'.repeat(32)),
  sessions: createSessions(pool),
  accountIdOf: () => '',
  ads: { ownerOf: () => Promise.resolve(null) },
  evidence: createEvidenceDirectory(pool),
  progress: { waitFor: () => Promise.resolve(true) },
  follows: createFollowDirectory(pool),
  mail: { send: () => Promise.resolve() },
  dueMails: { due: () => Promise.resolve([]) },
  toldReplies: createToldReplies(pool),
  codeOf: () => '',
  unsubscribeTokens: createUnsubscribeTokens('00'),
  statementTokens: createStatementTokens('00'),
  knownImages: noKnownImages,
  site: 'https://alpenglow.example',
});

async function upload(mediaId: string, ownerId = 'anna'): Promise<void> {
  const bytes = await pictures.jpeg();
  await blobs.put(photoBlobs.original(mediaId), bytes);
  await commands.handle(
    media,
    mediaId,
    (state) =>
      uploadMedia({ mediaId, ownerId, kind: 'photo', sizeBytes: bytes.length, contentType: 'image/jpeg' }, state),
    origin,
  );
}
/** A photo that can be shown, without the work of making it. */
async function showable(mediaId: string, ownerId = 'anna'): Promise<void> {
  await upload(mediaId, ownerId);
  for (const name of PHOTO_VARIANTS) await blobs.put(photoBlobs.variant(mediaId, name), Buffer.from('x'));
  const variants = PHOTO_VARIANTS.map((name) => ({ name, sizeBytes: 1 }));
  await commands.handle(
    media,
    mediaId,
    (state) => recordPhotoVariants({ width: 1, height: 1, blur: '', hash: '00ff00ff00ff00ff', variants }, state),
    origin,
  );
  await blobs.remove(photoBlobs.original(mediaId));
}
async function uploadVideo(mediaId: string): Promise<void> {
  const bytes = await mp4();
  await blobs.put(videoBlobs.original(mediaId), bytes);
  await commands.handle(
    media,
    mediaId,
    (state) =>
      uploadMedia(
        { mediaId, ownerId: 'anna', kind: 'video', sizeBytes: bytes.length, contentType: 'video/mp4' },
        state,
      ),
    origin,
  );
}
/** A video that can be played, without the work of looking at it. */
async function playable(mediaId: string): Promise<void> {
  await uploadVideo(mediaId);
  await blobs.put(videoBlobs.playable(mediaId), Buffer.from('x'));
  await commands.handle(
    media,
    mediaId,
    (state) => recordVideoProbe({ duration_s: 1, width: 1, height: 1, codec: 'mjpeg', sizeBytes: 1 }, state),
    origin,
  );
  await blobs.remove(videoBlobs.original(mediaId));
}
const poster = { accountId: 'anna', isProvider: true, emailVerified: true };
const post = (photos: readonly string[], video: string | null = null) =>
  commands.handle(
    listing,
    'anna',
    (state, context) =>
      postAd(
        {
          poster,
          clientId: null,
          fields: { ...validAd, category: 'escort', price: null, body: null, phone: null, socialMedia: null },
          photos,
          video,
          isDemo: false,
        },
        state,
        context,
      ),
    origin,
  );
const statusOf = async (mediaId: string) => (await commands.load(media, mediaId)).state?.status;
async function keys(prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list(prefix)) found.push(key);
  return found.sort();
}

/** Brings the read models up to the last event. */
async function project(): Promise<void> {
  const head = await store.head();
  const stop = new AbortController();
  const used = PROJECTIONS.filter(({ name }) =>
    ['media_items', 'ad_cards', 'articles', 'moderation_cases'].includes(name),
  );
  const running = used.map((projection) => runProjection(projection, { store, pool, log }, stop.signal));
  await eventually(async () => {
    const { rowCount } = await pool.query('select from rm.checkpoints where position >= $1', [head]);
    expect(rowCount).toBe(used.length);
  });
  stop.abort();
  await Promise.all(running);
}
const sweep = (later_ms: number) =>
  sweepMedia(
    { blobs, commands, directory: createMediaDirectory(pool), evidence: createEvidenceDirectory(pool) },
    Date.now() + later_ms,
    new AbortController().signal,
  );

describe('a photo without a verdict', () => {
  test('is rejected after a day, and its bytes go', async () => {
    await upload('stuck');
    await blobs.put(photoBlobs.variant('stuck', '320.jpg'), Buffer.from('x'));
    await upload('stuck-and-lost');
    await blobs.remove(photoBlobs.original('stuck-and-lost'));
    await project();
    expect(await sweep(DAY_ms + 1_000)).toEqual({ givenUp: 2, removed: 0, originals: 0 });
    expect((await commands.load(media, 'stuck')).state).toMatchObject({
      status: 'rejected',
      code: 'UPLOAD_BROKEN_OFF',
    });
    expect(await statusOf('stuck-and-lost')).toBe('rejected');
    expect([...(await keys('originals/')), ...(await keys('photos/'))]).toEqual([]);
  });

  test('may still get one within the day', async () => {
    await upload('slow');
    await project();
    expect(await sweep(DAY_ms - 60_000)).toEqual({ givenUp: 0, removed: 0, originals: 0 });
    expect(await statusOf('slow')).toBe('processing');
    expect(await keys('originals/')).toHaveLength(1);
  });

  test('keeps the one it got since the read model looked', async () => {
    await upload('late');
    await project();
    const variants = PHOTO_VARIANTS.map((name) => ({ name, sizeBytes: 1 }));
    await blobs.put(photoBlobs.variant('late', '320.jpg'), Buffer.from('x'));
    await commands.handle(
      media,
      'late',
      (state) => recordPhotoVariants({ width: 1, height: 1, blur: '', hash: '00ff00ff00ff00ff', variants }, state),
      origin,
    );
    await sweep(DAY_ms + 1_000);
    expect(await statusOf('late')).toBe('ready');
    expect(await keys('photos/')).toEqual(['photos/late/320.jpg']);
  });

  test('keeps its chance while the store cannot say whether it is there', async () => {
    await upload('stuck');
    await project();
    const away: BlobStore = { ...blobs, info: () => Promise.reject(new BlobStoreUnavailable('away')) };
    await expect(
      sweepMedia(
        { blobs: away, commands, directory: createMediaDirectory(pool), evidence: createEvidenceDirectory(pool) },
        Date.now() + DAY_ms + 1_000,
        new AbortController().signal,
      ),
    ).rejects.toThrow('away');
    expect(await statusOf('stuck')).toBe('processing');
  });

  test('is not rejected because the store refuses us: its job waits', async () => {
    const backend = await openJobBackend({ connectionString: database.connectionString });
    const jobs = createJobQueue(backend, { firstRetry_ms: 10 });
    const put = vi.fn(() => Promise.reject(new BlobStoreRefusal('S3 refused: AccessDenied 403')));
    const workers = startWorkers({
      sweepExpired: async () => undefined,
      backend,
      pool,
      commands,
      blobs: { ...blobs, put },
      directory: createMediaDirectory(pool),
      ...noMails(),
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

  test('is rejected at once when its job has failed for good', async () => {
    const backend = await openJobBackend({ connectionString: database.connectionString });
    const jobs = createJobQueue(backend, { firstRetry_ms: 10 });
    const full: BlobStore = { ...blobs, put: () => Promise.reject(new Error('disk full')) };
    const workers = startWorkers({
      sweepExpired: async () => undefined,
      backend,
      pool,
      commands,
      blobs: full,
      directory: createMediaDirectory(pool),
      ...noMails(),
      log,
    });
    await upload('unlucky');
    await jobs.enqueue('photo-variants', { mediaId: 'unlucky' }, { jobId: 'j' });
    await jobs.enqueue('photo-variants', { mediaId: 'never-uploaded' }, { jobId: 'k' });
    await eventually(async () =>
      expect((await commands.load(media, 'unlucky')).state).toMatchObject({
        status: 'rejected',
        code: 'UPLOAD_BROKEN_OFF',
      }),
    );
    await eventually(async () => expect(await keys('originals/')).toEqual([]));
    await workers.stop();
    await jobs.close();
    await backend.close();
  });
});

describe('a photo whose job was lost with the queue', () => {
  const MINUTE_ms = 60_000;
  let backend: JobBackend;
  let jobs: BullJobQueue;
  beforeEach(async () => {
    backend = await openJobBackend({ connectionString: database.connectionString });
    jobs = createJobQueue(backend);
  });
  afterEach(async () => {
    await jobs.close();
    await backend.close();
  });
  const resume = (later_ms: number) =>
    resumeMedia({ directory: createMediaDirectory(pool), jobs }, Date.now() + later_ms, new AbortController().signal);
  const waitingJobs = async () => (await jobs.counts())['photo-variants'].waiting;

  test('gets another after two minutes, and is made', async () => {
    await upload('lost');
    await project();
    expect(await resume(2 * MINUTE_ms - 10_000)).toBe(0);
    expect(await waitingJobs()).toBe(0);
    expect(await resume(2 * MINUTE_ms + 1_000)).toBe(1);
    expect(await waitingJobs()).toBe(1);
    const workers = startWorkers({
      sweepExpired: async () => undefined,
      backend,
      pool,
      commands,
      blobs,
      directory: createMediaDirectory(pool),
      ...noMails(),
      log,
    });
    await eventually(async () => expect(await statusOf('lost')).toBe('ready'));
    await workers.stop();
    await project();
    expect(await resume(10 * MINUTE_ms)).toBe(0);
  });

  test('is not worked on twice when the job is there after all, by however many processes', async () => {
    await upload('queued');
    await project();
    const [uploaded] = await store.readStream('media-queued');
    await jobs.enqueue('photo-variants', { mediaId: 'queued' }, { jobId: uploaded?.id ?? '' });
    await Promise.all([resume(3 * MINUTE_ms), resume(3 * MINUTE_ms), resume(4 * MINUTE_ms)]);
    expect(await waitingJobs()).toBe(1);
  });

  test('is found among any number', async () => {
    await upload('one-of-many');
    await project();
    await pool.query(
      `insert into rm.media_items select (jsonb_populate_record(m, jsonb_build_object('media_id', 'copy-' || n, 'upload_event_id', 'event-' || n))).* from rm.media_items m, generate_series(1, 1200) n`,
    );
    expect(await resume(3 * MINUTE_ms)).toBe(1_201);
    expect(await waitingJobs()).toBe(1_201);
  });
});

describe('a photo no ad shows', () => {
  test('goes after a day, with its bytes; one that is shown, or of the house, stays', async () => {
    for (const mediaId of ['shown', 'dropped']) await showable(mediaId);
    await showable('demo-01', 'house');
    await post(['shown', 'demo-01']);
    await project();
    expect(await sweep(DAY_ms - 60_000)).toMatchObject({ removed: 0 });
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['shown', 'dropped', 'demo-01'].map(statusOf))).toEqual(['ready', 'removed', 'ready']);
    expect(await keys('photos/dropped/')).toEqual([]);
    expect(await keys('photos/')).toHaveLength(2 * PHOTO_VARIANTS.length);
  });

  test('stays while its owner is in a case that is not final', async () => {
    await showable('dropped');
    const judged = {
      subject: { kind: 'ad', id: 'a1' },
      ownerId: 'anna',
      evidence: { stream: 'listing-anna', revision: 0 },
    } as const;
    await commands.handle(
      moderationCase,
      'ad-a1',
      (state, context) => addReport({ ...judged, reportId: 'r1', reason: 'spam', isHiding: true }, state, context),
      origin,
    );
    await project();
    expect(await sweep(40 * DAY_ms)).toMatchObject({ removed: 0 });
    const said = { moderatorId: 'mona', outcome: 'hidden', rule: 'spam', facts: 'So.', wasHidden: false } as const;
    await commands.handle(
      moderationCase,
      'ad-a1',
      (state, context) => decideDirectly({ ...said, ...judged }, state, context),
      origin,
    );
    await project();
    expect(await sweep(29 * DAY_ms), 'its owner may appeal').toMatchObject({ removed: 0 });
    expect(await sweep(31 * DAY_ms)).toMatchObject({ removed: 1 });
  });

  test('because the ad was deleted, goes too', async () => {
    await showable('shown');
    const { state } = await post(['shown']);
    await commands.handle(
      listing,
      'anna',
      (current) => deleteAd({ poster, adId: state.ad?.adId ?? '' }, current),
      origin,
    );
    await project();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await keys('photos/')).toEqual([]);
  });

  test('as far as a lagging read model knows, stays when the ad does show it', async () => {
    await showable('shown');
    await project();
    await post(['shown']);
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 0 });
    expect(await statusOf('shown')).toBe('ready');
  });

  test('is removed once, however many processes sweep at once', async () => {
    await showable('dropped');
    await upload('stuck');
    await project();
    await Promise.all([sweep(DAY_ms + 1_000), sweep(DAY_ms + 1_000), sweep(DAY_ms + 1_000)]);
    expect((await store.readStream('media-dropped')).map(({ type }) => type)).toEqual([
      'MediaUploaded',
      'PhotoVariantsMade',
      'MediaRemoved',
    ]);
    expect((await store.readStream('media-stuck')).map(({ type }) => type)).toEqual(['MediaUploaded', 'MediaRejected']);
    expect([...(await keys('originals/')), ...(await keys('photos/'))]).toEqual([]);
  });

  test('is finished with at the next sweep when the first was cut off', async () => {
    await showable('dropped');
    await project();
    const dying = { ...commands, handle: () => Promise.reject(new Error('killed')) } as CommandHandler;
    await expect(
      sweepMedia(
        { blobs, commands: dying, directory: createMediaDirectory(pool), evidence: createEvidenceDirectory(pool) },
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
    commands.handle(
      article,
      articleId,
      (state) =>
        draftArticle(
          { articleId, fields: { title: 'Title', summary: 'Summary', body, state: null, city: null, tags: [], cover } },
          state,
        ),
      origin,
    );

  test('stays as its cover and in its text, drafts included', async () => {
    for (const mediaId of ['cover', 'in-a-text', 'dropped']) await showable(mediaId);
    await draft('with-a-cover', 'cover');
    await draft('with-a-picture', null, '![A view](/uploads/photos/in-a-text/1600.jpg)');
    await project();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['cover', 'in-a-text', 'dropped'].map(statusOf))).toEqual(['ready', 'ready', 'removed']);
  });

  test('goes once no article shows it any more', async () => {
    await showable('cover');
    await draft('with-a-cover', 'cover');
    await commands.handle(
      article,
      'with-a-cover',
      (state) => reviseArticle({ changes: { cover: null } }, state),
      origin,
    );
    await project();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await statusOf('cover')).toBe('removed');
  });
});

describe('left-over originals', () => {
  beforeEach(async () => {
    await upload('processing');
    await upload('rejected');
    await commands.handle(media, 'rejected', (state) => rejectMedia({ code: 'NOT_AN_IMAGE' }, state), origin);
    await blobs.put(photoBlobs.original('no-event'), Buffer.from('half an upload'));
    await project();
  });

  test('of photos with a verdict, and of uploads that never became events, go', async () => {
    expect(await sweep(HOUR_ms + 1_000)).toEqual({ givenUp: 0, removed: 0, originals: 2 });
    expect(await keys('originals/')).toEqual(['originals/processing']);
  });

  test('stay while an upload may still be under way', async () => {
    expect(await sweep(0)).toEqual({ givenUp: 0, removed: 0, originals: 0 });
    expect(await keys('originals/')).toHaveLength(3);
  });
});

describe('a video', () => {
  test('without a verdict is rejected after a day, and its bytes go', async () => {
    await uploadVideo('stuck');
    await blobs.put(videoBlobs.playable('stuck'), Buffer.from('x'));
    await project();
    expect(await sweep(DAY_ms + 1_000)).toEqual({ givenUp: 1, removed: 0, originals: 0 });
    expect((await commands.load(media, 'stuck')).state).toMatchObject({
      status: 'rejected',
      code: 'UPLOAD_BROKEN_OFF',
    });
    expect([...(await keys('originals/')), ...(await keys('videos/'))]).toEqual([]);
  });

  test('whose job was lost with the queue gets another, of its own kind', async () => {
    const backend = await openJobBackend({ connectionString: database.connectionString });
    const jobs = createJobQueue(backend);
    await uploadVideo('lost');
    await project();
    expect(
      await resumeMedia(
        { directory: createMediaDirectory(pool), jobs },
        Date.now() + 3 * 60_000,
        new AbortController().signal,
      ),
    ).toBe(1);
    const counts = await jobs.counts();
    expect([counts['video-probe'].waiting, counts['photo-variants'].waiting]).toEqual([1, 0]);
    await jobs.close();
    await backend.close();
  });

  test('no ad shows goes after a day; one that is shown stays', async () => {
    for (const mediaId of ['shown', 'dropped']) await playable(mediaId);
    await post([], 'shown');
    await project();
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 1 });
    expect(await Promise.all(['shown', 'dropped'].map(statusOf))).toEqual(['ready', 'removed']);
    expect(await keys('videos/')).toEqual(['videos/shown']);
  });

  test('as far as a lagging read model knows, stays when the ad does show it', async () => {
    await playable('shown');
    await project();
    await post([], 'shown');
    expect(await sweep(DAY_ms + 1_000)).toMatchObject({ removed: 0 });
    expect(await statusOf('shown')).toBe('ready');
  });
});
