import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { HASH, startTestShell, type TestShell } from './test-shell.ts';

let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(null);
});
afterAll(() => shell.stop());

interface Status {
  readonly shell: unknown;
  readonly since: string;
  readonly remotes: readonly {
    readonly name: string;
    readonly hash: string | null;
    readonly errors: Readonly<Record<string, number>>;
    readonly lastErrorAt: string | null;
  }[];
}
const statusNow = async () =>
  (JSON.parse((await shell.get('/status/front-ends.json', { accept: '*/*' })).text) as { data: Status }).data;
const report = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${shell.url}/status/front-ends/errors`, { method: 'POST', body, headers });
const reportBody = (changes: object = {}) =>
  JSON.stringify({ remote: 'mf-listings', hash: HASH, kind: 'chunk', ...changes });

describe('the status of the front ends', () => {
  it('contains live and earlier deployments, and their compatibility', async () => {
    const { shell: shellStatus, since, remotes } = await statusNow();
    expect(shellStatus).toEqual({ hash: 'f'.repeat(16), sizeBytes: 3, contractVersion: 3 });
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    expect(remotes.map(({ name }) => name)).toEqual(['mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin']);
    expect(remotes[0]).toMatchObject({
      hash: HASH,
      contractVersion: 3,
      fits: true,
      sizeBytes: 7,
      deployedAt: '2026-11-02T00:00:00.000Z',
      deployments: [
        { hash: HASH, deployedAt: '2026-11-02T00:00:00.000Z' },
        { hash: 'a'.repeat(16), deployedAt: '2026-11-01T00:00:00.000Z' },
      ],
      errors: { registry: 0, entry: 0, chunk: 0, integrity: 0, contract: 0, render: 0 },
      lastErrorAt: null,
    });
    expect(remotes[1]).toMatchObject({ hash: null, fits: false, deployments: [] });
    expect((await shell.get('/status/front-ends.json', {}, 'HEAD')).status).toBe(200);
  });

  it('counts reports of browsers, without personal data', async () => {
    // The reports have the headers that `sendBeacon` and `fetch` send by default.
    expect(
      (await report(reportBody(), { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }))
        .status,
    ).toBe(204);
    expect((await report(reportBody({ hash: '' }), { 'content-type': 'application/json' })).status).toBe(204);
    const [listings] = (await statusNow()).remotes;
    expect(listings).toMatchObject({
      errors: { chunk: 2, entry: 0 },
      lastErrorHash: null,
      lastErrorAt: expect.stringMatching(/Z$/u),
    });
    expect(await shell.metrics.metrics()).toContain('front_end_load_errors_total{remote="mf-listings",kind="chunk"} 2');
  });

  test.each([
    ['no JSON', 'x', 400],
    ['nothing', '', 400],
    ['another remote', reportBody({ remote: '__proto__' }), 400],
    ['another kind', reportBody({ kind: 'constructor' }), 400],
    ['no hash', reportBody({ hash: '<script>' }), 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['too much', reportBody({ more: 'x'.repeat(2_000) }), 413],
  ])('rejects %s', async (_, body, status) => {
    const before = await shell.metrics.getSingleMetricAsString('front_end_load_errors_total');
    expect((await report(body)).status).toBe(status);
    expect(await shell.metrics.getSingleMetricAsString('front_end_load_errors_total')).toBe(before);
  });

  it('rejects reports from other sites', async () => {
    expect((await report(reportBody(), { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
  });

  it('limits the reports of one network', async () => {
    const responses = await Promise.all(Array.from({ length: 130 }, () => report(reportBody({ kind: 'entry' }))));
    const rejected = responses.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThan(0);
    expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await statusNow()).remotes[0]?.errors['entry']).toBeLessThanOrEqual(120);
  });
});
