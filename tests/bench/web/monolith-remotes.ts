/**
 * Stands in for the shell's `federation.ts` and `registry.ts` in the monolith: the same Apps, imported like any other module. What
 * visitors land on is part of the first bundle; the rest are chunks, as in any single application made with care.
 */
import {
  CONTRACT_VERSION,
  REMOTE_NAMES,
  type Registry,
  type RegistryEntry,
  type RemoteName,
  type RemoteProps,
} from '@alpenglow/ui';
import type { ComponentType } from 'react';
import Listings from '@alpenglow/mf-listings/App';

const APPS: Readonly<Record<RemoteName, () => Promise<{ readonly default: ComponentType<RemoteProps> }>>> = {
  'mf-listings': () => Promise.resolve({ default: Listings }),
  'mf-post-ad': () => import('@alpenglow/mf-post-ad/App'),
  'mf-community': () => import('@alpenglow/mf-community/App'),
  'mf-admin': () => import('@alpenglow/mf-admin/App'),
};

export async function loadApp({ name }: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  return (await APPS[name]()).default;
}

const entryOf = (name: RemoteName): RegistryEntry => ({
  name,
  hash: '0'.repeat(16),
  contractVersion: CONTRACT_VERSION,
  preload: [],
  integrity: {},
  sizeBytes: 0,
  deployedAt: '',
});

export function fetchRegistry(): Promise<Registry> {
  return Promise.resolve({ remotes: Object.fromEntries(REMOTE_NAMES.map((name) => [name, entryOf(name)])) });
}

/** Asked for by modules that speak of files of remotes; there are none. */
export const REMOTE_ENTRY = 'remote-entry.js';
