import { appendFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { readContents, differencesOf, digestFilesBelow, query } from '../support/installation.ts';
import { pictures } from '../support/pictures.ts';
import { createEmptyLocation, startTestProduct, type DataLocation, type TestProduct } from '../support/product.ts';
import { buildTools, type Tools } from '../support/tools.ts';
import { settledBlobFiles, upload } from '../support/uploads.ts';

// Backs up and restores a small installation. `backup-restore.long.test.ts` uses a large installation and
// writes during the backup.

let tools: Tools;
let folder: string;
let backup: string;
let source: TestProduct;
const envOf = ({ databaseUrl, dataDir }: DataLocation) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
let person: { readonly email: string; readonly adId: string };

beforeAll(async () => {
  tools = await buildTools();
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-backups-'));
  backup = path.join(folder, 'backup');
  source = await startTestProduct();
  const api = apiClient(source.url);
  const provider = await api.signUp('provider');
  const photo = await upload(source.url, 'photos', [{ bytes: await pictures.jpeg(400, 300) }], provider.token);
  expect(photo.status).toBe(201);
  const { id, position } = await api.postAd(provider.token, { phone: '+17025550100', photos: photo.body['urls'] });
  await api.call('GET', `/api/ads/${id}`, { headers: after(position) });
  await api.call('POST', `/api/ads/${id}/views`);
  person = { email: provider.email, adId: id };
  await waitForProjections(source.databaseUrl);
  // The product removes an uploaded original file after the response. A backup that contains it would differ.
  await settledBlobFiles(source.dataDir);
  // Views of ads are counted in memory and written later, so the test polls.
  await eventually(async () => expect(await query(source.databaseUrl, 'select * from stats.ad_views')).toHaveLength(1));
  expect(await tools.run('backup', ['--to', backup, '--with-secrets'], envOf(source))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await source.stop();
  await tools.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until every projection has processed the last event, and no photo is being processed. */
async function waitForProjections(databaseUrl: string): Promise<void> {
  await eventually(async () => {
    const behind = await query(
      databaseUrl,
      `select name
         from rm.checkpoints
        where position::bigint < (select max(position) from es.events) and name not like 're%'`,
    );
    const unprocessed = await query(databaseUrl, `select media_id from rm.media_items where status = 'processing'`);
    expect([behind, unprocessed]).toEqual([[], []]);
  });
}

describe('a small installation', () => {
  test('is identical and usable after its backup was restored elsewhere', async () => {
    const place = await createEmptyLocation();
    try {
      expect(await tools.run('restore', ['--from', backup], envOf(place))).toMatchObject({ code: 0 });
      expect(await loadSecrets(place.dataDir)).toEqual(await loadSecrets(source.dataDir));
      const restored = await startTestProduct({}, place);
      try {
        await waitForProjections(place.databaseUrl);
        const [actual, expected] = [await readContents(place.databaseUrl), await readContents(source.databaseUrl)];
        expect(expected.readModels['ad_cards']).toHaveLength(1);
        expect(differencesOf(actual, expected)).toEqual({});
        expect(await digestFilesBelow(path.join(place.dataDir, 'blobs'))).toEqual(
          await digestFilesBelow(path.join(source.dataDir, 'blobs')),
        );
        const api = apiClient(restored.url);
        const login = await api.call('POST', '/api/auth/login', {
          body: { email: person.email, password: 'correct horse' },
        });
        expect(login.status).toBe(200);
        expect(
          (await api.call('GET', `/api/ads/${person.adId}`, { token: login.body['token'] as string })).body['data'],
        ).toMatchObject({ phone: '+17025550100', isOwner: true });
      } finally {
        await restored.stop();
      }
    } finally {
      await place.remove();
    }
  });

  test('is not restored from a damaged backup, which writes nothing', async () => {
    const place = await createEmptyLocation();
    const damaged = path.join(folder, 'spoiled');
    try {
      await cp(backup, damaged, { recursive: true });
      await appendFile(path.join(damaged, 'events.ndjson.gz.age'), 'x');
      const rejected = await tools.run('restore', ['--from', damaged], envOf(place));
      expect(rejected.code).toBe(1);
      expect(rejected.stderr).toContain('is damaged');
      expect(
        await query(
          place.databaseUrl,
          `select table_name
             from information_schema.tables
            where table_schema not in ('pg_catalog', 'information_schema')`,
        ),
      ).toEqual([]);
      expect(await readdir(place.dataDir)).toEqual([]);
    } finally {
      await place.remove();
    }
  });
});
