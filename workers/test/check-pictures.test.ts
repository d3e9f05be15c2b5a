import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobKeys, type KnownImageChecker } from '@alpenglow/domain';
import { recordPhotoVariants, uploadMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createFileBlobStore,
  createLogger,
  createPictureChecks,
  createPictureCopies,
  noImageHashList,
  type Pool,
} from '@alpenglow/infra';
import { expect, onTestFinished, test } from 'vitest';
import { decoder } from '../../tests/support/decoder.ts';
import { createMemoryDataKeys } from '../../tests/support/memory-data-keys.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { photoOf } from '../../tests/support/picture-corpus.ts';
import { TEST_ORIGIN } from '../../tests/support/recording.ts';
import { checkPictures } from '../src/check-pictures.ts';
import type { WorkerDependencies } from '../src/dependencies.ts';

test('a photo of an earlier version is compared until its comparison succeeds, and only then has a hash', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const blobs = await createFileBlobStore({ root: folder });
  const commands = createCommandHandler(createMemoryEventStore());
  const file = { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: 10, contentType: 'image/jpeg' } as const;
  await commands.execute(media, 'm1', uploadMedia, file, TEST_ORIGIN);
  const made = { width: 160, height: 120, blur: 'data:', hash: '0f3c'.repeat(4), variants: [] };
  await commands.execute(media, 'm1', recordPhotoVariants, made, TEST_ORIGIN);
  await blobs.put(photoBlobKeys.variant('m1', '640.jpg'), await photoOf(1, 160, 120));
  const readHash = async () => {
    const { state } = await commands.load(media, 'm1');
    return state?.status === 'ready' && state.kind === 'photo' ? state.hash : undefined;
  };
  const readRows = async (excluded: readonly string[]) =>
    (await readHash()) === null && !excluded.includes('m1') ? [{ mediaId: 'm1' }] : [];
  let failed: readonly string[] = [];
  let hasOtherBuild = true;
  const run = (knownImages: KnownImageChecker) =>
    checkPictures(
      {
        pool: {
          query: async ({ values: [after, , excluded] }: { values: [string, string, string[]] }) => ({
            rows: after < 'm1' ? await readRows(excluded) : [],
          }),
        } as unknown as Pool,
        blobs,
        commands,
        decoder,
        knownImages,
        dataKeys: createMemoryDataKeys() as WorkerDependencies['dataKeys'],
        hashList: noImageHashList,
        hashKey: (text) => text,
        ads: { ownerOf: () => Promise.resolve(null) },
        progress: { waitFor: () => Promise.resolve(true) },
        copies: {
          isTakenDown: () => Promise.resolve(false),
          find: () => Promise.resolve({ photos: [], identityChecks: [] }),
          findFiles: () => Promise.resolve([]),
          findTakenDown: () => Promise.resolve([]),
          listTakenDown: () => Promise.resolve([]),
        },
        pictureChecks: {
          open: (_name, listVersion) => {
            const progress = { listVersion, lastItem: null, failed, compared: 0 };
            return Promise.resolve({ ...progress, startedAt: new Date(), isEnded: false });
          },
          advance: (_name, _last, _count, more) => Promise.resolve(void (failed = [...failed, ...more])),
          readDueFailures: (name) => Promise.resolve(name === 'without-hash' ? failed : []),
          setFailures: (_name, left) => Promise.resolve(void (failed = left)),
          end: () => Promise.resolve(),
        },
        haveOtherReaders: () => Promise.resolve(hasOtherBuild),
        log: createLogger('silent'),
      },
      Date.now(),
      new AbortController().signal,
    );

  // Builds before decision 0118 cannot read the event that records a hash.
  await run({ check: () => Promise.reject(new Error('checked')) });
  expect(failed).toEqual([]);
  hasOtherBuild = false;
  await expect(run({ check: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
  expect(await readHash()).toBeNull();
  expect(failed).toEqual(['m1']);
  const compared: string[] = [];
  await run({ check: ({ mediaId }) => (compared.push(mediaId), Promise.resolve('allowed')) });
  expect(compared).toEqual(['m1']);
  expect(failed).toEqual([]);
  expect(await readHash()).toMatch(/^[\da-f]{64}$/u);
});

test('a run without new pictures makes two statements for each of its three checks', async () => {
  const statements: string[] = [];
  const pool = {
    query: ({ name, values }: { name: string; values: unknown[] }) => {
      statements.push(name);
      const listVersion = values[0] === 'without-hash' ? 'without-hash' : 'taken-down';
      const progress = { listVersion, lastItem: null, failed: [], compared: 0, startedAt: new Date(), isEnded: true };
      return Promise.resolve({ rows: name === 'picture-check-read' ? [progress] : [] });
    },
  } as unknown as Pool;
  const deps = {
    pool,
    hashList: noImageHashList,
    copies: createPictureCopies(pool),
    pictureChecks: createPictureChecks(pool),
    haveOtherReaders: () => Promise.resolve(false),
    log: createLogger('silent'),
  } as unknown as WorkerDependencies;
  await checkPictures(deps, Date.now(), new AbortController().signal);
  expect(statements).toEqual([
    'picture-check-read',
    'taken-down-after',
    'picture-check-read',
    'taken-down-after',
    'picture-check-read',
    'photos-without-hash',
  ]);
});
