// @ts-check
/**
 * Checks the entries of the registry of remotes. The build, the deployment and the server of the shell use the same
 * rules, so that the server accepts what was deployed. The rules are strict, because pages contain the strings of an
 * entry without escaping.
 */

import validRange from 'semver/ranges/valid.js';

/** Matches the name of a remote, which is part of paths. */
const REMOTE_NAME = /^mf-[a-z][a-z-]{0,29}$/u;
/** Matches the path of a remote's pages. Its first segment is a name, so no remote takes over all unknown addresses. */
const ROUTE_PATH = /^\/(?!404(?:\/|$))[\w-]+(?:\/(?:[\w-]+|\{\w+\}))*(?:\/\*)?$/u;
const ACCESS = /^(?:everyone|signed-in|staff)$/u;

/**
 * @param {unknown} value
 * @returns {value is Readonly<Record<string, unknown>>}
 */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {unknown} value @param {RegExp} pattern */
const isText = (value, pattern) => typeof value === 'string' && pattern.test(value);
/** @param {unknown} value */
const isIntegrity = (value) => isText(value, /^sha256-[\w+/]{43}=$/u);
/** @param {unknown} value */
const areTexts = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string');
/** @param {unknown} value */
const areFiles = (value) => Array.isArray(value) && value.every((item) => isText(item, /^[\w.-]+$/u));
/** @param {unknown} value */
const isRange = (value) => typeof value === 'string' && validRange(value) !== null;
/** @param {unknown} value @param {(item: unknown) => boolean} isValid */
const hasOnly = (value, isValid) => isObject(value) && Object.values(value).every(isValid);

/** @param {unknown} value */
export const isRoute = (value) =>
  isObject(value) && isText(value['path'], ROUTE_PATH) && isText(value['access'], ACCESS);

/** @param {unknown} routes */
function findRouteErrors(routes) {
  if (!Array.isArray(routes)) return ['routes is no list'];
  return routes
    .filter((route) => !isRoute(route))
    .map(
      (route) =>
        `routes contains ${JSON.stringify(route)}; a path begins with a fixed segment other than 404, ` +
        'e.g. "/events/*" or "/events/{id}", and access is "everyone", "signed-in" or "staff"',
    );
}

/**
 * Checks the name of a remote, which is also the name of a folder.
 * @param {unknown} name
 */
export const isRemoteName = (name) => isText(name, REMOTE_NAME);

/** @param {unknown} name */
const findNameErrors = (name) =>
  isRemoteName(name) ? [] : [`the name is ${JSON.stringify(name)}; it is mf- and at most 30 letters and hyphens`];

/**
 * Returns the errors of the values that an entry for any contract version needs.
 * @param {Readonly<Record<string, unknown>>} entry
 */
export const findIdentityErrors = ({ name, hash, contract }) => [
  ...findNameErrors(name),
  ...(isText(hash, /^[0-9a-f]{16}$/u) ? [] : ['hash is no content hash']),
  ...(typeof contract === 'string' ? [] : ['contract is no range of contract versions']),
];

/**
 * Returns the errors of an entry of the registry. The entry is valid if there are none.
 * @param {Readonly<Record<string, unknown>>} entry
 * @returns {string[]}
 */
export function findEntryErrors(entry) {
  const { preload, preloadTexts = {}, preloadData = {}, preloadPictures, integrity, server } = entry;
  const { chunks = {}, routes = [], packages = {}, tokens = [], assets = {} } = entry;
  /** @type {[boolean, string][]} */
  const checks = [
    [areFiles(preload), 'preload is no list of file names'],
    [hasOnly(preloadTexts, areFiles), 'preloadTexts is no list of file names by language'],
    [hasOnly(preloadData, areTexts), 'preloadData is no list of paths by path'],
    [hasOnly(integrity, isIntegrity), 'integrity is no SHA-256 by file name'],
    [hasOnly(assets, isIntegrity), 'assets is no SHA-256 by file name'],
    [hasOnly(packages, isRange), 'packages is no range of versions by package'],
    [areTexts(tokens), 'tokens is no list of custom properties'],
    [hasOnly(chunks, areFiles), 'chunks is no list of file names by chunk'],
    [server === undefined || (isObject(server) && isIntegrity(server['integrity'])), 'server has no SHA-256'],
    [
      preloadPictures === undefined ||
        (isObject(preloadPictures) && areTexts(preloadPictures['pages']) && isText(preloadPictures['sizes'], /./u)),
      'preloadPictures has no list of pages, or no sizes',
    ],
  ];
  return [
    ...findIdentityErrors(entry),
    ...checks.filter(([isValid]) => !isValid).map(([, error]) => error),
    ...findRouteErrors(routes),
  ];
}

/**
 * @param {object} entry
 * @throws {Error} if the server of the shell or a browser would ignore this entry
 */
export function requireValidEntry(entry) {
  const values = /** @type {Readonly<Record<string, unknown>>} */ (entry);
  const { name, container, entry: file, integrity } = values;
  const errors = findEntryErrors(values);
  if (!isText(container, /^\w+$/u)) errors.push('container is no name of a variable');
  if (typeof file !== 'string' || !isObject(integrity) || !Object.hasOwn(integrity, file))
    errors.push('entry is no file with an integrity value');
  if (errors.length > 0) throw new Error(`${String(name)} is invalid: ${errors.join('; ')}`);
}
