import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  account,
  media,
  moderationCase,
  photoBlobs,
  PostponedJobError,
  preservedBlob,
  removeMedia,
  report,
  uploadMedia,
  type BlobStore,
  type CasesAnswer,
  type CaseView,
  type KnownImages,
  type MediaEvent,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createEvidenceDirectory,
  createFileBlobStore,
  createMediaDirectory,
  createMemoryEventStore,
  createPool,
  type Pool,
} from '@alpenglow/infra';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { giveUpMedia } from '../../workers/src/give-up-media.ts';
import { factsOf } from '../../workers/src/make-variants.ts';
import { photoVariantsJob } from '../../workers/src/photo-variants.ts';
import { sweepMedia } from '../../workers/src/sweep-media.ts';
import { takeReportInJob } from '../../workers/src/take-report-in.ts';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { freshPlace, startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { isFullRun } from '../support/sample.ts';
import { blobFiles, upload } from '../support/uploads.ts';

const REFUSED = {
  status: 400,
  body: { success: false, code: 'PHOTO_NOT_USABLE', message: 'This photo cannot be used' },
};
const LISTED = 3;
const UNLISTED = 8;
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
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-known-'));
    listed = await pictures.waves(LISTED);
    const list = path.join(folder, 'hashes.txt');
    await writeFile(list, `# Known to the test\n${(await factsOf(listed)).hash}\n0000000000000000\n`);
    product = await startTestProduct({ imageHashList: list });
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
    await recording.close();
    await pool.end();
    await product.stop();
    await rm(folder, { recursive: true });
  });

  const lastUploadOf = async ({ user }: Person) =>
    (
      await pool.query<{ id: string }>(
        `select data->>'mediaId' as id from es.events where type = 'MediaUploaded' and data->>'ownerId' = $1 order by position desc limit 1`,
        [user.id],
      )
    ).rows[0]?.id ?? '';
  const statusAt = async (url: string) => (await fetch(`${product.url}${url}`)).status;
  const filesOf = async (id: string) =>
    (await blobFiles(product.dataDir))
      .filter((file) => file.includes(id))
      .map((file) => path.relative(path.join(product.dataDir, 'blobs'), file));
  const readCase = async (person: Person) =>
    (await api.call('GET', `/api/admin/moderation/cases/account-${person.user.id}`, { token: mona.token })).body[
      'data'
    ] as CaseView;
  const isReported = (person: Person, times: number) =>
    eventually(async () => expect(await readCase(person)).toMatchObject({ reportCount: times }));

  test('is refused in words that say nothing, and none of it is served', async () => {
    expect(await upload(product.url, 'photos', [{ bytes: listed }], anna.token)).toMatchObject(REFUSED);
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

  test('is preserved as it came, and lies nowhere else', async () => {
    await eventually(async () => expect(await filesOf(mediaId)).toEqual([preservedBlob(mediaId)]));
    expect((await bytesOf(blobs, preservedBlob(mediaId))).equals(listed)).toBe(true);
  });

  test('opens an urgent case about its uploader, which shows no picture, and nothing else happens to them', async () => {
    await isReported(anna, 1);
    const found = await readCase(anna);
    expect(found).toMatchObject({
      subject: { kind: 'account', id: anna.user.id },
      owner: { id: anna.user.id },
      state: 'open',
      priority: 'high',
      isHidden: false,
      decision: null,
      reasons: [{ reason: 'known_image', count: 1 }],
    });
    expect(found.reports).toMatchObject([{ reason: 'known_image', text: null, isSignedIn: false }]);
    for (const content of [found.judged, found.now])
      expect(content).toMatchObject({ isGone: false, photos: [], video: null });
    expect(JSON.stringify(found)).not.toContain(mediaId);
    const queue = (await api.call('GET', '/api/admin/moderation/cases?state=open', { token: mona.token }))
      .body as unknown as CasesAnswer;
    expect(queue.data[0]).toMatchObject({ id: `account-${anna.user.id}`, priority: 'high' });
    expect((await recording.commands.load(account, anna.user.id)).state).not.toBeNull();
    expect((await api.call('GET', '/api/account/decisions', { token: anna.token })).body['data']).toEqual([]);
  });

  test('is found at another size and in another format, and counted once more in the same case', async () => {
    const smaller = await sharp(listed).resize(320).webp({ quality: 90 }).toBuffer();
    expect(await upload(product.url, 'photos', [{ bytes: smaller }], anna.token)).toMatchObject(REFUSED);
    await isReported(anna, 2);
  });

  test('of somebody who is no provider is reported as well', async () => {
    const ben = await recording.member();
    expect(await upload(product.url, 'photos', [{ bytes: listed }], ben.token)).toMatchObject(REFUSED);
    await isReported(ben, 1);
  });

  test('is not what others are: an unlisted picture and one of one colour pass', async () => {
    expect(
      await upload(
        product.url,
        'photos',
        [{ bytes: await pictures.waves(UNLISTED) }, { bytes: await pictures.jpeg() }],
        anna.token,
      ),
    ).toMatchObject({ status: 201 });
    expect(await statusAt(`/uploads/photos/${await lastUploadOf(anna)}/1600.jpg`)).toBe(200);
    expect(await readCase(anna)).toMatchObject({ reportCount: 2 });
  });

  test('cannot be claimed by a visitor to be one', async () => {
    expect(
      await api.call('POST', '/api/reports', {
        body: { subject: { kind: 'account', id: anna.user.id }, reason: 'known_image' },
      }),
    ).toMatchObject({ status: 400 });
  });

  // Waits for the rounds of an erasure.
  if (isFullRun)
    test('stays preserved after the sweep, and after its uploader is erased', async () => {
      const later_ms = Date.now() + 48 * 60 * 60_000;
      await sweepMedia(
        {
          blobs,
          commands: recording.commands,
          directory: createMediaDirectory(pool),
          evidence: createEvidenceDirectory(pool),
        },
        later_ms,
        new AbortController().signal,
      );
      expect(await filesOf(mediaId)).toEqual([preservedBlob(mediaId)]);
      const asked = await api.call('POST', '/api/account/erasure', { token: anna.token, body: { password: PASSWORD } });
      const { receiptId } = asked.body['data'] as { receiptId: string };
      await eventually(
        async () =>
          expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
            status: 'complete',
          }),
        { interval_ms: 250 },
      );
      expect(await filesOf(mediaId)).toEqual([preservedBlob(mediaId)]);
      expect((await bytesOf(blobs, preservedBlob(mediaId))).equals(listed)).toBe(true);
      expect(await readCase(anna)).toMatchObject({
        state: 'open',
        priority: 'high',
        reasons: [{ reason: 'known_image', count: 2 }],
      });
    });
});

test('a product does not start with a faulty list, and says which line it is', async () => {
  const place = await freshPlace();
  const list = path.join(place.dataDir, 'hashes.txt');
  await writeFile(list, '# One\n8f00a5123c77e9d1\nno hash\n');
  const starting = startTestProduct({ imageHashList: list }, place);
  await expect(starting).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: `IMAGE_HASH_LIST: ${list}, line 3: must be 16 hexadecimal digits`,
  });
  await place.remove();
});

describe('a job that finds a known image', () => {
  let folder: string;
  let blobs: BlobStore;
  let store: ReturnType<typeof createMemoryEventStore>;
  let commands: ReturnType<typeof createCommandHandler>;
  let original: Buffer;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-known-'));
    blobs = await createFileBlobStore({ root: folder });
    store = createMemoryEventStore();
    commands = createCommandHandler(store);
    original = await pictures.waves(LISTED, 64, 48);
    await blobs.put(photoBlobs.original('m1'), original);
    await commands.handle(
      media,
      'm1',
      (state) =>
        uploadMedia(
          { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: original.length, contentType: 'image/png' },
          state,
        ),
      BY_TEST,
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  const known: KnownImages = { isKnown: () => Promise.resolve(true) };
  const unknown: KnownImages = { isKnown: () => Promise.resolve(false) };
  const work = (given: { blobs?: BlobStore; commands?: typeof commands; knownImages?: KnownImages } = {}) =>
    photoVariantsJob({ blobs, commands, knownImages: known, ...given })(
      { mediaId: 'm1' },
      { attempt: 1, signal: new AbortController().signal },
    );
  const killed = () => Promise.reject(new Error('killed'));
  const keys = async () => {
    const found: string[] = [];
    for (const prefix of ['originals/', 'photos/', 'preserved/'])
      for await (const { key } of blobs.list(prefix)) found.push(key);
    return found;
  };
  const verdicts = async () =>
    (await store.readStream('media-m1')).map(({ type, data }) =>
      type === 'MediaRejected' ? (data as Extract<MediaEvent, { type: 'MediaRejected' }>['data']).code : type,
    );
  const isAtItsEnd = async (...events: readonly string[]) => {
    expect(await verdicts()).toEqual(['MediaUploaded', ...events, 'PHOTO_NOT_USABLE']);
    expect(await keys()).toEqual([preservedBlob('m1')]);
    expect((await bytesOf(blobs, preservedBlob('m1'))).equals(original)).toBe(true);
  };

  test('writes no variant', async () => {
    const written: string[] = [];
    await work({ blobs: { ...blobs, put: (key, bytes) => (written.push(key), blobs.put(key, bytes)) } });
    expect(written).toEqual([preservedBlob('m1')]);
    await isAtItsEnd();
  });

  test.each<[string, () => Parameters<typeof work>[0]]>([
    ['while it asks', () => ({ knownImages: { isKnown: killed } })],
    ['while it preserves', () => ({ blobs: { ...blobs, put: killed } })],
    ['between preserving and saying so', () => ({ commands: { ...commands, handle: killed } })],
    ['between saying so and clearing away', () => ({ blobs: { ...blobs, remove: killed } })],
  ])('comes to the same end after dying %s', async (_, dying) => {
    await expect(work(dying())).rejects.toThrow(/killed|preserved/u);
    expect(await keys()).toContain(photoBlobs.original('m1'));
    await work();
    await work();
    await isAtItsEnd();
  });

  test('publishes nothing while nobody can say', async () => {
    await expect(work({ knownImages: { isKnown: killed } })).rejects.toThrow('killed');
    expect(await verdicts()).toEqual(['MediaUploaded']);
    expect(await keys()).toEqual([photoBlobs.original('m1')]);
  });

  test('does not lose the original to a store that has no room', async () => {
    await expect(work({ blobs: { ...blobs, put: killed } })).rejects.toThrow(PostponedJobError);
  });

  test('stands by what it has preserved when the list has changed meanwhile', async () => {
    await expect(work({ commands: { ...commands, handle: killed } })).rejects.toThrow('killed');
    await work({ knownImages: unknown });
    await isAtItsEnd();
  });

  test('removes variants that were made before the list had it, and goes by them where the original is lost', async () => {
    await expect(work({ knownImages: unknown, commands: { ...commands, handle: killed } })).rejects.toThrow('killed');
    expect((await keys()).length).toBeGreaterThan(5);
    const largest = await bytesOf(blobs, photoBlobs.variant('m1', '1600.jpg'));
    await blobs.remove(photoBlobs.original('m1'));
    await work();
    expect(await keys()).toEqual([preservedBlob('m1')]);
    expect((await bytesOf(blobs, preservedBlob('m1'))).equals(largest)).toBe(true);
  });

  test('that is given up says what it had found', async () => {
    await expect(work({ commands: { ...commands, handle: killed } })).rejects.toThrow('killed');
    await giveUpMedia({ blobs, commands }, 'm1');
    await isAtItsEnd();
  });

  test('says so of a picture that is taken back while it is looked at', async () => {
    const takenBack: KnownImages = {
      async isKnown() {
        await commands.handle(media, 'm1', removeMedia, BY_TEST);
        await blobs.remove(photoBlobs.original('m1'));
        return true;
      },
    };
    await work({ knownImages: takenBack });
    await isAtItsEnd('MediaRemoved');
  });

  test('leads to one report and one case, however often its job is run, also of an account that is gone', async () => {
    const reportId = '0193a1b2-0000-7000-8000-0000000000aa';
    const handle = (given = commands) =>
      takeReportInJob({ commands: given, ads: { ownerOf: () => Promise.resolve(null) } })(
        { reportId, subject: { kind: 'account', id: 'anna' }, reason: 'known_image' },
        { attempt: 1, signal: new AbortController().signal },
      );
    const dyingAtCase = {
      ...commands,
      handle: ((aggregate: { name: string }, ...rest: readonly unknown[]) =>
        aggregate.name === 'case'
          ? killed()
          : (commands.handle as (...all: unknown[]) => unknown)(aggregate, ...rest)) as typeof commands.handle,
    };
    await expect(handle(dyingAtCase)).rejects.toThrow('killed');
    expect((await commands.load(report, reportId)).state).toEqual({ reportId });
    expect((await commands.load(moderationCase, 'account-anna')).state).toBeNull();
    await handle();
    await handle();
    expect((await commands.load(moderationCase, 'account-anna')).state).toMatchObject({
      isOpen: true,
      priority: 'high',
      isHolding: false,
      decision: null,
      reports: [reportId],
    });
    expect(await store.readStream(`report-${reportId}`)).toHaveLength(1);
  });
});
