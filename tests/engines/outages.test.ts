import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHOTO_VARIANTS } from '@alpenglow/domain';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { listedAds } from '../support/listed-ads.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { pictures } from '../support/pictures.ts';

const RETURN_ms = 60_000;
const RESTARTED = ['command-api', 'query-api', 'projectors', 'workers'];

describe('while an engine is away', () => {
  let cluster: TestCluster;
  let api: ApiClient;
  let provider: Person;
  let photo: string;
  beforeAll(async () => {
    cluster = await startTestCluster({ each: 1 });
    await cluster.ready();
    api = apiClient(cluster.url);
    provider = await api.signUp('provider');
    photo = ((await upload(provider.token)).body as { media: { id: string }[] }).media[0]?.id ?? '';
    // A process that never heard from Kafka since it started lets nobody in: what is tested here is one that did.
    await eventually(async () => (await connectLive(cluster.url)).close(), { interval_ms: 500 });
  });
  afterAll(() => cluster?.stop());

  async function upload(token: string) {
    const form = new FormData();
    form.append(
      'photos',
      new Blob([new Uint8Array(await pictures.jpeg(300, 200))], { type: 'image/jpeg' }),
      'photo.jpg',
    );
    const answer = await fetch(`${cluster.url}/api/uploads/photos`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
  }
  const variantStatus = async (mediaId: string) =>
    (await fetch(`${cluster.url}/uploads/photos/${mediaId}/${PHOTO_VARIANTS[0] ?? ''}`)).status;
  const pageStatus = async () => (await fetch(`${cluster.url}/`, { headers: { accept: 'text/html' } })).status;

  /** Ends every process that has to do with the engines and starts it again, as an update would; resolves when all are ready and the gateway knows. */
  async function restartServices(): Promise<void> {
    await Promise.all(
      cluster.members.filter(({ service }) => RESTARTED.includes(service)).map((member) => member.restart()),
    );
    const statuses = async () =>
      Promise.all(
        [
          api.call('GET', '/api/ads?limit=1'),
          api.call('POST', '/api/auth/login', { body: { email: provider.email, password: 'wrong' } }),
        ].map(async (answer) => (await answer).status),
      );
    await expect.poll(statuses, { interval: 200 }).toEqual([200, 401]);
  }
  /** Somebody signs up and posts, which is listed and, where the live channel is there, told. */
  async function expectBusiness({ isTold }: { isTold: boolean }): Promise<{ token: string; adId: string }> {
    const listener = isTold ? await connectLive(cluster.url) : null;
    const poster = await api.signUp('provider');
    const { id, position } = await api.postAd(poster.token);
    expect((await listedAds(api, { 'x-wait-position': position })).has(id)).toBe(true);
    await listener?.next((message) => adIdOf(message) === id, RETURN_ms);
    listener?.close();
    expect(await pageStatus()).toBe(200);
    return { token: poster.token, adId: id };
  }

  /** Does `work` while the engine is stopped, then starts it again. Counts as not run where the machine has no such engine. */
  function without(
    name: 'kafka' | 'postgres' | 'redis' | 's3',
    what: string,
    work: () => Promise<void>,
    afterwards: () => Promise<void>,
  ): void {
    test(`${name}: ${what}`, async (context) => {
      const engine = cluster.engines.running.get(name);
      if (!engine) return context.skip();
      await engine.stop('SIGKILL');
      try {
        await work();
      } finally {
        await engine.start();
      }
      await afterwards();
    });
  }
  async function expectUnavailable(
    call: () => Promise<{ status: number; headers: Headers; body: Readonly<Record<string, unknown>> }>,
  ): Promise<void> {
    const { status, headers, body } = await call();
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { success: false, code: 'UNAVAILABLE', error: expect.stringMatching(/\w/u) as string },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }

  let told: string;
  let live: Awaited<ReturnType<typeof connectLive>>;
  without(
    'kafka',
    'everything goes on but the live channel, which tells all of it later',
    async () => {
      live = await connectLive(cluster.url);
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      told = id;
      expect((await listedAds(api, { 'x-wait-position': position })).has(id)).toBe(true);
      expect((await upload(poster.token)).status).toBe(201);
      expect(await pageStatus()).toBe(200);
    },
    async () => {
      await live.next((message) => adIdOf(message) === told, RETURN_ms);
      expect(live.messages.filter((message) => adIdOf(message) === told)).toHaveLength(1);
      live.close();
    },
  );

  without(
    'kafka',
    'services start again, and do all but the live channel',
    async () => {
      await restartServices();
      const { token } = await expectBusiness({ isTold: false });
      expect((await upload(token)).status).toBe(201);
    },
    async () => {
      await expectBusiness({ isTold: true });
    },
  );

  let waiting: string;
  without(
    'redis',
    'photos are taken in and wait for their job, everything else goes on',
    async () => {
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      expect((await listedAds(api, { 'x-wait-position': position })).has(id)).toBe(true);
      const { status, body } = await upload(poster.token);
      expect(status).toBe(202);
      waiting = (body as { media: { id: string }[] }).media[0]?.id ?? '';
      expect(await variantStatus(photo)).toBe(200);
    },
    async () => {
      await expect.poll(() => variantStatus(waiting), { interval: 500 }).toBe(200);
    },
  );

  without(
    'redis',
    'services start again, and photos wait for their job',
    async () => {
      await restartServices();
      const { token } = await expectBusiness({ isTold: true });
      const { status, body } = await upload(token);
      expect(status).toBe(202);
      waiting = (body as { media: { id: string }[] }).media[0]?.id ?? '';
      expect(await variantStatus(photo)).toBe(200);
    },
    async () => {
      await expect.poll(() => variantStatus(waiting), { interval: 500 }).toBe(200);
    },
  );

  without(
    's3',
    'pictures and uploads answer 503, everything else goes on',
    async () => {
      await expectUnavailable(() => upload(provider.token));
      expect(await variantStatus(photo)).toBe(503);
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      expect((await listedAds(api, { 'x-wait-position': position })).has(id)).toBe(true);
    },
    async () => {
      await expect.poll(() => variantStatus(photo), { interval: 500 }).toBe(200);
      expect((await upload(provider.token)).status).toBe(201);
    },
  );

  without(
    's3',
    'services start again, and do all but pictures',
    async () => {
      await restartServices();
      await expectBusiness({ isTold: true });
      await expectUnavailable(() => upload(provider.token));
      expect(await variantStatus(photo)).toBe(503);
    },
    async () => {
      await expect.poll(() => variantStatus(photo), { interval: 500 }).toBe(200);
      expect((await upload(provider.token)).status).toBe(201);
    },
  );

  without(
    'postgres',
    'calls answer 503 in words, pages are served, live clients stay',
    async () => {
      live = await connectLive(cluster.url);
      await expectUnavailable(() => api.call('GET', '/api/ads?limit=7'));
      await expectUnavailable(() =>
        api.call('POST', '/api/auth/login', { body: { email: provider.email, password: 'correct horse' } }),
      );
      await expectUnavailable(() => api.call('POST', '/api/ads', { token: provider.token, body: {} }));
      expect(await pageStatus()).toBe(200);
      for (const { pid } of cluster.members) expect(pid()).toBeDefined();
    },
    async () => {
      await cluster.ready();
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      await live.next((message) => adIdOf(message) === id, RETURN_ms);
      expect((await listedAds(api, { 'x-wait-position': position })).has(id)).toBe(true);
      live.close();
    },
  );

  test('no process ended on account of any of it', () => {
    expect(cluster.said).toEqual([]);
  });
});
