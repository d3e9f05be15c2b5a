import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HASH, startTestShell, type TestShell } from './test-shell.ts';

let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(null);
});
afterAll(() => shell.stop());

interface Status {
  readonly shell: unknown;
  readonly remotes: readonly { readonly name: string; readonly hash: string | null }[];
}
const statusNow = async () =>
  (JSON.parse((await shell.get('/status/front-ends.json', { accept: '*/*' })).text) as { data: Status }).data;

describe('the status of the front ends', () => {
  it('contains live and earlier deployments, and their compatibility', async () => {
    const { shell: shellStatus, remotes } = await statusNow();
    expect(shellStatus).toEqual({ hash: 'f'.repeat(16), sizeBytes: 3, contractVersion: CONTRACT_VERSION });
    expect(remotes.map(({ name }) => name)).toEqual(['mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin']);
    expect(remotes[0]).toMatchObject({
      hash: HASH,
      contract: CONTRACT_VERSION,
      fits: true,
      sizeBytes: 7,
      deployedAt: '2026-11-02T00:00:00.000Z',
      deployments: [
        { hash: HASH, deployedAt: '2026-11-02T00:00:00.000Z' },
        { hash: 'a'.repeat(16), deployedAt: '2026-11-01T00:00:00.000Z' },
      ],
    });
    expect(remotes[1]).toMatchObject({ hash: null, fits: false, deployments: [] });
    expect((await shell.get('/status/front-ends.json', {}, 'HEAD')).status).toBe(200);
  });
});
