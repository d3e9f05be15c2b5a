import type { FrontEndError } from '@alpenglow/domain/contracts';
import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseRegistry } from '../src/remotes/registry.ts';
import {
  BACKGROUND_RETRIES_MAX,
  backgroundRetryDelay_ms,
  RemoteLoader,
  type RemoteState,
} from '../src/remotes/remote-loader.ts';

const SHA = `sha384-${'b'.repeat(64)}`;
const entry = (changes: Partial<RegistryEntry> = {}): RegistryEntry => ({
  name: 'mf-listings',
  hash: '0123456789abcdef',
  contractVersion: CONTRACT_VERSION,
  preload: [],
  integrity: { 'remote-entry.js': SHA },
  sizeBytes: 1,
  deployedAt: '2026-11-21T12:00:00.000Z',
  ...changes,
});
const App = () => null;
const reported: FrontEndError[] = [];
const report = (error: FrontEndError) => void reported.push(error);
beforeEach(() => void reported.splice(0));

describe('the registry', () => {
  it('is parsed without loss', () => {
    const registry: Registry = { remotes: { 'mf-listings': entry(), 'mf-admin': entry({ name: 'mf-admin' }) } };
    expect(parseRegistry(JSON.parse(JSON.stringify(registry)))).toEqual(registry);
  });

  it.each([
    ['another name', { name: 'mf-admin' }],
    ['a hash that leads out of its folder', { hash: '../../../secrets' }],
    ['no integrity', { integrity: undefined }],
    ['a weaker integrity', { integrity: { 'remote-entry.js': 'sha256-abc' } }],
    ['no entry file', { integrity: { 'app.js': SHA } }],
    ['no contract version', { contractVersion: '1' }],
  ])('omits a remote with %s, and no other', (_, wrong) => {
    const { remotes } = parseRegistry({
      remotes: {
        'mf-listings': { ...entry(), ...wrong },
        'mf-admin': entry({ name: 'mf-admin' }),
        'mf-unknown': entry(),
      },
    });
    expect(Object.keys(remotes)).toEqual(['mf-admin']);
  });

  it.each([null, [], 'x', {}, { remotes: [] }])('rejects %j', (value) => {
    expect(() => parseRegistry(value)).toThrow('is invalid');
  });
});

/** Resolves with the state of a remote as soon as the remote is no longer loading. */
function settled(loader: RemoteLoader, name: RemoteName): Promise<RemoteState> {
  return new Promise((resolve) => {
    const check = () => {
      const state = loader.state(name);
      if (state.state !== 'loading') resolve(state);
    };
    loader.subscribe(check);
    check();
  });
}

describe('loading', () => {
  it('happens once, however often a remote is requested', async () => {
    let loads = 0;
    const loader = new RemoteLoader({
      report,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry() } }),
      loadApp: () => Promise.resolve((loads++, App)),
    });
    loader.load('mf-listings');
    loader.load('mf-listings');
    loader.retry('mf-listings');
    expect(await settled(loader, 'mf-listings')).toEqual({ state: 'ready', App, hash: entry().hash });
    loader.load('mf-listings');
    expect(loads).toBe(1);
  });

  it('fails for one remote only; a retry reads the registry again', async () => {
    const deployed = { hash: 'aaaaaaaaaaaaaaaa' };
    const loader = new RemoteLoader({
      report,
      fetchRegistry: () =>
        Promise.resolve({ remotes: { 'mf-listings': entry(deployed), 'mf-admin': entry({ name: 'mf-admin' }) } }),
      loadApp: ({ hash }) => (hash === 'aaaaaaaaaaaaaaaa' ? Promise.reject(new Error('gone')) : Promise.resolve(App)),
    });
    loader.load('mf-listings');
    loader.load('mf-admin');
    expect(await settled(loader, 'mf-listings')).toMatchObject({ state: 'failed', error: { message: 'gone' } });
    expect(await settled(loader, 'mf-admin')).toMatchObject({ state: 'ready' });
    deployed.hash = 'bbbbbbbbbbbbbbbb';
    loader.retry('mf-listings');
    expect(loader.state('mf-listings')).toEqual({ state: 'loading' });
    expect(await settled(loader, 'mf-listings')).toMatchObject({ state: 'ready' });
  });

  it('is retried immediately after a fast failure, with at most three attempts', async () => {
    let attempts = 0;
    const loader = new RemoteLoader({
      report,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry() } }),
      loadApp: () => Promise.reject(new Error(`attempt ${++attempts}`)),
    });
    loader.load('mf-listings');
    expect(await settled(loader, 'mf-listings')).toMatchObject({ error: { message: 'attempt 3' } });
  });

  it('does not start for a remote with another contract version or without a deployment', async () => {
    const loader = new RemoteLoader({
      report,
      fetchRegistry: () =>
        Promise.resolve({ remotes: { 'mf-listings': entry({ contractVersion: CONTRACT_VERSION + 1 }) } }),
      loadApp: () => Promise.reject(new Error('must not be loaded')),
    });
    loader.load('mf-listings');
    loader.load('mf-admin');
    expect(await settled(loader, 'mf-listings')).toEqual({ state: 'unfit' });
    expect(await settled(loader, 'mf-admin')).toMatchObject({
      state: 'failed',
      error: { message: 'mf-admin is not deployed' },
    });
    expect(reported).toContainEqual({ frontEnd: 'mf-listings', hash: entry().hash, kind: 'contract' });
    expect(reported).toContainEqual({ frontEnd: 'mf-admin', hash: '', kind: 'registry' });
  });
});

describe('a failed remote', () => {
  afterEach(() => void vi.useRealTimers());

  /** A loader of a remote that fails until `isBroken` is false. `states` are all states after its changes. */
  async function failing() {
    const control = { isBroken: true, registryReads: 0 };
    const loader = new RemoteLoader({
      report,
      fetchRegistry: () => {
        control.registryReads++;
        return Promise.resolve({ remotes: { 'mf-listings': entry() } });
      },
      loadApp: () => (control.isBroken ? Promise.reject(new Error('gone')) : Promise.resolve(App)),
    });
    loader.load('mf-listings');
    await settled(loader, 'mf-listings');
    const states: string[] = [];
    loader.subscribe(() => states.push(loader.state('mf-listings').state));
    return { control, loader, states };
  }

  it('is loaded again after 5, 10, 20 and 40 s, then every minute, without a change on the screen', async () => {
    expect([0, 1, 2, 3, 4, 100].map(backgroundRetryDelay_ms)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    const { control, loader, states } = await failing();
    vi.useFakeTimers();
    loader.keepRetrying('mf-listings');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(states).toEqual([]);
    control.isBroken = false;
    await vi.advanceTimersByTimeAsync(19_999);
    expect(states).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(states).toEqual(['ready']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not loaded without end, nor after its area has gone', async () => {
    const { control, loader } = await failing();
    vi.useFakeTimers();
    const stop = loader.keepRetrying('mf-listings');
    await vi.advanceTimersByTimeAsync(5_000);
    const reads = control.registryReads;
    stop();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(control.registryReads).toBe(reads);
    loader.keepRetrying('mf-listings');
    await vi.advanceTimersByTimeAsync(3_600_000);
    // Each retry makes three fast attempts.
    expect(control.registryReads).toBe(reads + 3 * BACKGROUND_RETRIES_MAX);
  });

  it('is loaded once at a time, also if the visitor presses Retry during an automatic retry', async () => {
    const { control, loader, states } = await failing();
    control.isBroken = false;
    const reads = control.registryReads;
    const retrying = loader.retryInBackground('mf-listings');
    loader.retry('mf-listings');
    await retrying;
    expect(await settled(loader, 'mf-listings')).toMatchObject({ state: 'ready' });
    expect(states).toEqual(['loading', 'ready']);
    expect(control.registryReads).toBe(reads + 1);
  });
});
