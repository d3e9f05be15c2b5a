import { randomUUID } from 'node:crypto';
import {
  IDENTITY_COPY_REASON,
  identity,
  moderationCase,
  photoUrl,
  removal,
  takenDownPicture,
  toCaseId,
  type RemovalView,
} from '@alpenglow/domain';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProperties } from '../../infra/decoder/pictures.mjs';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { EDITS, photoOf } from '../support/picture-corpus.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { blobFiles, upload } from '../support/uploads.ts';

/** The whole life of a removal request, and copies that return under other accounts. */

interface World {
  readonly product: TestProduct;
  readonly api: ApiClient;
  readonly recording: Recording;
  readonly moderator: Person;
}

async function openWorld(takenDownAction: 'hold' | 'reject'): Promise<World> {
  const product = await startTestProduct({ takenDownAction });
  const recording = await openRecording(product);
  const moderator = await recording.member({ role: 'moderator' });
  return { product, api: apiClient(product.url), recording, moderator };
}

async function closeWorld(world: World | undefined): Promise<void> {
  await world?.recording.close();
  await world?.product.stop();
}

async function send({ product, recording }: World, bytes: Buffer) {
  const owner = await recording.member({ userType: 'provider' });
  const { status, body } = await upload(product.url, 'photos', [{ bytes }], owner.token);
  const [photo] = (body['media'] ?? []) as readonly { readonly id: string }[];
  return { owner, status, body, mediaId: photo?.id ?? '' };
}

async function postAd(world: World, bytes: Buffer) {
  const { owner, mediaId } = await send(world, bytes);
  const { id: adId } = await world.api.postAd(owner.token, { photos: [photoUrl(mediaId)] });
  await expectStatus(world, mediaId, 200);
  return { owner, mediaId, adId };
}

const expectStatus = ({ product }: World, mediaId: string, status: number) =>
  eventually(async () => expect((await fetch(`${product.url}/uploads/photos/${mediaId}/640.jpg`)).status).toBe(status));

const hashOf = async (picture: Buffer) =>
  (await readProperties(picture, { maxDecoded_bytes: 100_000_000 })).hashes[0] ?? '';

const croppedAndResized = async (picture: Buffer) => {
  const cropped = await EDITS['cropped by 5 % of the width and the height'](picture, () => 0.6);
  return sharp(cropped).resize(420).jpeg({ quality: 80 }).toBuffer();
};

/** Sends a request about the link of a photo, and about the hashes of pictures, and decides it. */
async function removeWith(world: World, mediaId: string, chosen: readonly Buffer[] = []) {
  const { product, api, moderator } = world;
  const { status, body } = await api.call('POST', '/api/removal-requests', {
    body: {
      name: 'Anna Example',
      email: `${randomUUID()}@example.com`,
      relation: 'self',
      links: [`${product.url}${photoUrl(mediaId)}`],
      hashes: await Promise.all(chosen.map(hashOf)),
      statement: true,
      signature: 'Anna Example',
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const { id, statusUrl } = body['data'] as { id: string; statusUrl: string };
  await expectStatus(world, mediaId, 404);
  const decided = await api.call('POST', `/api/admin/moderation/removals/${id}/decide`, {
    token: moderator.token,
    body: { outcome: 'valid', facts: 'The person did not consent.' },
  });
  expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  const headers = { 'X-Removal-Token': new URL(statusUrl).hash.slice(1) };
  const read = async () =>
    (await api.call('GET', `/api/removal-requests/${id}`, { headers })).body['data'] as RemovalView;
  await eventually(async () => expect(await read()).toMatchObject({ status: 'completed' }));
  await eventually(async () =>
    expect((await world.recording.commands.load(takenDownPicture, mediaId)).state?.references).toHaveLength(1),
  );
  return { id, read };
}

describe('with copies that wait for a moderator', () => {
  const original = photoOf(880);
  let world: World;
  beforeAll(async () => void (world = await openWorld('hold')));
  afterAll(() => closeWorld(world));

  test('a valid request removes copies in ads and identity checks, and what returns is held', async () => {
    const { product, api, recording } = world;
    const picture = await original;
    const anna = await postAd(world, picture);
    const ben = await postAd(world, await croppedAndResized(picture));
    const carla = await postAd(world, await photoOf(881));
    const ines = await recording.member({ userType: 'provider' });
    const form = new FormData();
    form.append('files', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'passport.jpg');
    const requested = await api.call('POST', '/api/account/identity', { token: ines.token, body: form });
    expect(requested.status).toBe(201);
    const { checkId = '' } = (await recording.commands.load(identity, ines.user.id)).state ?? {};
    const identityFiles = async () => (await blobFiles(product.dataDir)).filter((file) => file.includes(checkId));
    expect(await identityFiles()).toHaveLength(1);

    const { id, read } = await removeWith(world, anna.mediaId);
    for (const { mediaId } of [anna, ben]) await expectStatus(world, mediaId, 404);
    await expectStatus(world, carla.mediaId, 200);
    expect(await identityFiles()).toEqual([]);
    expect((await recording.commands.load(identity, ines.user.id)).state).toMatchObject({
      status: 'refused',
      reason: IDENTITY_COPY_REASON,
      isDestroyed: true,
    });
    expect((await recording.commands.load(removal, id)).state).toMatchObject({
      identityCopies: [{ accountId: ines.user.id, checkId }],
      completed: { identityChecks: 1 },
    });
    expect((await read()).completed).toMatchObject({ removed: 3, copies: 2 });
    // The provider can send other pictures.
    form.set('files', new Blob([new Uint8Array(await photoOf(882))], { type: 'image/jpeg' }), 'other.jpg');
    const again = await api.call('POST', '/api/account/identity', { token: ines.token, body: form });
    expect(again.status).toBe(201);

    // The picture returns under another account.
    for (const copy of [picture, await croppedAndResized(picture)]) {
      const returned = await send(world, copy);
      const { state } = await recording.commands.load(
        moderationCase,
        toCaseId({ kind: 'media', id: returned.mediaId }),
      );
      expect(state).toMatchObject({ isOpen: true, isHidingSubject: true, decision: { rule: 'consent' } });
      await api.postAd(returned.owner.token, { photos: [photoUrl(returned.mediaId)] });
      await expectStatus(world, returned.mediaId, 404);
    }
  });
});

describe('with copies that are rejected', () => {
  let world: World;
  beforeAll(async () => void (world = await openWorld('reject')));
  afterAll(() => closeWorld(world));

  test('what a valid request has removed cannot be uploaded again, also cropped and resized', async () => {
    const picture = await photoOf(890);
    const anna = await postAd(world, picture);
    await removeWith(world, anna.mediaId, [picture]);
    for (const copy of [picture, await croppedAndResized(picture), await EDITS.mirrored(picture)])
      expect(await send(world, copy)).toMatchObject({ status: 400, body: { code: 'PHOTO_WAS_REMOVED' } });
    expect(await send(world, await photoOf(891))).toMatchObject({ status: 201 });
  });
});
