import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BLOB_PREFIXES, type ResponseOf } from '@alpenglow/domain';
import { createLogger, loadSecrets, readConfig, type S3Config } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { apiClient } from '../support/api.ts';
import { readContents, digestOf, digestFilesBelow } from '../support/installation.ts';
import { convertToUnencrypted } from '../support/open-backup.ts';
import { pictures } from '../support/pictures.ts';
import { createEmptyLocation, startTestProduct } from '../support/product.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/**
 * Moves an installation from one machine to a cluster that stores pictures in an S3 bucket. Then makes a backup of the
 * cluster.
 */

const { s3 } = readConfig(process.env);
if (s3 === null) test.skip('backup and restore with S3: not run, S3_ENDPOINT is not set');
else
  describe('backup and restore with S3', () =>
    testWithS3({ ...s3, bucket: `alpenglow-backup-${randomBytes(4).toString('hex')}` }));

function testWithS3(config: S3Config): void {
  let tools: Tools;
  let folder: string;
  beforeAll(async () => {
    tools = await buildTools();
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-backups-'));
  });
  afterAll(async () => {
    await tools.remove();
    await rm(folder, { recursive: true, force: true });
    const blobs = await openS3BlobStore(config, { log: createLogger('silent') });
    for (const prefix of BLOB_PREFIXES) await blobs.remove(prefix);
  });

  test('restore moves the files to the bucket, and a backup of the bucket contains the same bytes', async () => {
    const [sourcePlace, targetPlace] = [await createEmptyLocation(), await createEmptyLocation()];
    const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
    const source = await startTestProduct({}, sourcePlace);
    const api = apiClient(source.url);
    const { token, email } = await api.signUp('provider');
    const form = new FormData();
    form.append('photos', new Blob([new Uint8Array(await pictures.jpeg())], { type: 'image/jpeg' }), 'photo.jpg');
    const uploaded = (await (
      await fetch(`${source.url}/api/uploads/photos`, {
        method: 'POST',
        body: form,
        headers: { authorization: `Bearer ${token}` },
      })
    ).json()) as ResponseOf<'uploadPhotos'>;
    const { id } = await api.postAd(token, { photos: uploaded.urls });
    await source.stop();
    expect(
      await tools.run('backup', ['--to', first], {
        DATABASE_URL: sourcePlace.databaseUrl,
        DATA_DIR: sourcePlace.dataDir,
      }),
    ).toMatchObject({ code: 0 });

    const secrets = await loadSecrets(sourcePlace.dataDir);
    const env = {
      DATABASE_URL: targetPlace.databaseUrl,
      DATA_DIR: targetPlace.dataDir,
      SECRET_ACCOUNT_IDS: secrets.accountIds,
      SECRET_DATA_KEYS: secrets.dataKeys,
      SECRET_VERIFICATION_CODES: secrets.verificationCodes,
      S3_ENDPOINT: config.endpoint,
      S3_BUCKET: config.bucket,
      S3_REGION: config.region,
      S3_ACCESS_KEY_ID: config.accessKeyId,
      S3_SECRET_ACCESS_KEY: config.secretAccessKey,
    };
    expect(await tools.run('restore', ['--from', first], env)).toMatchObject({ code: 0 });
    expect(await tools.run('backup', ['--to', second], env)).toMatchObject({ code: 0 });
    const [firstOpened, secondOpened] = [path.join(folder, 'first-opened'), path.join(folder, 'second-opened')];
    await convertToUnencrypted(first, tools.backupKeyFile, firstOpened);
    await convertToUnencrypted(second, tools.backupKeyFile, secondOpened);
    expect(await digestFilesBelow(path.join(secondOpened, 'blobs'))).toEqual(
      await digestFilesBelow(path.join(firstOpened, 'blobs')),
    );
    expect((await readContents(targetPlace.databaseUrl)).events).toEqual(
      (await readContents(sourcePlace.databaseUrl)).events,
    );

    const restored = await startTestProduct({ s3: config, secrets }, targetPlace);
    const restoredApi = apiClient(restored.url);
    expect(
      (await restoredApi.call('POST', '/api/auth/login', { body: { email, password: 'correct horse' } })).status,
    ).toBe(200);
    expect((await restoredApi.call('GET', `/api/ads/${id}`)).body['data']).toMatchObject({ images: uploaded.urls });
    const key = (uploaded.urls[0] ?? '').slice('/uploads/'.length);
    expect(digestOf(new Uint8Array(await (await fetch(`${restored.url}/uploads/${key}`)).arrayBuffer()))).toBe(
      (await digestFilesBelow(path.join(firstOpened, 'blobs')))[key],
    );
    await restored.stop();
    for (const place of [sourcePlace, targetPlace]) await place.remove();
  });
}
