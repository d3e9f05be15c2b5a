// @ts-check
/**
 * Serves one remote (micro-frontend) without the shell, and reloads it after each change: `node shell/build/dev.mjs
 * <name>`. API_URL is the address of a running product and defaults to http://127.0.0.1:8080. PORT defaults to 8090.
 */
import { rspack } from '@rspack/core';
import { RspackDevServer } from '@rspack/dev-server';
import { browserConfig } from './config.mjs';
import { REMOTE_NAMES, isRemoteName } from './packages.mjs';

const [name] = process.argv.slice(2);
if (!isRemoteName(name)) {
  console.error(`Name a remote: ${REMOTE_NAMES.join(', ')}`);
  process.exit(2);
}
const port = Number(process.env.PORT ?? 8090);
const apiUrl = process.env.API_URL ?? 'http://127.0.0.1:8080';

const config = browserConfig({ name, role: 'standalone', mode: 'development' });
const compiler = rspack({
  ...config,
  plugins: [
    ...(config.plugins ?? []),
    new rspack.HtmlRspackPlugin({
      title: name,
      templateContent: '<!doctype html><html lang="en"><head></head><body><div id="root"></div></body></html>',
    }),
  ],
});
const server = new RspackDevServer(
  {
    host: 'localhost',
    port,
    hot: false,
    liveReload: true,
    historyApiFallback: true,
    proxy: [{ context: ['/api', '/uploads'], target: apiUrl, changeOrigin: true, ws: true }],
  },
  compiler,
);
await server.start();
console.log(`${name} alone at http://localhost:${port}, its API at ${apiUrl}`);
