import { randomUUID } from 'node:crypto';
import { photoUrl, takenDownPicture, type PictureCheckView } from '@alpenglow/domain';
import { takePictureDown } from '@alpenglow/domain/deciders';
import { createPictureChecks } from '@alpenglow/infra';
import { beforeAll, expect, test } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { createTestPool, createWorkDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { photoOf } from '../support/picture-corpus.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { upload } from '../support/uploads.ts';
import { testProduct, testRecording } from '../support/fixtures.ts';

/** Admins see how far everything published is checked again after a list has grown. */

const product = testProduct();
const recording = testRecording(product);
let admin: Person;

beforeAll(async () => {
  admin = await recording.member({ email: 'admin@example.com' });
});

const readChecks = async () => {
  const { status, body } = await apiClient(product.url).call('GET', '/api/admin/picture-checks', {
    token: admin.token,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body['data'] as PictureCheckView[];
};

test('the progress counts what was compared, and begins again when the list grows', async () => {
  const takeDown = async () => {
    const pictureId = randomUUID();
    const command = { pictureId, hash: '0f3c5a69'.repeat(8), reference: `test-${pictureId}` };
    await recording.commands.execute(takenDownPicture, pictureId, takePictureDown, command, TEST_ORIGIN);
  };
  const expectEnded = () =>
    eventually(async () => {
      const check = (await readChecks()).find(({ name }) => name === 'taken-down');
      expect(check).toMatchObject({ isRunning: false, failed: 0, endedAt: expect.stringMatching(/Z$/u) as string });
      expect(check?.done).toBeGreaterThan(0);
      expect(check?.done).toBe(check?.total);
      return check;
    });
  await takeDown();
  const first = await expectEnded();
  await takeDown();
  await eventually(async () => expect((await expectEnded())?.since).not.toBe(first?.since));
});

test('shows the photos that are waiting and those that have failed', async () => {
  const pool = createTestPool(product.databaseUrl, 1);
  const owner = await recording.member({ userType: 'provider' });
  const { body } = await upload(product.url, 'photos', [{ bytes: await photoOf(930) }], owner.token);
  const [photo] = body['media'] as readonly { readonly id: string }[];
  expect(photoUrl(photo?.id ?? '')).toContain('/uploads/photos/');
  // The product has no list of the operator, so nothing else changes this row.
  const checks = createPictureChecks(pool);
  await checks.open('hash-list', 'list 1');
  const total = await eventually(async () => {
    const check = (await readChecks()).find(({ name }) => name === 'hash-list');
    expect(check).toMatchObject({ isRunning: true, done: 0, failed: 0, endedAt: null });
    expect(check?.total).toBeGreaterThan(0);
    return check?.total ?? 0;
  });
  await checks.advance('hash-list', 'zzz', total, [photo?.id ?? '']);
  expect(await readChecks()).toContainEqual(
    expect.objectContaining({ name: 'hash-list', isRunning: true, total, done: total - 1, failed: 1 }),
  );
  await checks.setFailures('hash-list', []);
  await checks.end('hash-list');
  expect(await readChecks()).toContainEqual(
    expect.objectContaining({ name: 'hash-list', isRunning: false, total, done: total, failed: 0 }),
  );
  await pool.end();
});

test('a check that had ended counts from zero', async () => {
  const database = await createWorkDatabase();
  const pool = createTestPool(database.connectionString, 1);
  const checks = createPictureChecks(pool);
  await checks.open('taken-down', 'taken-down');
  await checks.advance('taken-down', 'a', 5, []);
  expect(await checks.open('taken-down', 'taken-down')).toMatchObject({ compared: 5, lastItem: 'a', isEnded: false });
  await checks.end('taken-down');
  await checks.advance('taken-down', 'b', 2, []);
  expect(await checks.open('taken-down', 'taken-down')).toMatchObject({ compared: 2, lastItem: 'b', isEnded: false });
  await pool.end();
  await database.drop();
});
