import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  AUTOMATED_COPY_FACTS,
  media,
  moderationCase,
  photoBlobKeys,
  photoUrl,
  preservedBlobKey,
  takenDownPicture,
  toCaseId,
  type BlobStore,
  type ResponseOf,
} from '@alpenglow/domain';
import {
  createAdDirectory,
  createDataKeys,
  createFileBlobStore,
  createLogger,
  createPictureChecks,
  createPictureCopies,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  findCopiesOfPhoto,
  loadSecrets,
  openImageHashList,
  readPhotoProperties,
  type Decoder,
  type Pool,
} from '@alpenglow/infra';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkPictures } from '../../workers/src/check-pictures.ts';
import { createPictureChecker } from '../../workers/src/picture-checker.ts';
import { after, type Person } from '../support/api.ts';
import { decoder } from '../support/decoder.ts';
import { eventually } from '../support/eventually.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { EDITS, photoOf, type Edit } from '../support/picture-corpus.ts';
import { uniqueWord } from '../support/unique-word.ts';
import { upload } from '../support/uploads.ts';
import { whenAvailable } from '../support/when-available.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let pool: Pool;
let mona: Person;
let max: Person;
beforeAll(async () => {
  pool = createPool({ connectionString: product.databaseUrl, max: 4, applicationName: 'test' });
  [mona, max] = await Promise.all([
    recording.member({ role: 'moderator', displayName: 'Mona' }),
    recording.member({ role: 'moderator', displayName: 'Max' }),
  ]);
});
afterAll(async () => {
  await pool?.end();
});

const statusOf = async (mediaId: string) =>
  (await whenAvailable(() => fetch(`${product.url}/uploads/photos/${mediaId}/640.jpg`))).status;
const loadCase = async (mediaId: string) =>
  (await recording.commands.load(moderationCase, toCaseId({ kind: 'media', id: mediaId }))).state;
/** Posts an ad of a new owner with this photo. */
async function postAdWith(bytes: Buffer): Promise<{ owner: Person; adId: string; mediaId: string }> {
  const owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  const uploaded = await upload(product.url, 'photos', [{ bytes }], owner.token);
  expect(uploaded.status).toBe(201);
  const [photo] = (uploaded.body as unknown as ResponseOf<'uploadPhotos'>).media;
  const mediaId = photo?.id ?? '';
  const { id } = await api.postAd(owner.token, {
    title: `Calm company ${uniqueWord()}`,
    photos: [photoUrl(mediaId)],
  });
  return { owner, adId: id, mediaId };
}

async function decideCase(mediaId: string, body: Record<string, unknown>): Promise<void> {
  const caseId = toCaseId({ kind: 'media', id: mediaId });
  await eventually(async () => expect(await loadCase(mediaId)).toMatchObject({ isOpen: true }));
  const claimed = await api.call('POST', `/api/admin/moderation/cases/${caseId}/claim`, { token: mona.token });
  const decided = await api.call('POST', `/api/admin/moderation/cases/${caseId}/decide`, {
    token: mona.token,
    body: { rule: 'consent', facts: 'The person did not agree.', ...body },
    headers: after(claimed),
  });
  expect(decided.status).toBe(200);
}

describe('a picture that was taken down', () => {
  let original: Buffer;
  let anna: Awaited<ReturnType<typeof postAdWith>>;
  let ben: Awaited<ReturnType<typeof postAdWith>>;
  let carla: Awaited<ReturnType<typeof postAdWith>>;
  beforeAll(async () => {
    original = await photoOf(1);
    anna = await postAdWith(original);
    ben = await postAdWith(await EDITS['cropped by 5 % of the width and the height'](original, () => 0.3));
    carla = await postAdWith(await photoOf(2));
    for (const { mediaId } of [anna, ben, carla])
      await eventually(async () => expect(await statusOf(mediaId)).toBe(200));
    const filed = await api.call('POST', '/api/reports', {
      body: { subject: { kind: 'media', id: anna.mediaId }, reason: 'my_content' },
    });
    expect(filed.status).toBe(201);
    await decideCase(anna.mediaId, { outcome: 'removed' });
  });

  test('is on the list', async () => {
    await eventually(async () =>
      expect((await recording.commands.load(takenDownPicture, anna.mediaId)).state).toMatchObject({
        references: [`media-${anna.mediaId}`],
      }),
    );
  });

  test('hides its copies that are already published until a moderator decides, and nothing else', async () => {
    await eventually(async () => expect(await statusOf(ben.mediaId)).toBe(404));
    expect(await loadCase(ben.mediaId)).toMatchObject({
      isOpen: true,
      priority: 'high',
      isHidingSubject: true,
      decision: { outcome: 'hidden', isAutomated: true, rule: 'consent' },
    });
    expect((await api.call('GET', `/api/ads/${ben.adId}`)).body['data']).toMatchObject({ status: 'active' });
    expect(await statusOf(carla.mediaId)).toBe(200);
    expect(await loadCase(carla.mediaId)).toBeNull();
  });

  const findCopies = async () =>
    findCopiesOfPhoto(
      {
        commands: recording.commands,
        copies: createPictureCopies(pool),
        blobs: await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') }),
        dataKeys: createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys),
        decoder,
      },
      anna.mediaId,
      AbortSignal.timeout(MAX_WAIT_ms),
    );

  test('and its copies are found with the ads that show them', async () => {
    expect(await findCopies()).toEqual({
      photos: [anna, ben]
        .map(({ owner, adId, mediaId }) => ({ mediaId, ownerId: owner.user.id, adIds: [adId], articleSlugs: [] }))
        .sort((one, other) => (one.mediaId < other.mediaId ? -1 : 1)),
      identityChecks: [],
    });
  });

  test('and a copy among the stored pictures of an identity check is found', async () => {
    const provider = await recording.member({ userType: 'provider', displayName: 'Ines' });
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(original)], { type: 'image/jpeg' }), 'passport.jpg');
    const requested = await api.call('POST', '/api/account/identity', { token: provider.token, body: form });
    expect(requested.status).toBe(201);
    await eventually(async () =>
      expect((await findCopies()).identityChecks).toMatchObject([{ accountId: provider.user.id }]),
    );
  });

  test.each(['identical', 'resized to a quarter', 'mirrored'] as const)(
    'does not return under another account: a copy (%s) waits for a moderator before it is public',
    async (name) => {
      const edit: Edit = EDITS[name];
      const { mediaId, owner } = await postAdWith(await edit(original, () => 0.5));
      // The case was opened before the photo was ready.
      const states = await pool.query<{ type: string }>(
        `select type from es.events where stream in ($1, $2) order by position`,
        [`media-${mediaId}`, `case-media-${mediaId}`],
      );
      expect(states.rows.map(({ type }) => type).slice(0, 5)).toEqual([
        'MediaUploaded',
        'CaseOpened',
        'CaseReportAdded',
        'CaseDecided',
        'PhotoVariantsMade',
      ]);
      expect(await statusOf(mediaId)).toBe(404);
      const cases = await api.call('GET', `/api/admin/moderation/cases/media-${mediaId}`, { token: mona.token });
      expect(cases.body['data']).toMatchObject({
        reasons: [{ reason: 'known_copy', count: 1 }],
        judged: { photos: [photoUrl(mediaId)] },
        owner: { id: owner.user.id },
      });
    },
  );

  test('allows a copy that a moderator has confirmed', async () => {
    await decideCase(ben.mediaId, { outcome: 'kept', rule: 'other' });
    await eventually(async () => expect(await statusOf(ben.mediaId)).toBe(200));
  });

  test('is no longer on the list after its decision was reversed', async () => {
    const decisions = await api.call('GET', '/api/account/decisions', { token: anna.owner.token });
    const [decision] = decisions.body['data'] as readonly { id: string }[];
    const appealed = await api.call('POST', `/api/account/decisions/${decision?.id}/appeal`, {
      token: anna.owner.token,
      body: { text: 'It shows me, and I agree.' },
    });
    expect(appealed.status).toBe(200);
    const path = `/api/admin/moderation/cases/media-${anna.mediaId}`;
    await api.call('POST', `${path}/claim`, { token: max.token, headers: after(appealed) });
    const decided = await api.call('POST', `${path}/appeal`, {
      token: max.token,
      body: { outcome: 'overturned', facts: 'She agrees.' },
    });
    expect(decided.status).toBe(200);
    await eventually(async () =>
      expect((await recording.commands.load(takenDownPicture, anna.mediaId)).state).toMatchObject({ references: [] }),
    );
    const { mediaId } = await postAdWith(original);
    expect(await loadCase(mediaId)).toBeNull();
    await eventually(async () => expect(await statusOf(mediaId)).toBe(200));
  });
});

describe('the check of published photos', () => {
  const PHOTOS = 45;
  const INTERRUPTED_AFTER = 25;

  test('continues after an interruption, repeats failed photos, and hides those that the list names', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-known-'));
    const blobs: BlobStore = await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') });
    const owner = await recording.member({ userType: 'provider', displayName: 'Olga' });
    const ids: string[] = [];
    for (let number = 0; number < PHOTOS; number += 1) {
      const mediaId = await recording.media(owner.user.id, 'photo');
      const bytes = await photoOf(10_000 + number, 160, 120);
      for (const name of ['640.jpg', '1600.jpg']) await blobs.put(photoBlobKeys.variant(mediaId, name), bytes);
      ids.push(mediaId);
    }
    const [broken = ''] = [...ids].sort();
    const listed = [...ids].sort().at(-1) ?? '';
    const picture = await photoOf(10_000 + ids.indexOf(listed), 160, 120);
    const file = path.join(folder, 'hashes.txt');
    const { hashes } = await readPhotoProperties(
      decoder,
      await sharp(picture).webp().toBuffer(),
      AbortSignal.timeout(MAX_WAIT_ms),
    );
    await writeFile(file, hashes[0] ?? '');

    const log = createLogger('silent');
    const store = createPostgresEventStore({ pool, connectionString: product.databaseUrl });
    const progress = createReadModelProgress({ pool, connectionString: product.databaseUrl, limit_ms: MAX_WAIT_ms });
    const hashList = await openImageHashList(file, { log });
    const copies = createPictureCopies(pool);
    const held = { commands: recording.commands, ads: createAdDirectory({ pool, store, progress }), progress };
    const checking = { ...held, hashKey: (text: string) => text, store, copies, hashList };
    let decoded = 0;
    let stop = new AbortController();
    const counted: Decoder = {
      ...decoder,
      send: (request) => {
        decoded += 1;
        if (decoded === INTERRUPTED_AFTER) stop.abort(new Error('interrupted'));
        return decoder.send(request);
      },
    };
    const dataKeys = createDataKeys(pool, (await loadSecrets(product.dataDir)).dataKeys);
    const run = () =>
      checkPictures(
        {
          ...checking,
          knownImages: createPictureChecker({ ...checking, actions: { hashList: 'reject', takenDown: 'hold' } }),
          pictureChecks: createPictureChecks(pool),
          haveOtherReaders: () => Promise.resolve(false),
          pool,
          blobs,
          dataKeys,
          decoder: counted,
          log,
        },
        Date.now() + 3 * 60_000,
        stop.signal,
      );
    await eventually(async () =>
      expect((await pool.query('select from rm.media_items where media_id = any($1)', [ids])).rowCount).toBe(PHOTOS),
    );
    // Other photos of this product are compared, too.
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from rm.media_items
        where kind = 'photo' and status = 'ready' and owner_id <> 'house'`,
    );
    const brokenKey = photoBlobKeys.variant(broken, '640.jpg');
    const brokenBytes = await buffer((await blobs.read(brokenKey)).bytes);
    await blobs.remove(brokenKey);
    await expect(run()).rejects.toThrow('interrupted');
    const before = decoded;
    expect((await recording.commands.load(media, listed)).state).toMatchObject({ status: 'ready' });
    stop = new AbortController();
    await expect(run()).rejects.toThrow('No file of the photo');
    // The second run did not begin again.
    expect(decoded - before).toBeLessThan((rows[0]?.count ?? 0) - 10);
    // The photo is hidden by a case and not destroyed, because a match may be wrong.
    expect((await recording.commands.load(media, listed)).state).toMatchObject({ status: 'ready' });
    expect(await loadCase(listed)).toMatchObject({
      isOpen: true,
      priority: 'high',
      isHidingSubject: true,
      decision: { isAutomated: true, rule: 'illegal', facts: AUTOMATED_COPY_FACTS },
    });
    expect(await blobs.getInfo(preservedBlobKey(listed))).toBeNull();
    expect(await blobs.getInfo(photoBlobKeys.variant(listed, '640.jpg'))).not.toBeNull();
    expect(await loadCase(ids.find((id) => id !== listed) ?? '')).toBeNull();
    // The comparison has not ended, because one photo failed.
    const readCheck = async () => {
      const { rows } = await pool.query<{ failed: readonly string[]; isEnded: boolean }>(
        `select failed, ended_at is not null as "isEnded" from jobs.picture_checks where name = 'hash-list'`,
      );
      return rows;
    };
    expect(await readCheck()).toEqual([{ failed: [broken], isEnded: false }]);
    await blobs.put(brokenKey, brokenBytes);
    await pool.query(`update jobs.picture_checks set retry_at = now() where name = 'hash-list'`);
    await run();
    expect(await readCheck()).toEqual([{ failed: [], isEnded: true }]);
    const compared = decoded;
    await run();
    expect(decoded).toBe(compared);
    await progress.close();
    await store.close();
    await rm(folder, { recursive: true });
  });
});
