import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import { after, apiClient, validAd, type ApiClient, type Person } from '../support/api.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { listAds } from '../support/list-ads.ts';
import { adIdOf } from '../support/live-ads.ts';
import { connectLive } from '../support/live.ts';
import { pictures } from '../support/pictures.ts';
import { createStaffUrls } from '../support/uploads.ts';

const RECOVERY_ms = 60_000;
/** Without Redis, no upload is checked, and the response to an upload waits for this time. */
const UPLOAD_WAIT_ms = 15_000;
const RESTARTED_SERVICES = ['command-api', 'query-api', 'projectors', 'workers'];

describe('during an outage of a backing service', () => {
  let cluster: TestCluster;
  let api: ApiClient;
  let provider: Person;
  let photo: string;
  beforeAll(async () => {
    cluster = await startTestCluster({ each: 1, env: { UPLOAD_WAIT_MS: String(UPLOAD_WAIT_ms) } });
    await cluster.ready();
    api = apiClient(cluster.url);
    provider = await api.signUp('provider');
    photo = ((await upload(provider.token)).body as { media: { id: string }[] }).media[0]?.id ?? '';
    // A process accepts live clients only after its first contact with Kafka, so the tests wait until a live client
    // connects.
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
    const response = await fetch(`${cluster.url}/api/uploads/photos`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }
  const variantStatus = async (mediaId: string) => {
    const staffUrl = await createStaffUrls(cluster.dataDir);
    return (await fetch(staffUrl(mediaId, `${cluster.url}/uploads/photos/${mediaId}/${PHOTO_VARIANT_NAMES[0] ?? ''}`)))
      .status;
  };
  const pageStatus = async () => (await fetch(`${cluster.url}/`, { headers: { accept: 'text/html' } })).status;

  /**
   * Restarts every process that uses the backing services, as an update does. Resolves when all restarted processes
   * respond through the gateway.
   */
  async function restartServices(): Promise<void> {
    await Promise.all(
      cluster.members.filter(({ service }) => RESTARTED_SERVICES.includes(service)).map((member) => member.restart()),
    );
    const statuses = async () =>
      Promise.all(
        [
          api.call('GET', '/api/ads?limit=1'),
          api.call('POST', '/api/auth/login', { body: { email: provider.email, password: 'wrong' } }),
        ].map(async (response) => (await response).status),
      );
    await expect.poll(statuses, { interval: 200 }).toEqual([200, 401]);
  }
  /**
   * Signs up a provider, posts an ad and expects the ad in the list. If `isLive` is true, also expects a live message.
   */
  async function expectAdPosted({ isLive }: { isLive: boolean }): Promise<{ token: string; adId: string }> {
    const listener = isLive ? await connectLive(cluster.url) : null;
    const poster = await api.signUp('provider');
    const { id, position } = await api.postAd(poster.token);
    expect((await listAds(api, after(position))).has(id)).toBe(true);
    await listener?.next((message) => adIdOf(message) === id, RECOVERY_ms);
    listener?.close();
    expect(await pageStatus()).toBe(200);
    return { token: poster.token, adId: id };
  }

  /**
   * Tests the cluster without one backing service. `work` runs during the outage, and `afterwards` runs after it. The
   * test is skipped if this machine does not have the backing service.
   */
  function testOutage(
    name: 'kafka' | 'postgres' | 'redis' | 's3' | 'eventstoredb',
    title: string,
    work: () => Promise<void>,
    afterwards: () => Promise<void>,
  ): void {
    test(`without ${name}: ${title}`, async (context) => {
      const { running, eventStoreDb } = cluster.backingServices;
      const backingService = name === 'eventstoredb' ? eventStoreDb : running.get(name);
      if (!backingService) return context.skip();
      await backingService.stop('SIGKILL');
      try {
        await work();
      } finally {
        await backingService.start();
      }
      await afterwards();
    });
  }
  async function expectUnavailable(
    request: () => Promise<{ status: number; headers: Headers; body: Readonly<Record<string, unknown>> }>,
  ): Promise<void> {
    const { status, headers, body } = await request();
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { success: false, code: 'UNAVAILABLE', error: expect.stringMatching(/\w/u) as string },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }

  let announcedId: string;
  let live: Awaited<ReturnType<typeof connectLive>>;
  testOutage(
    'kafka',
    'everything works except the live channel, which delivers all messages later',
    async () => {
      live = await connectLive(cluster.url);
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      announcedId = id;
      expect((await listAds(api, after(position))).has(id)).toBe(true);
      expect((await upload(poster.token)).status).toBe(201);
      expect(await pageStatus()).toBe(200);
    },
    async () => {
      await live.next((message) => adIdOf(message) === announcedId, RECOVERY_ms);
      expect(live.messages.filter((message) => adIdOf(message) === announcedId)).toHaveLength(1);
      live.close();
    },
  );

  testOutage(
    'kafka',
    'services restart, and everything works except the live channel',
    async () => {
      await restartServices();
      const { token } = await expectAdPosted({ isLive: false });
      expect((await upload(token)).status).toBe(201);
    },
    async () => {
      await expectAdPosted({ isLive: true });
    },
  );

  let waitingMediaId: string;
  testOutage(
    'redis',
    'photos are accepted and wait for their job, everything else works',
    async () => {
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      expect((await listAds(api, after(position))).has(id)).toBe(true);
      const { status, body } = await upload(poster.token);
      expect(status).toBe(202);
      waitingMediaId = (body as { media: { id: string }[] }).media[0]?.id ?? '';
      expect(await variantStatus(photo)).toBe(200);
    },
    async () => {
      await expect.poll(() => variantStatus(waitingMediaId), { interval: 500 }).toBe(200);
    },
  );

  testOutage(
    'redis',
    'services restart, and photos wait for their job',
    async () => {
      await restartServices();
      const { token } = await expectAdPosted({ isLive: true });
      const { status, body } = await upload(token);
      expect(status).toBe(202);
      waitingMediaId = (body as { media: { id: string }[] }).media[0]?.id ?? '';
      expect(await variantStatus(photo)).toBe(200);
    },
    async () => {
      await expect.poll(() => variantStatus(waitingMediaId), { interval: 500 }).toBe(200);
    },
  );

  testOutage(
    's3',
    'pictures and uploads respond with 503, everything else works',
    async () => {
      await expectUnavailable(() => upload(provider.token));
      expect(await variantStatus(photo)).toBe(503);
      const poster = await api.signUp('provider');
      const { id, position } = await api.postAd(poster.token);
      expect((await listAds(api, after(position))).has(id)).toBe(true);
    },
    async () => {
      await expect.poll(() => variantStatus(photo), { interval: 500 }).toBe(200);
      expect((await upload(provider.token)).status).toBe(201);
    },
  );

  testOutage(
    's3',
    'services restart, and everything works except pictures',
    async () => {
      await restartServices();
      await expectAdPosted({ isLive: true });
      await expectUnavailable(() => upload(provider.token));
      expect(await variantStatus(photo)).toBe(503);
    },
    async () => {
      await expect.poll(() => variantStatus(photo), { interval: 500 }).toBe(200);
      expect((await upload(provider.token)).status).toBe(201);
    },
  );

  testOutage(
    'postgres',
    'requests respond with a 503 problem, pages are served, live clients stay connected',
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
      await live.next((message) => adIdOf(message) === id, RECOVERY_ms);
      expect((await listAds(api, after(position))).has(id)).toBe(true);
      live.close();
    },
  );

  testOutage(
    'eventstoredb',
    'writes respond with a 503 problem, lists, pictures and pages are served',
    async () => {
      expect((await api.call('GET', '/api/ads?limit=7')).status).toBe(200);
      expect(await variantStatus(photo)).toBe(200);
      expect(await pageStatus()).toBe(200);
      await expectUnavailable(() => api.call('POST', '/api/ads', { token: provider.token, body: validAd }));
    },
    async () => {
      await eventually(() => api.signUp('provider'), { interval_ms: 500 });
      await expectAdPosted({ isLive: true });
    },
  );

  test('no process ended during these outages', () => {
    expect(cluster.supervisorMessages).toEqual([]);
  });
});
