/**
 * Replaces `runtime.ts` and `registry.ts` of the shell in the monolith. The monolith is one application with the
 * same screens as the federated site. This module imports the `App` of each remote as a normal module. The `App` of the
 * landing pages is part of the first bundle, and the other Apps are separate chunks.
 */
import type { Registry, RegistryEntry, RemoteName, RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import Listings from '@alpenglow/mf-listings/App';

const APPS: Readonly<Record<RemoteName, () => Promise<{ readonly default: ComponentType<RemoteProps> }>>> = {
  'mf-listings': () => Promise.resolve({ default: Listings }),
  'mf-post-ad': () => import('@alpenglow/mf-post-ad/App'),
  'mf-community': () => import('@alpenglow/mf-community/App'),
  'mf-admin': () => import('@alpenglow/mf-admin/App'),
};

export async function loadApp({ name }: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  const load = APPS[name];
  if (!load) throw new Error(`The monolith has no ${name}`);
  return (await load()).default;
}

const entryOf = (name: RemoteName): RegistryEntry => ({
  name,
  hash: '0'.repeat(16),
  contract: '*',
  fits: true,
  container: name,
  entry: '',
  preload: [],
  integrity: {},
  sizeBytes: 0,
  deployedAt: '',
});

export function fetchRegistry(): Promise<Registry> {
  return Promise.resolve({ remotes: Object.fromEntries(Object.keys(APPS).map((name) => [name, entryOf(name)])) });
}
