import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  account,
  media,
  moderationCase,
  NO_PICTURE_FEATURES,
  photoBlobKeys,
  PostponedJobError,
  preservedBlobKey,
  report,
  type BlobStore,
  type ResponseOf,
  type CaseView,
  type KnownImageChecker,
  type MediaEvent,
  toStreamId,
} from '@alpenglow/domain';
import { removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createDataKeys,
  createEvidenceDirectory,
  createFileBlobStore,
  createLogger,
  createMediaDirectory,
  createPool,
  createSealedBlobs,
  loadSecrets,
  type Pool,
  readPhotoProperties,
} from '@alpenglow/infra';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rejectFailedMedia } from '../../workers/src/reject-failed-media.ts';
import { createPhotoVariantsHandler } from '../../workers/src/photo-variants-handler.ts';
import { main as runEvidence } from '../../launcher/tools/evidence.ts';
import { sealEvidence } from '../../workers/src/seal-evidence.ts';
import { sweepMedia } from '../../workers/src/sweep-media.ts';
import { createReportIntakeHandler } from '../../workers/src/take-report-in.ts';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { decoder } from '../support/decoder.ts';
import { eventually } from '../support/eventually.ts';
import { holdPeriodicTask } from '../support/hold-periodic-task.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { pictures } from '../support/pictures.ts';
import { createEmptyLocation, startTestProduct, type TestProduct } from '../support/product.ts';
import { TEST_ORIGIN, openRecording, type Recording } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { blobFiles, upload, signedUrl } from '../support/uploads.ts';
import { interceptWrites } from '../support/intercept-writes.ts';
import { createJobContext } from '../support/job-context.ts';
import { whenAvailable } from '../support/when-available.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const REJECTED = {
  status: 400,
  body: { success: false, code: 'PHOTO_NOT_USABLE', message: 'This photo cannot be used' },
};
const log = createLogger('silent');
const LISTED = 3;
const UNLISTED = 8;
/** Runs `npm run evidence` and returns the decrypted picture. */
async function decryptEvidence({ databaseUrl, dataDir }: TestProduct, mediaId: string): Promise<Buffer> {
  const file = path.join(dataDir, `${randomUUID()}.jpg`);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  const code = await runEvidence(['--media', mediaId, '--to', file], { env, rootDir: dataDir, ownsDataDir: false });
  expect(code).toBe(0);
  return readFile(file);
}
const bytesOf = async (blobs: BlobStore, key: string) => buffer((await blobs.read(key)).bytes);

describe('a photo that is on the list of known images', () => {
  let folder: string;
  let product: TestProduct;
  let api: ApiClient;
  let recording: Recording;
  let pool: Pool;
  let blobs: BlobStore;
  let anna: Person;
  let mona: Person;
  let listed: Buffer;
  let mediaId: string;
  let permitSealing: () => Promise<void>;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-known-'));
    listed = await pictures.waves(LISTED);
    const list = path.join(folder, 'hashes.txt');
    const { hashes } = await readPhotoProperties(decoder, listed, AbortSignal.timeout(MAX_WAIT_ms));
    await writeFile(list, `# Known to the test\n${hashes[0]}\n${NO_PICTURE_FEATURES}\n`);
    product = await startTestProduct({ imageHashList: list });
    // The tests interrupt the sealing of evidence, so the product must not seal in between.
    permitSealing = await holdPeriodicTask(product, 'sweep-expired');
    api = apiClient(product.url);
    recording = await openRecording(product);
    pool = createPool({ connectionString: product.databaseUrl, max: 2, applicationName: 'test' });
    blobs = await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') });
    [anna, mona] = await Promise.all([
      recording.member({ userType: 'provider', displayName: 'Anna' }),
      recording.member({ role: 'moderator', displayName: 'Mona' }),
    ]);
  });
  afterAll(async () => {
    await permitSealing();
    await recording.close();
    await pool.end();
    await product.stop();
    await rm(folder, { recursive: true });
  });

  const lastUploadOf = async ({ user }: Person) =>
    (
      await pool.query<{ id: string }>(
        `select data->>'mediaId' as id
           from es.events
          where type = 'MediaUploaded' and data->>'ownerId' = $1
          order by position desc limit 1`,
        [user.id],
      )
    ).rows[0]?.id ?? '';
  const statusAt = async (url: string) => (await whenAvailable(() => fetch(`${product.url}${url}`))).status;
  const filesOf = async (id: string) =>
    (await blobFiles(product.dataDir))
      .filter((file) => file.includes(id))
      .map((file) => path.relative(path.join(product.dataDir, 'blobs'), file));
  const readCase = async (person: Person) =>
    (await api.call('GET', `/api/admin/moderation/cases/account-${person.user.id}`, { token: mona.token })).body[
      'data'
    ] as CaseView;
  const expectReports = (person: Person, times: number) =>
    eventually(async () => expect(await readCase(person)).toMatchObject({ reportCount: times }));

  test('is rejected with a neutral message and never served', async () => {
    expect(await upload(product.url, 'photos', [{ bytes: listed }], anna.token)).toMatchObject(REJECTED);
    mediaId = await lastUploadOf(anna);
    expect((await recording.commands.load(media, mediaId)).state).toMatchObject({
      status: 'rejected',
      code: 'PHOTO_NOT_USABLE',
      reason: 'This photo cannot be used',
    });
    expect(mediaId).not.toBe('');
    for (const url of ['1600.jpg', '640.webp', '320.avif'].map((name) => `/uploads/photos/${mediaId}/${name}`))
      expect(await statusAt(url), url).toBe(404);
    for (const url of [
      `/uploads/preserved/${mediaId}`,
      `/uploads/photos/preserved/${mediaId}`,
      `/uploads/photos/..%2Fpreserved/${mediaId}`,
      `/api/uploads/preserved/${mediaId}`,
      `/uploads/originals/${mediaId}`,
      `/uploads/video/${mediaId}`,
    ])
      expect(await statusAt(url), url).toBe(404);
  });

  test('is preserved encrypted, not stored anywhere else, and decrypted only by `npm run evidence`', async () => {
    await eventually(async () => expect(await filesOf(mediaId)).toEqual([preservedBlobKey(mediaId)]));
    const stored = await bytesOf(blobs, preservedBlobKey(mediaId));
    expect(stored.includes(listed.subarray(0, 32))).toBe(false);
    expect((await decryptEvidence(product, mediaId)).equals(listed)).toBe(true);
    await expect(decryptEvidence(product, '0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d')).rejects.toThrow(
      'No picture is preserved',
    );
  });

  test('is encrypted later if an earlier version has stored it in clear text', async () => {
    const oldId = randomUUID();
    const key = preservedBlobKey(oldId);
    await blobs.put(key, listed);
    const dataKeys = createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys);
    await sealEvidence({ blobs, dataKeys, log }, new AbortController().signal);
    const sealed = await bytesOf(blobs, key);
    expect(sealed.includes(listed.subarray(0, 32))).toBe(false);
    expect((await decryptEvidence(product, oldId)).equals(listed)).toBe(true);
    await sealEvidence({ blobs, dataKeys, log }, new AbortController().signal);
    expect((await bytesOf(blobs, key)).equals(sealed)).toBe(true);
    await blobs.remove(key);
  });

  test('is encrypted although another picture cannot be read', async () => {
    const [broken, sound] = [randomUUID(), randomUUID()].sort().map(preservedBlobKey) as [string, string];
    for (const key of [broken, sound]) await blobs.put(key, listed);
    const dataKeys = createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys);
    const failing: BlobStore = {
      ...blobs,
      read: (key, ...rest) => (key === broken ? Promise.reject(new Error('damaged')) : blobs.read(key, ...rest)),
    };
    const { signal } = new AbortController();
    await expect(sealEvidence({ blobs: failing, dataKeys, log }, signal)).rejects.toThrow('damaged');
    expect((await bytesOf(blobs, broken)).equals(listed)).toBe(true);
    expect((await bytesOf(blobs, sound)).includes(listed.subarray(0, 32))).toBe(false);
    for (const key of [broken, sound]) await blobs.remove(key);
  });

  test('remains in clear text until the next run if the task is stopped before', async () => {
    const keys = [randomUUID(), randomUUID()].map(preservedBlobKey);
    for (const key of keys) await blobs.put(key, listed);
    const dataKeys = createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys);
    const stop = new AbortController();
    const stopping: BlobStore = {
      ...blobs,
      async put(key, ...rest) {
        const stored = await blobs.put(key, ...rest);
        if (keys.includes(key)) stop.abort(new Error('stopped'));
        return stored;
      },
    };
    await expect(sealEvidence({ blobs: stopping, dataKeys, log }, stop.signal)).rejects.toThrow('stopped');
    const isInClearText = await Promise.all(keys.map(async (key) => (await bytesOf(blobs, key)).equals(listed)));
    expect(isInClearText.sort()).toEqual([false, true]);
    for (const key of keys) await blobs.remove(key);
  });

  test('opens an urgent case about its uploader without the picture and changes nothing else', async () => {
    await expectReports(anna, 1);
    const caseView = await readCase(anna);
    expect(caseView).toMatchObject({
      subject: { kind: 'account', id: anna.user.id },
      owner: { id: anna.user.id },
      state: 'open',
      priority: 'high',
      isHidden: false,
      decision: null,
      reasons: [{ reason: 'known_image', count: 1 }],
    });
    expect(caseView.reports).toMatchObject([{ reason: 'known_image', text: null, isSignedIn: false }]);
    for (const content of [caseView.judged, caseView.now])
      expect(content).toMatchObject({ isGone: false, photos: [], video: null });
    expect(JSON.stringify(caseView)).not.toContain(mediaId);
    const queue = (await api.call('GET', '/api/admin/moderation/cases?state=open', { token: mona.token }))
      .body as unknown as ResponseOf<'listCases'>;
    expect(queue.data[0]).toMatchObject({ id: `account-${anna.user.id}`, priority: 'high' });
    expect((await recording.commands.load(account, anna.user.id)).state).not.toBeNull();
    expect((await api.call('GET', '/api/account/decisions', { token: anna.token })).body['data']).toEqual([]);
  });

  test('is recognized in another size and format and counted in the same case', async () => {
    const smaller = await sharp(listed).resize(320).webp({ quality: 90 }).toBuffer();
    expect(await upload(product.url, 'photos', [{ bytes: smaller }], anna.token)).toMatchObject(REJECTED);
    await expectReports(anna, 2);
  });

  test('is also reported for uploaders who are not providers', async () => {
    const ben = await recording.member();
    expect(await upload(product.url, 'photos', [{ bytes: listed }], ben.token)).toMatchObject(REJECTED);
    await expectReports(ben, 1);
  });

  test('does not affect unlisted pictures and pictures of one color', async () => {
    expect(
      await upload(
        product.url,
        'photos',
        [{ bytes: await pictures.waves(UNLISTED) }, { bytes: await pictures.jpeg() }],
        anna.token,
      ),
    ).toMatchObject({ status: 201 });
    const url = `/uploads/photos/${await lastUploadOf(anna)}/1600.jpg`;
    expect(await statusAt(await signedUrl(product.url, url, anna.token))).toBe(200);
    expect(await readCase(anna)).toMatchObject({ reportCount: 2 });
  });

  test('cannot be reported as a known image by visitors', async () => {
    expect(
      await api.call('POST', '/api/reports', {
        body: { subject: { kind: 'account', id: anna.user.id }, reason: 'known_image' },
      }),
    ).toMatchObject({ status: 400 });
  });

  // This test is slow, because it waits until an erasure is complete.
  if (isFullRun)
    test('stays preserved after the sweep and after the erasure of its uploader', async () => {
      const twoDaysLater_ms = Date.now() + 48 * 60 * 60_000;
      await sweepMedia(
        {
          pool,
          dataKeys: createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys),
          blobs,
          commands: recording.commands,
          mediaDirectory: createMediaDirectory(pool),
          evidence: createEvidenceDirectory(pool),
          log,
        },
        twoDaysLater_ms,
        new AbortController().signal,
      );
      expect(await filesOf(mediaId)).toEqual([preservedBlobKey(mediaId)]);
      const requested = await api.call('POST', '/api/account/erasure', {
        token: anna.token,
        body: { password: PASSWORD },
      });
      const { receiptId } = requested.body['data'] as { receiptId: string };
      await eventually(
        async () =>
          expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
            status: 'complete',
          }),
        { interval_ms: 250 },
      );
      expect(await filesOf(mediaId)).toEqual([preservedBlobKey(mediaId)]);
      expect((await decryptEvidence(product, mediaId)).equals(listed)).toBe(true);
      expect(await readCase(anna)).toMatchObject({
        state: 'open',
        priority: 'high',
        reasons: [{ reason: 'known_image', count: 2 }],
      });
    });
});

test('the product does not start with an invalid list and reports the line', async () => {
  const place = await createEmptyLocation();
  const list = path.join(place.dataDir, 'hashes.txt');
  await writeFile(list, `# One\n${'8f00a5123c77e9d1'.repeat(4)}\nno hash\n`);
  const starting = startTestProduct({ imageHashList: list }, place);
  await expect(starting).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: `IMAGE_HASH_LIST: ${list}, line 3: must be 64 hexadecimal digits`,
  });
  await place.remove();
});

describe('a job that detects a known image', () => {
  let folder: string;
  let blobs: BlobStore;
  let store: ReturnType<typeof createMemoryEventStore>;
  let commands: ReturnType<typeof createCommandHandler>;
  let original: Buffer;
  const dataKeys = createMemoryDataKeys();
  const readPreserved = () => createSealedBlobs({ blobs, dataKeys }).get(preservedBlobKey('m1'));
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-known-'));
    blobs = await createFileBlobStore({ root: folder });
    store = createMemoryEventStore();
    commands = createCommandHandler(store);
    original = await pictures.waves(LISTED, 64, 48);
    await blobs.put(photoBlobKeys.original('m1'), original);
    await commands.execute(
      media,
      'm1',
      uploadMedia,
      { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: original.length, contentType: 'image/png' },
      TEST_ORIGIN,
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  const known: KnownImageChecker = { check: () => Promise.resolve('illegal') };
  const unknown: KnownImageChecker = { check: () => Promise.resolve('allowed') };
  const runJob = (overrides: { blobs?: BlobStore; commands?: typeof commands; knownImages?: KnownImageChecker } = {}) =>
    createPhotoVariantsHandler({ blobs, commands, decoder, knownImages: known, dataKeys, ...overrides })(
      { mediaId: 'm1' },
      createJobContext(),
    );
  const crash = () => Promise.reject(new Error('crashed'));
  const listKeys = async () => {
    const keys: string[] = [];
    for (const prefix of ['originals/', 'photos/', 'preserved/'])
      for await (const { key } of blobs.list(prefix)) keys.push(key);
    return keys;
  };
  const readOutcomes = async () =>
    (await store.readStream(toStreamId(media, 'm1'))).map(({ type, data }) =>
      type === 'MediaRejected' ? (data as Extract<MediaEvent, { type: 'MediaRejected' }>['data']).code : type,
    );
  const expectCompleted = async (...events: readonly string[]) => {
    expect(await readOutcomes()).toEqual(['MediaUploaded', ...events, 'PHOTO_NOT_USABLE']);
    expect(await listKeys()).toEqual([preservedBlobKey('m1')]);
    expect((await readPreserved())?.equals(original)).toBe(true);
  };

  test('writes no variant', async () => {
    const written: string[] = [];
    await runJob({ blobs: { ...blobs, put: (key, bytes) => (written.push(key), blobs.put(key, bytes)) } });
    expect(written).toEqual([preservedBlobKey('m1')]);
    await expectCompleted();
  });

  test.each<[string, () => Parameters<typeof runJob>[0]]>([
    ['during the lookup', () => ({ knownImages: { check: crash } })],
    ['during the preservation', () => ({ blobs: { ...blobs, put: crash } })],
    ['before the rejection is recorded', () => ({ commands: interceptWrites(commands, crash) })],
    ['before the original is removed', () => ({ blobs: { ...blobs, remove: crash } })],
  ])('has the same result after a crash %s', async (_, createCrash) => {
    await expect(runJob(createCrash())).rejects.toThrow(/crashed|preserved/u);
    expect(await listKeys()).toContain(photoBlobKeys.original('m1'));
    await runJob();
    await runJob();
    await expectCompleted();
  });

  test('publishes nothing while the lookup fails', async () => {
    await expect(runJob({ knownImages: { check: crash } })).rejects.toThrow('crashed');
    expect(await readOutcomes()).toEqual(['MediaUploaded']);
    expect(await listKeys()).toEqual([photoBlobKeys.original('m1')]);
  });

  test('is postponed when the store cannot preserve the original', async () => {
    await expect(runJob({ blobs: { ...blobs, put: crash } })).rejects.toThrow(PostponedJobError);
  });

  test('rejects a preserved picture even if the list has changed', async () => {
    await expect(runJob({ commands: interceptWrites(commands, crash) })).rejects.toThrow('crashed');
    await runJob({ knownImages: unknown });
    await expectCompleted();
  });

  test('removes existing variants and preserves the largest one when the original is missing', async () => {
    await expect(runJob({ knownImages: unknown, commands: interceptWrites(commands, crash) })).rejects.toThrow(
      'crashed',
    );
    expect((await listKeys()).length).toBeGreaterThan(5);
    const largest = await bytesOf(blobs, photoBlobKeys.variant('m1', '1600.jpg'));
    await blobs.remove(photoBlobKeys.original('m1'));
    await runJob();
    expect(await listKeys()).toEqual([preservedBlobKey('m1')]);
    expect((await readPreserved())?.equals(largest)).toBe(true);
  });

  test('records the detection when the job fails permanently', async () => {
    await expect(runJob({ commands: interceptWrites(commands, crash) })).rejects.toThrow('crashed');
    await rejectFailedMedia({ blobs, commands }, 'm1');
    await expectCompleted();
  });

  test('records the detection when the picture is removed during the lookup', async () => {
    const removedDuringLookup: KnownImageChecker = {
      async check() {
        await commands.execute(media, 'm1', removeMedia, {}, TEST_ORIGIN);
        await blobs.remove(photoBlobKeys.original('m1'));
        return 'illegal';
      },
    };
    await runJob({ knownImages: removedDuringLookup });
    await expectCompleted('MediaRemoved');
  });

  test('creates one report and one case when its job runs repeatedly, even for a deleted account', async () => {
    const reportId = '0193a1b2-0000-7000-8000-0000000000aa';
    const handle = (commandHandler = commands) =>
      createReportIntakeHandler({ commands: commandHandler, store, ads: { ownerOf: () => Promise.resolve(null) } })(
        { reportId, subject: { kind: 'account', id: 'anna' }, reason: 'known_image' },
        createJobContext(),
      );
    const crashingAtCase = interceptWrites(commands, (aggregate) =>
      aggregate === 'case' ? crash() : Promise.resolve(),
    );
    await expect(handle(crashingAtCase)).rejects.toThrow('crashed');
    expect((await commands.load(report, reportId)).state).toEqual({ reportId });
    expect((await commands.load(moderationCase, 'account-anna')).state).toBeNull();
    await handle();
    await handle();
    expect((await commands.load(moderationCase, 'account-anna')).state).toMatchObject({
      isOpen: true,
      priority: 'high',
      isHidingSubject: false,
      decision: null,
      reportIds: [reportId],
    });
    expect(await store.readStream(toStreamId(report, reportId))).toHaveLength(1);
  });
});
