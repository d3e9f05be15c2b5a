// @ts-check
/**
 * Signs builds of remotes with the Ed25519 key of the deployer, and checks signatures. A signature covers the whole
 * description of a build with the SHA-256 of each file, so it covers all files that browsers and the server run.
 *
 * Keys and hashes are hexadecimal. A private key is 32 random bytes, e.g. of `openssl rand -hex 32`.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import canonicalize from 'canonicalize';

/** The bytes before a private key in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The signed text begins with it, so that a signature for another purpose with the same key is not valid. */
const PURPOSE = 'alpenglow front end 1\n';
const PREVIEW_PURPOSE = 'alpenglow preview 1\n';
const PREVIEW_TOKEN =
  /^(?<text>(?<name>mf-[a-z-]{1,30})\.(?<hash>[0-9a-f]{16})\.(?<expires_s>\d{10}))\.(?<value>[\w-]{86})$/u;
/** The time for which the link of a preview is valid. */
export const PREVIEW_days = 7;
const DAY_ms = 86_400_000;
const KEY = /^[0-9a-f]{64}$/u;
/**
 * The properties of a stored build that state how it is used (`StoredDeployment` in registry.mjs).
 * @type {readonly string[]}
 */
export const STATE = [
  'isRolledBack',
  'rollback',
  'stage',
  'percent',
  'isAutomatic',
  'comparison',
  'isForced',
  'liveAt',
];
/** The properties that may change after the signature. */
const UNSIGNED = ['stamp', 'signature', 'deployedAt', 'fits', ...STATE];

/**
 * The keys whose signatures are accepted, and the hashes of builds that are never used although they are signed. A key
 * is accepted for all remotes, and `<key>:<name>+<name>` only for the remotes with these names.
 * @typedef {{ readonly keys: readonly string[], readonly revoked: readonly string[] }} Trust
 */
/**
 * The keys of a deployment. Without a private key, only builds that are signed already can be deployed.
 * @typedef {{ readonly privateKey: string | null, readonly trust: Trust }} DeployKeys
 */

/** @param {string} privateKey */
function toKeyObject(privateKey) {
  if (!KEY.test(privateKey)) throw new Error('The private key of the deployer must have 64 hexadecimal digits');
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(privateKey, 'hex')]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/**
 * Returns the public key of a private key.
 * @param {string} privateKey
 */
export function publicKeyOf(privateKey) {
  const { x = '' } = createPublicKey(toKeyObject(privateKey)).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}

/**
 * Returns the public keys that are accepted for a remote.
 * @param {readonly string[]} keys
 * @param {unknown} name
 */
export const keysFor = (keys, name) =>
  keys.flatMap((accepted) => {
    const [key = '', names] = accepted.split(':');
    return names === undefined || names.split('+').some((one) => one === name) ? [key] : [];
  });

/** @param {object} build */
function signedText(build) {
  const signed = Object.entries(build).filter(([name]) => !UNSIGNED.includes(name));
  // Values that JSON does not contain, such as undefined, are left out first.
  return Buffer.from(PURPOSE + canonicalize(JSON.parse(JSON.stringify(Object.fromEntries(signed)))));
}

/**
 * Returns a build with a signature.
 * @template {object} T
 * @param {T} build
 * @param {string} privateKey
 * @returns {T & { readonly signature: { readonly key: string, readonly value: string } }}
 */
export function signBuild(build, privateKey) {
  const value = sign(null, signedText(build), toKeyObject(privateKey)).toString('base64');
  return { ...build, signature: { key: publicKeyOf(privateKey), value } };
}

/**
 * Returns the reasons why a build must not be used. There are none if it has a valid signature and is not revoked.
 * @param {Readonly<Record<string, any>>} build
 * @param {Trust} trust
 * @returns {string[]}
 */
export function findTrustErrors(build, { keys, revoked }) {
  const { name, hash, signature } = build;
  if (revoked.includes(hash)) return ['is revoked'];
  if (typeof signature?.key !== 'string' || typeof signature.value !== 'string') return ['is not signed'];
  if (!KEY.test(signature.key) || !keys.some((accepted) => accepted.startsWith(signature.key)))
    return ['is signed with a key that is not known here'];
  if (!keysFor(keys, name).includes(signature.key)) return [`is signed with a key that may not sign ${name}`];
  return verify(null, signedText(build), toPublicKeyObject(signature.key), Buffer.from(signature.value, 'base64'))
    ? []
    : ['has changed since it was signed'];
}

/** @param {string} key */
function toPublicKeyObject(key) {
  const x = Buffer.from(key, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/**
 * Returns the signature of a text. The text begins with its purpose.
 * @param {string} text
 * @param {string} privateKey
 */
export const signText = (text, privateKey) =>
  sign(null, Buffer.from(text), toKeyObject(privateKey)).toString('base64url');

/**
 * Checks whether one of the keys has signed a text.
 * @param {string} text
 * @param {string} value  the signature
 * @param {readonly string[]} keys
 */
export const isSignedText = (text, value, keys) =>
  keys.some((key) => verify(null, Buffer.from(text), toPublicKeyObject(key), Buffer.from(value, 'base64url')));

/**
 * Returns the signed text with which a browser gets a stored build that is not live. It is part of a link and the value
 * of a cookie. It contains no secret except for itself, and expires.
 * @param {{ name: string, hash: string }} build
 * @param {string} privateKey
 * @param {Date} [now]
 */
export function createPreviewToken({ name, hash }, privateKey, now = new Date()) {
  const text = `${name}.${hash}.${Math.floor((now.getTime() + PREVIEW_days * DAY_ms) / 1_000)}`;
  return `${text}.${signText(PREVIEW_PURPOSE + text, privateKey)}`;
}

/**
 * Returns the build of a preview token. Returns null if the token has expired, or is not signed with a key that is
 * accepted for the remote.
 * @param {string} token
 * @param {Trust} trust
 * @param {Date} [now]
 * @returns {{ name: string, hash: string, expiresAt_ms: number } | null}
 */
export function readPreviewToken(token, { keys, revoked }, now = new Date()) {
  const { text = '', name = '', hash = '', expires_s = '', value = '' } = PREVIEW_TOKEN.exec(token)?.groups ?? {};
  const expiresAt_ms = Number(expires_s) * 1_000;
  if (name === '' || expiresAt_ms <= now.getTime() || revoked.includes(hash)) return null;
  return isSignedText(PREVIEW_PURPOSE + text, value, keysFor(keys, name)) ? { name, hash, expiresAt_ms } : null;
}

/** @param {string} file */
const readKey = (file) => readFileSync(file, 'utf8').trim();

/**
 * Returns the keys of a machine without configured keys. The private key is in a file next to the folder of the
 * remotes, so that write access to the folder does not give it. It is created when it is first needed.
 * @param {string} mfDir
 * @returns {{ readonly privateKey: string, readonly trust: Trust }}
 */
export function localKeys(mfDir) {
  const file = `${path.resolve(mfDir)}.key`;
  let privateKey;
  try {
    privateKey = readKey(file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    privateKey = createKeyFile(file);
  }
  return { privateKey, trust: { keys: [publicKeyOf(privateKey)], revoked: [] } };
}

/**
 * Creates a file with a new key and returns the key. If another process has just created the file, returns its key.
 * @param {string} file
 */
function createKeyFile(file) {
  const temporary = `${file}.${process.pid}.tmp`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(temporary, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readKey(file);
}

/**
 * Returns whose builds a server uses. Without configured keys, it is the key of this machine.
 * @param {string} mfDir
 * @param {{ keys: readonly string[] | null, revoked: readonly string[] }} configured
 * @returns {Trust}
 * @throws {Error} if no keys are configured and this machine cannot store one
 */
export function trustOf(mfDir, { keys, revoked }) {
  if (keys !== null) return { keys, revoked };
  const local = localKeysOr(mfDir, 'FRONT_END_KEYS is not set: name the public keys with which front ends are signed');
  return { ...local.trust, revoked };
}

/**
 * @param {string} mfDir
 * @param {string} problem  the message of the error if this machine cannot store a key
 */
function localKeysOr(mfDir, problem) {
  try {
    return localKeys(mfDir);
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}

/**
 * Returns the private key of the deployer: the configured one, or that of this machine if no keys are configured.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} mfDir
 * @returns {string | null} null if only public keys are configured
 * @throws {Error} if the key has another format, or if there is none and this machine cannot store one
 */
export function signingKey(env, mfDir) {
  const privateKey = env['FRONT_END_PRIVATE_KEY'] || null;
  if (privateKey !== null) toKeyObject(privateKey);
  if (privateKey !== null || env['FRONT_END_KEYS']) return privateKey;
  return localKeysOr(mfDir, 'FRONT_END_PRIVATE_KEY is not set: front ends are signed with it').privateKey;
}

/**
 * Returns the keys of a deployment from environment variables. Without any, they are those of this machine.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} mfDir
 * @returns {DeployKeys}
 * @throws {Error} if only a private key is configured. The shell of this machine would trust its own key instead and
 * use none of the builds
 */
export function deployKeys(env, mfDir) {
  const listOf = (/** @type {string | undefined} */ text) => (text ? text.split(',').map((item) => item.trim()) : []);
  const privateKey = signingKey(env, mfDir);
  const keys = listOf(env['FRONT_END_KEYS']);
  const revoked = listOf(env['FRONT_END_REVOKED']);
  if (keys.length > 0) return { privateKey, trust: { keys, revoked } };
  if (env['FRONT_END_PRIVATE_KEY'])
    throw new Error(
      'FRONT_END_PRIVATE_KEY is set, but not FRONT_END_KEYS, so this site would use none of the builds. Set both, or ' +
        'neither to deploy with the key of this machine',
    );
  return { privateKey, trust: { ...localKeys(mfDir).trust, revoked } };
}
