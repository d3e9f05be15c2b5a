// @ts-check
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { defineRemote } from '../shell/build/preset.mjs';

/** The remote `mf-post-ad`. The preset contains the shared modules, loaders, names of files and supported browsers. */
export default defineRemote({
  dir: import.meta.dirname,
  port: 8091,
  federation: (options) =>
    new ModuleFederationPlugin({
      ...options,
      name: 'mf_post_ad',
      exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
    }),
});
