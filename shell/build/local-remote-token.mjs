// @ts-check
/**
 * The signed text with which a browser gets a remote from the development server of its own computer. It is not part of
 * images for production (infra/deploy/image/assemble.mjs).
 */
import { isSignedText, keysFor, signText } from './signing.mjs';

const PURPOSE = 'alpenglow local remote 1\n';
const TOKEN = /^(?<text>(?<name>mf-[a-z-]{1,30})\.(?<port>\d{2,5})\.(?<expires_s>\d{10}))\.(?<value>[\w-]{86})$/u;
/** The time for which a link is valid. */
export const LOCAL_REMOTE_h = 12;

/** @typedef {{ readonly name: string, readonly port: number }} LocalRemote  `port` is that of the development server */

/**
 * Returns the text that is signed. It contains the origin of the site, so that a link for one site works in no other
 * one. The token does not contain it.
 * @param {string} site
 * @param {string} text
 */
const toSigned = (site, text) => `${PURPOSE}${site}\n${text}`;

/**
 * Returns the token of a local remote. It is part of a link and the value of a cookie.
 * @param {LocalRemote & { readonly site: string }} remote  `site` is the origin of the site
 * @param {string} privateKey  of the deployer
 * @param {Date} [now]
 */
export function createLocalRemoteToken({ name, port, site }, privateKey, now = new Date()) {
  const text = `${name}.${port}.${Math.floor((now.getTime() + LOCAL_REMOTE_h * 3_600_000) / 1_000)}`;
  return `${text}.${signText(toSigned(site, text), privateKey)}`;
}

/**
 * Returns the remote of a token, or null if the token is not signed with a known key for this site, or has expired.
 * @param {string} token
 * @param {string | null} site  the origin of the site. Null if it is not known, so that no token is valid
 * @param {import('./signing.mjs').Trust} trust
 * @param {Date} [now]
 * @returns {(LocalRemote & { readonly expiresAt_ms: number }) | null}
 */
export function readLocalRemoteToken(token, site, { keys }, now = new Date()) {
  const { text = '', name = '', port = '', expires_s = '', value = '' } = TOKEN.exec(token)?.groups ?? {};
  const expiresAt_ms = Number(expires_s) * 1_000;
  if (site === null || name === '' || expiresAt_ms <= now.getTime() || Number(port) > 65_535) return null;
  return isSignedText(toSigned(site, text), value, keysFor(keys, name))
    ? { name, port: Number(port), expiresAt_ms }
    : null;
}
