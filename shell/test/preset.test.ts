import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { afterEach, expect, it, vi } from 'vitest';
import { defineRemote, developmentPage } from '../build/preset.mjs';
import { findArea, registerRoutes, ROUTES_META, type RegisteredRoute } from '../src/routes/owners.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  registerRoutes([]);
});

it('the page for the development of a new remote contains its routes', () => {
  const page = developmentPage('mf-events', [{ path: '/events/*', access: 'everyone' }]);
  const content = new RegExp(`<meta name="${ROUTES_META}" content='(.*)'>`, 'u').exec(page)?.[1];
  registerRoutes(JSON.parse(content ?? '[]') as readonly RegisteredRoute[]);
  expect(findArea('/events/today').owner).toBe('mf-events');
});

it.each([
  [undefined, 8090],
  ['9000', 9000],
])('with PORT %s, the preview of a remote has port %i', (port, expected) => {
  vi.stubEnv('PORT', port);
  const configure = defineRemote({
    dir: path.resolve(import.meta.dirname, '../../mf-listings'),
    port: 8090,
    federation: (options) => new ModuleFederationPlugin({ ...options, name: 'mf_listings' }),
  });
  expect([configure({})].flat()).toMatchObject([{ devServer: { port: expected } }]);
});
