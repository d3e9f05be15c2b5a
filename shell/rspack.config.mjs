// @ts-check
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { defineShell } from './build/preset.mjs';

/**
 * The shell, which is the host. It names no remotes here, because the registry names them at run time. The plugins of
 * the runtime are registered in `src/remotes/runtime.ts`. The preset contains the shared modules, loaders, names of
 * files and supported browsers.
 */
export default defineShell({
  federation: (options) => new ModuleFederationPlugin({ ...options, name: 'shell' }),
});
