// @ts-check
/**
 * Shows the remote of this checkout in a deployed site with `npm run dev:in -w <remote> -- https://…`, only in the
 * browser of the developer. Starts the development server and prints a link. The site needs `LOCAL_REMOTES=on`.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rspack } from '@rspack/core';
import { RspackDevServer } from '@rspack/dev-server';
import { LOCAL_REMOTE_h, createLocalRemoteToken } from './local-remote-token.mjs';
import { MF_DIR, ROOT, namesFrom } from './packages.mjs';
import { signingKey } from './signing.mjs';

/**
 * Returns the origin of a site.
 * @param {string} address
 * @throws {Error} if this is not the address of a site, or if the site does not accept local remotes
 */
export async function requireSite(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/u.test(url.protocol))
    throw new Error('Name the address of the site, e.g. https://staging.example.org');
  const response = await fetch(new URL('/local-remotes', url)).catch((/** @type {Error} */ cause) => {
    throw new Error(`${url.origin} does not respond`, { cause });
  });
  const { origin } = response.ok ? await response.json().catch(() => ({})) : {};
  if (origin === undefined)
    throw new Error(`${url.origin} does not accept local remotes. Its setting LOCAL_REMOTES is on in staging only`);
  if (origin === null) throw new Error(`${url.origin} does not know its address. Its setting SITE_URL is needed`);
  // The link is valid only for the address that the developer has named, and never for one that a site names.
  if (origin !== url.origin) throw new Error(`${url.origin} is the site ${origin}. Name this address`);
  return url.origin;
}

/**
 * Starts the development server of a remote for a deployed site.
 * @param {object} options
 * @param {string} options.name
 * @param {ReturnType<typeof import('./preset.mjs').defineRemote>} options.define  the content of `rspack.config.mjs`
 * @param {string} options.site  the origin of the site
 * @param {string} options.privateKey  of the deployer
 * @returns {Promise<{ readonly link: string, stop(): Promise<void> }>}
 */
export async function serveLocalRemote({ name, define, site, privateKey }) {
  const config = await define({ RSPACK_SERVE: true, in: site });
  if (Array.isArray(config)) throw new Error('A remote under development has one configuration');
  const { devServer = {} } = config;
  if (devServer === false) throw new Error('A remote under development has a server');
  const server = new RspackDevServer(devServer, rspack(config));
  await server.start();
  const token = createLocalRemoteToken({ name, port: Number(devServer.port), site }, privateKey);
  return { link: new URL(`/local-remotes/${token}`, site).href, stop: () => server.stop() };
}

if (process.argv[1] && import.meta.url === pathToFileURL(path.resolve(process.argv[1])).href) {
  try {
    const [given = '', address = ''] = process.argv.slice(2);
    const [name = ''] = namesFrom([given]);
    const privateKey = signingKey(process.env, MF_DIR);
    if (privateKey === null) throw new Error('FRONT_END_PRIVATE_KEY is not set, so the link cannot be signed');
    const site = await requireSite(address);
    const { default: define } = await import(pathToFileURL(path.join(ROOT, name, 'rspack.config.mjs')).href);
    const { link } = await serveLocalRemote({ name, define, site, privateKey });
    console.log(
      `${name} is shown in ${site} in the browser that opens this link, for ${LOCAL_REMOTE_h} hours:\n${link}`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
