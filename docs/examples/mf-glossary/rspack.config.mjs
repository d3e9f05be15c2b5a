// @ts-check
import {
  BROWSERS,
  DescribeRemotePlugin,
  container,
  layerLoader,
  output,
  sharedRuntime,
} from '@alpenglow/remote/rspack';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import { rspack } from '@rspack/core';

const dir = import.meta.dirname;

/** The configuration of Rspack, as for any other program. Only the imported values come from the shell. */
export default {
  ...sharedRuntime(dir),
  mode: 'production',
  context: dir,
  target: ['web', `browserslist:${BROWSERS.join(', ')}`],
  entry: {},
  devtool: 'source-map',
  output: output(dir, 'mf_glossary'),
  resolve: { extensions: ['.ts', '.tsx', '.mjs', '.js'] },
  module: {
    parser: { 'css/auto': { namedExports: false } },
    generator: { 'css/auto': { localIdentName: 'glossary-[local]-[hash:4]', exportsConvention: 'as-is' } },
    rules: [
      {
        test: /\.tsx?$/u,
        loader: 'builtin:swc-loader',
        options: {
          env: { targets: BROWSERS },
          jsc: {
            parser: { syntax: 'typescript', tsx: true },
            transform: { react: { runtime: 'automatic' } },
          },
        },
      },
      {
        test: /\.module\.css$/u,
        type: 'css/auto',
        use: [
          { loader: layerLoader, options: { layer: 'remotes.mf-glossary' } },
          { loader: 'builtin:lightningcss-loader', options: { targets: BROWSERS } },
        ],
      },
    ],
  },
  plugins: [
    new ModuleFederationPlugin({
      ...container,
      name: 'mf_glossary',
      exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
    }),
    new rspack.SubresourceIntegrityPlugin({ hashFuncNames: ['sha256'], enabled: true }),
    new DescribeRemotePlugin(),
  ],
};
