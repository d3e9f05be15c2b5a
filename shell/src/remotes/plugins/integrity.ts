import { CHUNK_LOAD_TIMEOUT_ms } from '@alpenglow/domain/contracts';
import { createTrustedText } from '@alpenglow/ui';
import type { ModuleFederationRuntimePlugin } from '@module-federation/runtime';
import { findRemoteFileIntegrity } from '../integrity.ts';

/** The content security policy forbids other scripts of remotes. */
const toRemoteUrl = createTrustedText('alpenglow-remotes', 'createScriptURL', (url) => {
  if (!url.startsWith(`${location.origin}/mf/`)) throw new Error('A remote is loaded only from this site');
  return url;
});

/**
 * Loads the entry of a remote with its integrity value of the registry and a time limit. The entry contains the
 * integrity values of the other scripts and style sheets of the remote (shell/build/preset.mjs).
 */
export const integrityPlugin: ModuleFederationRuntimePlugin = {
  name: 'integrity',
  createScript({ url }) {
    const script = document.createElement('script');
    script.src = toRemoteUrl(url);
    script.async = true;
    script.crossOrigin = 'anonymous';
    script.integrity = findRemoteFileIntegrity(url);
    return { script, timeout: CHUNK_LOAD_TIMEOUT_ms };
  },
};
