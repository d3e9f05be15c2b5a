import { appendFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { contentsOf, differencesOf, filesBelow, query } from '../support/installation.ts';
import { pictures } from '../support/pictures.ts';
import { freshPlace, startTestProduct, type Place, type TestProduct } from '../support/product.ts';
import { buildTools, type Tools } from '../support/tools.ts';
import { upload } from '../support/uploads.ts';

/** A small installation, backed up and restored once. `backup-restore.long.test.ts` does so with a large one that is written to meanwhile. */

let tools: Tools;
let folder: string;
let backup: string;
let source: TestProduct;
const envOf = ({ databaseUrl, dataDir }: Place) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
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
  const { id, position } = await api.postAd(provider.token, { phone: '+1 555 0100', photos: photo.body['urls'] });
  await api.call('GET', `/api/ads/${id}`, { headers: { 'x-wait-position': position } });
  person = { email: provider.email, adId: id };
  await allProjected(source.databaseUrl);
  // Views are counted in memory and written a little later.
  await eventually(async () => expect(await query(source.databaseUrl, 'select * from stats.ad_views')).toHaveLength(1));
  expect(await tools.run('backup', ['--to', backup, '--with-secrets'], envOf(source))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await source.stop();
  await tools.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until every projection has come to the last event, and no more events come of it. */
async function allProjected(databaseUrl: string): Promise<void> {
  await eventually(async () => {
    const behind = await query(
      databaseUrl,
      `select name from rm.checkpoints where position::bigint < (select max(position) from es.events) and name not like 're%'`,
    );
    const open = await query(databaseUrl, `select media_id from rm.media_items where status = 'processing'`);
    expect([behind, open]).toEqual([[], []]);
  });
}

describe('a small installation', () => {
  test('is the same where its backup is restored, and goes on there', async () => {
    const place = await freshPlace();
    try {
      expect(await tools.run('restore', ['--from', backup], envOf(place))).toMatchObject({ code: 0 });
      expect(await loadSecrets(place.dataDir)).toEqual(await loadSecrets(source.dataDir));
      const restored = await startTestProduct({}, place);
      try {
        await allProjected(place.databaseUrl);
        const [found, wanted] = [await contentsOf(place.databaseUrl), await contentsOf(source.databaseUrl)];
        expect(wanted.readModels['ad_cards']).toHaveLength(1);
        expect(differencesOf(found, wanted)).toEqual({});
        expect(await filesBelow(path.join(place.dataDir, 'blobs'))).toEqual(
          await filesBelow(path.join(source.dataDir, 'blobs')),
        );
        const api = apiClient(restored.url);
        const login = await api.call('POST', '/api/auth/login', {
          body: { email: person.email, password: 'correct horse' },
        });
        expect(login.status).toBe(200);
        expect(
          (await api.call('GET', `/api/ads/${person.adId}`, { token: login.body['token'] as string })).body['data'],
        ).toMatchObject({ phone: '+1 555 0100', isOwner: true });
      } finally {
        await restored.stop();
      }
    } finally {
      await place.remove();
    }
  });

  test('is not restored from a backup that is damaged, and nothing is written', async () => {
    const place = await freshPlace();
    const spoiled = path.join(folder, 'spoiled');
    try {
      await cp(backup, spoiled, { recursive: true });
      await appendFile(path.join(spoiled, 'events.ndjson.gz'), 'x');
      const refused = await tools.run('restore', ['--from', spoiled], envOf(place));
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('is damaged');
      expect(
        await query(
          place.databaseUrl,
          `select table_name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
        ),
      ).toEqual([]);
      expect(await readdir(place.dataDir)).toEqual([]);
    } finally {
      await place.remove();
    }
  });
});
