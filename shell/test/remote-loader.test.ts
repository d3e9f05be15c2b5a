import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LoadError } from '../src/remotes/load-errors.ts';
import { parseRegistry } from '../src/remotes/registry.ts';
import { RemoteLoader, type RemoteState } from '../src/remotes/remote-loader.ts';

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
const reported: LoadError[] = [];
const report = (error: LoadError) => void reported.push(error);
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
    expect(reported).toContainEqual({ remote: 'mf-listings', hash: entry().hash, kind: 'contract' });
    expect(reported).toContainEqual({ remote: 'mf-admin', hash: '', kind: 'registry' });
  });
});
