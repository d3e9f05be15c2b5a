// @ts-check
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { defineRemote } from '../shell/build/preset.mjs';

/** The remote `mf-community`. The preset has the shared modules, loaders, names of files and supported browsers. */
export default defineRemote({
  dir: import.meta.dirname,
  isServerRendered: true,
  port: 8092,
  federation: (options) =>
    new ModuleFederationPlugin({
      ...options,
      name: 'mf_community',
      exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
    }),
});
