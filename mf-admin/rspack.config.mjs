// @ts-check
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { defineRemote } from '../shell/build/preset.mjs';

/** The remote `mf-admin`. The preset contains the shared modules, loaders, names of files and supported browsers. */
export default defineRemote({
  dir: import.meta.dirname,
  port: 8093,
  federation: (options) =>
    new ModuleFederationPlugin({
      ...options,
      name: 'mf_admin',
      exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
    }),
});
