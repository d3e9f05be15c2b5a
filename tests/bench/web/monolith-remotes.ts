/**
 * Replaces `federation.ts` and `registry.ts` of the shell in the monolith, which is one application with the same
 * screens. It imports the App of each remote as a normal module. The App of the landing pages is part of the first
 * bundle. The other Apps are separate chunks.
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

/** Name that other modules import for the files of remotes. The monolith has no such files, so the name is unused. */
export const REMOTE_ENTRY = 'remote-entry.js';
