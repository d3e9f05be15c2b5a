import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateBucketCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  type LifecycleRule,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigurationError, createLogger, readConfig, type S3Config } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { createS3Client } from '../../infra/src/adapters/s3/client.ts';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createVersionedS3 } from '../support/versioned-s3.ts';

/** Tests decision 0017: a bucket with versions must delete the versions of removed files after a limited time. */

const log = createLogger('silent');
const store = await createVersionedS3({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-s3-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (store instanceof BackingServiceUnavailable) test.skip(`S3 with versions: not run, ${store.message}`);
else testVersions(store);

function testVersions(service: BackingService): void {
  const config = readConfig(service.env).s3;
  if (config === null) throw new Error('The environment contains no S3 configuration');
  let client: S3Client;
  beforeAll(async () => {
    await service.start();
    client = createS3Client(config, { maxSockets: 5, log });
  });
  afterAll(async () => {
    client.destroy();
    await service.dispose();
  });

  const createBucket = async ({
    status,
    rules = [],
  }: {
    status: 'Enabled' | 'Suspended';
    rules?: readonly LifecycleRule[];
  }): Promise<S3Config> => {
    const bucket = `bucket-${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    // Versioning can be suspended only after it was enabled.
    for (const Status of new Set(['Enabled', status] as const))
      await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }));
    if (rules.length > 0)
      await client.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket: bucket,
          LifecycleConfiguration: { Rules: [...rules] },
        }),
      );
    return { ...config, bucket };
  };

  /** A rule that deletes the versions of all removed files after 35 days. */
  const EXPIRES: LifecycleRule = {
    ID: 'removed-files',
    Status: 'Enabled',
    Filter: { Prefix: '' },
    NoncurrentVersionExpiration: { NoncurrentDays: 35 },
  };

  const rejected: readonly (readonly [string, readonly LifecycleRule[]])[] = [
    ['without a rule', []],
    [
      'with a rule that deletes old versions after 36 days',
      [withChanges({ NoncurrentVersionExpiration: { NoncurrentDays: 36 } })],
    ],
    ['with a rule that is switched off', [withChanges({ Status: 'Disabled' })]],
    ['with a rule for a part of the files', [withChanges({ Filter: { Prefix: 'photos/' } })]],
    ['with a rule for large files', [withChanges({ Filter: { ObjectSizeGreaterThan: 1_000 } })]],
    [
      'with a rule that retains some old versions',
      [withChanges({ NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 3 } })],
    ],
    [
      'with a rule for unfinished uploads only',
      [{ ID: 'a', Status: 'Enabled', Filter: {}, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }],
    ],
  ];
  function withChanges(changes: Partial<LifecycleRule>): LifecycleRule {
    return { ...EXPIRES, ...changes };
  }

  test('a new bucket is accepted, because it has no versions', async () => {
    const blobs = await openS3BlobStore({ ...config, bucket: `bucket-${randomUUID()}` }, { log });
    await blobs.put('a', Buffer.from('x'));
    expect(await blobs.getInfo('a')).toMatchObject({ sizeBytes: 1 });
  });

  describe('a bucket with versions', () => {
    test('retains a removed file as an old version', async () => {
      const bucket = await createBucket({ status: 'Enabled', rules: [EXPIRES] });
      const blobs = await openS3BlobStore(bucket, { log });
      await blobs.put('photos/a/1', Buffer.from('alpenglow'));
      await blobs.remove('photos/a/1');
      expect(await blobs.getInfo('photos/a/1')).toBeNull();
      const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket.bucket }));
      expect(Versions.map(({ Key }) => Key)).toEqual(['photos/a/1']);
    });

    test.each(rejected)('is rejected at the start %s', async (_name, rules) => {
      const opening = openS3BlobStore(await createBucket({ status: 'Enabled', rules }), { log });
      await expect(opening).rejects.toThrow(ConfigurationError);
      await expect(opening).rejects.toThrow(/S3_BUCKET: .* after at most 35 days/u);
    });

    test('is rejected if versioning is suspended, because earlier versions remain', async () => {
      const opening = openS3BlobStore(await createBucket({ status: 'Suspended' }), { log });
      await expect(opening).rejects.toThrow(ConfigurationError);
    });

    test.each([
      ['with a prefix that is empty', [EXPIRES]],
      ['with an empty filter', [withChanges({ Filter: {} })]],
      [
        'next to other rules',
        [
          { ID: 'a', Status: 'Enabled', Filter: {}, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
          withChanges({ NoncurrentVersionExpiration: { NoncurrentDays: 1 } }),
        ] satisfies LifecycleRule[],
      ],
    ])('is accepted if a rule deletes old versions of all files: %s', async (_name, rules) => {
      for (const status of ['Enabled', 'Suspended'] as const) {
        const blobs = await openS3BlobStore(await createBucket({ status, rules }), { log });
        await blobs.put('a', Buffer.from('x'));
        expect(await blobs.getInfo('a')).toMatchObject({ sizeBytes: 1 });
      }
    });
  });
}
