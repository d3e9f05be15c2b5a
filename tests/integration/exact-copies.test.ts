import { randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import path from 'node:path';
import {
  media,
  moderationCase,
  NO_PICTURE_FEATURES,
  photoBlobKeys,
  photoUrl,
  takenDownPicture,
  toCaseId,
  type MediaState,
} from '@alpenglow/domain';
import { createFileBlobStore } from '@alpenglow/infra';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { upload } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';
import { testApi, testProduct, testRecording } from '../support/fixtures.ts';

/** Pictures without features and videos are recognized by exact digests (R-11.51, decision 0118). */

const product = testProduct();
const api = testApi(product);
const recording = testRecording(product);
let moderator: Person;

beforeAll(async () => {
  moderator = await recording.member({ role: 'moderator' });
});

/** Returns a PNG of one color. Its size is random, so that tests do not recognize the pictures of others. */
const plain = (background: string) =>
  sharp({ create: { width: 400 + randomInt(400), height: 400 + randomInt(400), channels: 3, background } })
    .png()
    .toBuffer();

interface Uploaded {
  readonly owner: Person;
  readonly mediaId: string;
}
async function send(kind: 'photos' | 'video', bytes: Buffer, type?: string): Promise<Uploaded> {
  const owner = await recording.member({ userType: 'provider' });
  const { status, body } = await upload(
    product.url,
    kind,
    [{ bytes, ...(type !== undefined && { type }) }],
    owner.token,
  );
  expect([201, 202], JSON.stringify(body)).toContain(status);
  const [file] = [body['media']].flat() as readonly { readonly id: string }[];
  const mediaId = file?.id ?? '';
  await eventually(async () => expect((await load(mediaId))?.status).toBe('ready'));
  return { owner, mediaId };
}
const load = async (mediaId: string): Promise<MediaState> => (await recording.commands.load(media, mediaId)).state;
const loadCase = async (mediaId: string) =>
  (await recording.commands.load(moderationCase, toCaseId({ kind: 'media', id: mediaId }))).state;
const loadTakenDown = async (mediaId: string) => (await recording.commands.load(takenDownPicture, mediaId)).state;

/** Posts an ad with a file, reports the file, and removes it as a moderator. */
async function takeDown(kind: 'photos' | 'video', { owner, mediaId }: Uploaded): Promise<void> {
  const shown = kind === 'photos' ? { photos: [photoUrl(mediaId)] } : { video: `/uploads/video/${mediaId}` };
  await api.postAd(owner.token, shown);
  const subject = { kind: 'media', id: mediaId };
  const filed = await api.call('POST', '/api/reports', { body: { subject, reason: 'my_content' } });
  expect(filed.status, JSON.stringify(filed.body)).toBe(201);
  await eventually(async () => expect(await loadCase(mediaId)).toMatchObject({ isOpen: true }));
  const path = `/api/admin/moderation/cases/media-${mediaId}`;
  const claimed = await api.call('POST', `${path}/claim`, { token: moderator.token });
  const decided = await api.call('POST', `${path}/decide`, {
    token: moderator.token,
    body: { rule: 'consent', facts: 'The person did not agree.', outcome: 'removed' },
    headers: after(claimed),
  });
  expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  await eventually(async () =>
    expect(await loadTakenDown(mediaId)).toMatchObject({ references: [`media-${mediaId}`] }),
  );
}

const expectHeld = async (mediaId: string) =>
  eventually(async () =>
    expect(await loadCase(mediaId)).toMatchObject({
      isOpen: true,
      isHidingSubject: true,
      decision: { isAutomated: true, rule: 'consent' },
    }),
  );

describe('a picture without features that was taken down', () => {
  test('does not return as the same file, without metadata, in another format, or as a saved variant', async () => {
    const original = await sharp(await plain('#2f4f6f'))
      .withMetadata({ orientation: 1 })
      .withExif({ IFD0: { Copyright: 'Anna' } })
      .toBuffer();
    const first = await send('photos', original);
    expect(await load(first.mediaId)).toMatchObject({ hash: NO_PICTURE_FEATURES });
    // It was published before the first one is taken down.
    const published = await send('photos', await sharp(original).webp({ lossless: true }).toBuffer());
    const other = await send('photos', await plain('#6f4f2f'));
    const blobs = await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') });
    const saved = await buffer((await blobs.read(photoBlobKeys.variant(first.mediaId, '640.jpg'))).bytes);
    await takeDown('photos', first);
    // The job of the decision adds the digests of the stored files.
    await eventually(async () => expect((await loadTakenDown(first.mediaId))?.digests?.length).toBeGreaterThan(4));

    const copies = [original, await sharp(original).png().toBuffer(), saved];
    for (const bytes of copies) await expectHeld((await send('photos', bytes)).mediaId);
    await expectHeld(published.mediaId);
    expect(await loadCase(other.mediaId)).toBeNull();
    expect(await loadCase((await send('photos', await plain('#2f4f6f'))).mediaId)).toBeNull();
  });
});

describe('a video that was taken down', () => {
  test('does not return as the same file, or with other metadata and another container', async () => {
    const options = { seconds: 2, fps: 4, width: 96 + 16 * randomInt(10), height: 96 } as const;
    const original = await mp4(options);
    const first = await send('video', original);
    const other = await send('video', await mp4({ ...options, fps: 5 }));
    await takeDown('video', first);
    await expectHeld((await send('video', original)).mediaId);
    const edited = await mp4({ ...options, location: '+46.94+007.44/', padding_bytes: 100 });
    expect(edited.equals(original)).toBe(false);
    await expectHeld((await send('video', edited)).mediaId);
    const quickTime = await mp4({ ...options, brand: 'qt  ' });
    await expectHeld((await send('video', quickTime, 'video/quicktime')).mediaId);
    expect(await loadCase(other.mediaId)).toBeNull();
  });
});
