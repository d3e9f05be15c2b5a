import type { AddressInfo } from 'node:net';
import { rspack } from '@rspack/core';
import { RspackDevServer } from '@rspack/dev-server';
import type { defineRemote } from '../../shell/build/preset.mjs';

/** The configuration of a remote, as `rspack.config.mjs` exports it. */
type RemoteConfig = ReturnType<typeof defineRemote>;

/**
 * Starts the development server of a remote on a free port, like `rspack dev`.
 * @param env the options of `--env`
 */
export async function startDevServer(
  define: RemoteConfig,
  env: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const config = await define({ RSPACK_SERVE: true, ...env });
  if (Array.isArray(config)) throw new Error('A remote under development has one configuration');
  const server = new RspackDevServer({ ...config.devServer, port: 0 }, rspack(config));
  await server.start();
  return {
    url: `http://localhost:${(server.server?.address() as AddressInfo).port}`,
    stop: () => server.stop(),
  };
}
