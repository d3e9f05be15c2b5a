import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { after, apiClient, type ApiClient } from '../support/api.ts';
import { Actor } from '../support/actor.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { createPositionReader, typesByStream, readEventLog } from '../support/event-log.ts';
import { eventually } from '../support/eventually.ts';
import { kill9 } from '../support/launched-product.ts';
import { listAds } from '../support/list-ads.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { connectReconnectingLive } from '../support/reconnecting-live-client.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { randomNumbers } from '../support/random.ts';

const DUTIES = `select count(*)::int as held from pg_locks
  where locktype = 'advisory' and granted and classid::bigint = (hashtext('alpenglow-duty')::bigint & 4294967295)`;

describe('the cluster', () => {
  let cluster: TestCluster;
  let api: ApiClient;
  let database: Client;
  beforeAll(async () => {
    cluster = await startTestCluster();
    await cluster.ready();
    api = apiClient(cluster.url);
    database = new Client({ connectionString: cluster.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await cluster?.stop();
  });

  const memberUrls = (service: string) =>
    cluster.members.filter((member) => member.service === service).map(({ url }) => url);
  const countHeldDuties = async () => (await database.query<{ held: number }>(DUTIES)).rows[0]?.held ?? 0;

  test('supports the main workflow through the gateway, with lists and live messages of every query-api', async () => {
    const lives = await Promise.all([...memberUrls('query-api'), cluster.url].map((url) => connectLive(url)));
    const provider = await api.signUp('provider');
    const form = new FormData();
    form.append(
      'photos',
      new Blob([new Uint8Array(await pictures.jpeg(800, 600))], { type: 'image/jpeg' }),
      'photo.jpg',
    );
    const upload = await fetch(`${cluster.url}/api/uploads/photos`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${provider.token}` },
    });
    const { urls, media } = (await upload.json()) as { urls: string[]; media: { id: string }[] };
    expect(upload.status).toBe(201);
    const { id, position } = await api.postAd(provider.token, { photos: urls });

    for (const live of lives)
      expect(await live.next((message) => adIdOf(message) === id)).toMatchObject({ type: 'ad_created' });
    for (const url of [...memberUrls('query-api'), cluster.url]) {
      expect((await listAds(apiClient(url), after(position))).get(id)).toBe('Good company');
      for (const variant of PHOTO_VARIANT_NAMES) {
        const picture = await fetch(`${url}/uploads/photos/${media[0]?.id ?? ''}/${variant}`, {
          headers: { range: 'bytes=0-9' },
        });
        expect(picture.status, variant).toBe(206);
        expect((await picture.arrayBuffer()).byteLength).toBe(10);
      }
    }
    const changed = await api.call('PUT', `/api/ads/${id}`, { token: provider.token, body: { title: 'Changed' } });
    expect(changed.status).toBe(200);
    expect((await api.call('POST', `/api/ads/${id}/bump`, { token: provider.token })).status).toBe(429);
    expect((await api.call('DELETE', `/api/ads/${id}`, { token: provider.token })).status).toBe(200);
    for (const live of lives) {
      await live.next(({ type }) => type === 'ad_deleted');
      expect(live.messages.filter((message) => adIdOf(message) === id).map(({ type }) => type)).toEqual([
        'ad_created',
        'ad_updated',
        'ad_deleted',
      ]);
      live.close();
    }
    const inbox = await fetch(`${cluster.url}/dev/inbox`);
    expect(inbox.status).toBe(200);
    expect((await fetch(`${cluster.url}/`, { headers: { accept: 'text/html' } })).status).toBe(200);
    expect((await fetch(`${cluster.url}/mf/registry.json`)).status).toBe(200);
    // These are the metrics of the gateway, which need the token.
    expect((await fetch(`${cluster.url}/metrics`)).status).toBe(401);
  });

  test('stores all data in its configured backing services', async () => {
    const { env } = cluster.backingServices;
    if (env['KAFKA_BROKERS'] !== undefined) {
      const { rows } = await database.query(
        `select name from rm.checkpoints where name = 'relay-live' and position <> ''`,
      );
      expect(rows).toHaveLength(1);
    }
    if (env['REDIS_URL'] !== undefined) {
      const { rows } = await database.query(
        `select schema_name from information_schema.schemata where schema_name like 'bull%'`,
      );
      expect(rows).toEqual([]);
      const redis = new Redis(env['REDIS_URL']);
      expect((await redis.keys('*photo-variants*')).length).toBeGreaterThan(0);
      redis.disconnect();
    }
    if (env['S3_ENDPOINT'] !== undefined) expect(existsSync(path.join(cluster.dataDir, 'blobs'))).toBe(false);
    if (env['EVENTSTORE_URL'] !== undefined) {
      expect((await database.query('select from es.events')).rowCount).toBe(0);
      expect((await readEventLog(cluster.eventLog)).length).toBeGreaterThan(0);
    }
  });

  test('a live client resumes by `since` at another query-api process', async () => {
    const [first = '', second = ''] = memberUrls('query-api');
    const before = await connectLive(first);
    const poster = await api.signUp('provider');
    const { id, position } = await api.postAd(poster.token);
    await before.next((message) => adIdOf(message) === id);
    before.close();
    for (let n = 0; n < 5; n += 1)
      await api.call('PUT', `/api/ads/${id}`, { token: poster.token, body: { title: `Number ${n}` } });
    const reconnected = await connectLive(second, { since: position });
    await expect.poll(() => reconnected.messages.length).toBe(5);
    await pause(500);
    expect(reconnected.messages.map((message) => `${message.type} ${adIdOf(message)}`)).toEqual(
      Array.from({ length: 5 }, () => `ad_updated ${id}`),
    );
    reconnected.close();
  });

  test('has one process for each duty, and another one within 5 s after a kill -9', async () => {
    const held = await countHeldDuties();
    expect(held).toBeGreaterThan(5);
    for (const member of cluster.members.filter(({ service }) => service === 'projectors')) {
      const live = await connectLive(cluster.url);
      const provider = await api.signUp('provider');
      const killed = member.pid();
      kill9(killed);
      // The restarted process is suspended, so that only the other process can take over its duties.
      const successor = await eventually(
        () => {
          const pid = member.pid();
          if (pid === undefined || pid === killed) throw new Error('The process has not been restarted');
          return pid;
        },
        { interval_ms: 5 },
      );
      process.kill(successor, 'SIGSTOP');
      const { id, position } = await api.postAd(provider.token);
      await live.next((message) => adIdOf(message) === id, MAX_WAIT_ms);
      expect((await listAds(api, after(position))).has(id)).toBe(true);
      await eventually(async () => expect(await countHeldDuties()).toBe(held));
      process.kill(successor, 'SIGCONT');
      live.close();
      await member.ready();
    }
  });

  test('restarts every process under load without a failed request or a lost live message', async () => {
    const random = randomNumbers(7);
    const target = { url: cluster.url, api };
    // The live clients receive the messages after the position of this ad.
    const { position } = await api.postAd((await api.signUp('provider')).token);
    const witnesses = await Promise.all(
      Array.from({ length: 4 }, () => connectReconnectingLive(cluster.url, position)),
    );
    const actors = Array.from({ length: 4 }, () => new Actor());
    const failures: string[] = [];
    let reads = 0;
    let isOver = false;
    const write = async (actor: Actor) => {
      while (!isOver) {
        // The result is false if the write received no response or a response with status 503. Any other error ends the
        // test.
        if (!(await actor.performNextStep(target, random).catch((error: unknown) => Promise.reject(error as Error)))) {
          failures.push(`a write of ${actor.email}`);
          return;
        }
        await pause(20);
      }
    };
    const read = async () => {
      while (!isOver) {
        for (const path of ['/api/ads?limit=20', '/api/health', '/', '/mf/registry.json']) {
          const status = await fetch(`${cluster.url}${path}`, {
            headers: { accept: path === '/' ? 'text/html' : '*/*' },
          }).then(
            async (response) => {
              await response.arrayBuffer();
              return response.status;
            },
            (error: unknown) => `${String(error)} ${String((error as Error).cause)}`,
          );
          reads += 1;
          if (status !== 200) failures.push(`GET ${path}: ${status}`);
        }
        await pause(10);
      }
    };
    const load = Promise.all([...actors.map(write), read(), read()]);
    await cluster.rollingRestart();
    isOver = true;
    await load;
    expect(failures).toEqual([]);
    const writes = actors.reduce((sum, { acknowledgedCount }) => sum + acknowledgedCount, 0);
    expect(reads).toBeGreaterThan(200);
    expect(writes).toBeGreaterThan(50);

    const positionOf = await createPositionReader(cluster.dataDir);
    const start = positionOf(position);
    const adEvents = (await readEventLog(cluster.eventLog)).filter(
      ({ type, position: at }) => /^Ad(Posted|Updated|Bumped|Deleted)$/u.test(type) && at > start,
    );
    const seqs = adEvents.map(({ position: at }) => at);
    for (const witness of witnesses) {
      await expect.poll(() => witness.messages.length).toBeGreaterThanOrEqual(seqs.length);
      expect(witness.messages.map(({ seq }) => positionOf(seq))).toEqual(seqs);
      expect(witness.connections).toBeGreaterThan(1);
      witness.stop();
    }
    const histories = typesByStream(await readEventLog(cluster.eventLog));
    for (const actor of actors)
      expect(histories.get(`listing-${actor.accountId ?? ''}`) ?? []).toEqual(actor.acknowledged.listing);
    process.stdout.write(
      `rolling restart of ${cluster.members.length - 1} processes: ${reads} reads, ${writes} writes, 0 failed; ` +
        `${seqs.length} live messages to each of ${witnesses.length} clients\n`,
    );
  });
});
