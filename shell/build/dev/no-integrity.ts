import type { ModuleFederationRuntimePlugin } from '@module-federation/runtime';

/**
 * Replaces the plugin of `src/remotes/plugins/integrity.ts` in the shell in which a remote is developed. The files of
 * that remote change with each edit, so they have no integrity values.
 */
export const integrityPlugin: ModuleFederationRuntimePlugin = { name: 'no-integrity' };
