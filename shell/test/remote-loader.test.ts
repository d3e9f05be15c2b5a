import type { FrontEndError } from '@alpenglow/domain/contracts';
import type { Registry, RegistryEntry, RemoteName } from '@alpenglow/ui';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { inc } from 'semver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findLateFile, hasThrown, isWithoutResponse } from '../src/remotes/load-failures.ts';
import { fetchRegistry, parseRegistry, recordServerTime } from '../src/remotes/registry.ts';
import {
  BACKGROUND_RETRIES_MAX,
  backgroundRetryDelay_ms,
  RemoteLoader,
  type RemoteState,
} from '../src/remotes/remote-loader.ts';

const SHA = `sha256-${'b'.repeat(43)}=`;
const entry = (changes: Partial<RegistryEntry> = {}): RegistryEntry => ({
  name: 'mf-listings',
  hash: '0123456789abcdef',
  contract: '^6.0.0',
  fits: true,
  container: 'mf_listings',
  entry: 'remote-entry.js',
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
const failures = {
  hasThrown: () => false,
  ...{ findLateFile, isWithoutResponse, report },
  reportView: () => undefined,
};

it('a registry that cannot be read once is read again at once', async () => {
  const fetchOnce = vi
    .fn<() => Promise<Registry>>()
    .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    .mockResolvedValue({ remotes: { 'mf-listings': entry() } });
  const loader = new RemoteLoader({
    ...failures,
    hasThrown,
    fetchRegistry: fetchOnce,
    loadApp: () => Promise.resolve(App),
  });
  loader.load('mf-listings');
  await vi.waitFor(() => expect(loader.state('mf-listings').state).toBe('ready'));
  expect(fetchOnce).toHaveBeenCalledTimes(2);
});

describe('the registry', () => {
  it('is parsed without loss', () => {
    const registry: Registry = { remotes: { 'mf-listings': entry(), 'mf-admin': entry({ name: 'mf-admin' }) } };
    expect(parseRegistry({ ...JSON.parse(JSON.stringify(registry)), contract: CONTRACT_VERSION })).toEqual(registry);
  });

  it.each([
    ['another name', { name: 'mf-admin' }],
    ['a hash that leads out of its folder', { hash: '../../../secrets' }],
    ['no integrity', { integrity: undefined }],
    ['a weaker integrity', { integrity: { 'remote-entry.js': 'sha256-abc' } }],
    ['no container', { container: undefined }],
    ['no entry file', { integrity: { 'app.js': SHA } }],
    ['no range of contract versions', { contract: 6 }],
  ])('omits a remote with %s, and no other', (_, wrong) => {
    const { remotes } = parseRegistry({
      contract: CONTRACT_VERSION,
      remotes: {
        'mf-listings': { ...entry(), ...wrong },
        'mf-admin': entry({ name: 'mf-admin' }),
        'mf-unknown': entry(),
      },
    });
    expect(Object.keys(remotes)).toEqual(['mf-admin']);
  });

  it('contains remotes that do not work with this shell, whose values may have another format', () => {
    const old = { name: 'mf-listings', hash: entry().hash, contract: '^4.0.0', integrity: { 'app.js': 'sha384-abc' } };
    expect(parseRegistry({ contract: CONTRACT_VERSION, remotes: { 'mf-listings': old } }).remotes).toMatchObject({
      'mf-listings': { contract: '^4.0.0', fits: false },
    });
  });

  it.each([
    [CONTRACT_VERSION, true],
    [inc(CONTRACT_VERSION, 'minor'), true],
    [inc(CONTRACT_VERSION, 'major'), false],
    [`${CONTRACT_VERSION[0] ?? ''}0.0.0`, false],
    [undefined, false],
  ])('of a shell with contract %s: a fitting remote fits this shell: %s', (contract, fits) => {
    const { remotes } = parseRegistry({ contract, remotes: { 'mf-listings': entry() } });
    expect(remotes['mf-listings']).toMatchObject({ hash: entry().hash, fits });
  });

  it.each([null, [], 'x', {}, { remotes: [] }])('rejects %j', (value) => {
    expect(() => parseRegistry(value)).toThrow('is invalid');
  });
});

describe('a tab whose shell differs from that of the server', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('requests the values for its own version, and does not load a remote that needs a later one', async () => {
    const later = inc(CONTRACT_VERSION, 'minor');
    const requested: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      requested.push(url);
      const isOwn = url.endsWith(`?contract=${CONTRACT_VERSION}`);
      const needsLater = entry({ contract: `^${later}`, fits: !isOwn });
      return Promise.resolve(
        Response.json({ contract: isOwn ? CONTRACT_VERSION : later, remotes: { 'mf-listings': needsLater } }),
      );
    });
    expect((await fetchRegistry()).remotes['mf-listings']?.fits).toBe(false);
    expect(requested).toEqual(['/mf/registry.json', `/mf/registry.json?contract=${CONTRACT_VERSION}`]);
  });

  it('sends one request if the shells are the same', async () => {
    const fetched = vi.fn(() => Promise.resolve(Response.json({ contract: CONTRACT_VERSION, remotes: {} })));
    vi.stubGlobal('fetch', fetched);
    await fetchRegistry();
    expect(fetched).toHaveBeenCalledOnce();
  });
});

describe('the clock of the server', () => {
  afterEach(() => {
    globalThis.alpenglowClockOffset_ms = undefined;
  });
  const HOUR_ms = 3_600_000;
  const inAnHour = () => new Date(Date.now() + HOUR_ms).toUTCString();

  it('is known after a fast response, also if the clocks agree again', () => {
    recordServerTime(inAnHour(), performance.now());
    expect(Math.round((globalThis.alpenglowClockOffset_ms ?? 0) / HOUR_ms)).toBe(1);
    recordServerTime(new Date().toUTCString(), performance.now());
    expect(globalThis.alpenglowClockOffset_ms).toBeUndefined();
  });

  it('is not measured with a response that took long', () => {
    recordServerTime(inAnHour(), performance.now() - 6_000);
    expect(globalThis.alpenglowClockOffset_ms).toBeUndefined();
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
      ...failures,
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
      ...failures,
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
      ...failures,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry() } }),
      loadApp: () => Promise.reject(new Error(`attempt ${++attempts}`)),
    });
    loader.load('mf-listings');
    expect(await settled(loader, 'mf-listings')).toMatchObject({ error: { message: 'attempt 3' } });
  });

  it.each<readonly [string, Error, FrontEndError['kind'][]]>([
    ['its entry never arrives', new Error('ScriptNetworkError: Script "x" timed out.'), ['entry']],
    ['a chunk never arrives', Object.assign(new Error('x'), { name: 'ChunkLoadError', type: 'timeout' }), ['chunk']],
    // The browser fires an event for such a file, so it is reported elsewhere.
    ['a chunk is missing', Object.assign(new Error('x'), { name: 'ChunkLoadError', type: 'error' }), []],
    ['its entry is missing', new Error('ScriptNetworkError: Failed to load script "x"'), []],
    ['its code throws', new Error('broken'), []],
  ])('reports a slow failure with its kind if %s', async (_, error, kinds) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const loader = new RemoteLoader({
      ...failures,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry() } }),
      loadApp: () => {
        now.mockReturnValue(6_000);
        return Promise.reject(error);
      },
    });
    loader.load('mf-listings');
    await settled(loader, 'mf-listings');
    expect(reported.map(({ kind }) => kind)).toEqual(kinds);
    now.mockRestore();
  });

  it.each<readonly [string, Error, FrontEndError['kind'][]]>([
    // The texts and types of Chromium, Firefox and WebKit.
    ['the visitor leaves the page', new TypeError('Failed to fetch'), []],
    ['the visitor leaves the page', new TypeError('NetworkError when attempting to fetch resource.'), []],
    ['the visitor leaves the page', new TypeError('Load failed'), []],
    ['the visitor leaves the page while it arrives', new DOMException('The operation was aborted.', 'AbortError'), []],
    ['it takes too long', new DOMException('signal timed out', 'TimeoutError'), ['registry']],
    ['the server rejects it', new Error('The registry of remotes responded with HTTP 503'), ['registry']],
    ['it is not JSON', new SyntaxError('Unexpected end of JSON input'), ['registry']],
  ])('reports a failure of the registry only if it is one of the server: %s', async (_, error, kinds) => {
    const loader = new RemoteLoader({
      ...failures,
      fetchRegistry: () => Promise.reject(error),
      loadApp: () => Promise.resolve(App),
    });
    loader.load('mf-listings');
    expect((await settled(loader, 'mf-listings')).state).toBe('failed');
    expect([...new Set(reported.map(({ kind }) => kind))]).toEqual(kinds);
  });

  it('is not retried immediately if the code has thrown', async () => {
    let attempts = 0;
    const loader = new RemoteLoader({
      ...failures,
      hasThrown,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry() } }),
      loadApp: () => Promise.reject(new Error(`attempt ${++attempts}`)),
    });
    loader.load('mf-listings');
    expect(await settled(loader, 'mf-listings')).toMatchObject({ error: { message: 'attempt 1' } });
  });

  it('does not start for a remote that does not work with this shell, or without a deployment', async () => {
    const loader = new RemoteLoader({
      ...failures,
      fetchRegistry: () => Promise.resolve({ remotes: { 'mf-listings': entry({ contract: '^7.0.0', fits: false }) } }),
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
      ...failures,
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
