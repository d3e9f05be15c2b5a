// @ts-check
/**
 * Compares what a remote needs with what a shell offers: versions of the contract, versions of shared packages and
 * style tokens. `<MF_DIR>/shells/<hash>.json` states what each started shell offers, so that a deployment knows it.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import isSubset from 'semver/ranges/subset.js';
import validRange from 'semver/ranges/valid.js';

const BUILD_HASH = /^[0-9a-f]{16}$/u;
/** The number of stored shells. The oldest is deleted first. */
const SHELLS_MAX = 10;
/** The number of missing tokens that a message names. */
const NAMED_TOKENS_MAX = 5;

/**
 * The versions, packages and tokens of a shell, which remotes can use. Older builds of the shell have no `packages` and
 * `tokens`. These are then not compared.
 * @typedef {object} ShellOffer
 * @property {string} hash   the hash of the shell's build
 * @property {readonly string[]} contracts   versions of the contract, e.g. `['6.4.0', '7.0.0']`
 * @property {Readonly<Record<string, string>>} [packages]   the version of each shared package
 * @property {readonly string[]} [tokens]   the custom properties of its style sheets
 */

/**
 * The versions, packages and tokens that a remote needs from the shell.
 * @typedef {object} RemoteNeeds
 * @property {string} name
 * @property {unknown} contract   the range of versions of the contract
 * @property {Readonly<Record<string, string>>} [packages]   the range of versions of each shared package
 * @property {readonly string[]} [tokens]
 */

/**
 * Returns what the shell of a build offers.
 * @param {Readonly<Record<string, any>>} build   the content of its `build.json`
 * @returns {ShellOffer}
 */
export const offerOf = ({ hash = '', contracts, contractVersion, packages, tokens }) => ({
  hash,
  contracts: contracts ?? (contractVersion ? [contractVersion] : []),
  ...(packages && { packages }),
  ...(tokens && { tokens }),
});

/**
 * Returns the reasons why a shell cannot run a remote. There are none if it can.
 * @param {RemoteNeeds} remote
 * @param {ShellOffer} shell
 * @returns {string[]}
 */
export function findIncompatibilities({ contract, packages = {}, tokens = [] }, shell) {
  if (typeof contract !== 'string' || validRange(contract) === null)
    return [`states no valid range of contract versions, e.g. "contract": "^${shell.contracts.at(-1)}"`];
  const reasons = [];
  if (!shell.contracts.some((version) => satisfies(version, contract)))
    reasons.push(`works with contract ${contract}, but the shell has contract ${shell.contracts.join(' and ')}`);
  for (const [name, range] of Object.entries(shell.packages ? packages : {})) {
    const version = shell.packages?.[name];
    if (version === undefined) reasons.push(`needs ${name} ${range}, which the shell does not provide`);
    else if (!satisfies(version, range)) reasons.push(`needs ${name} ${range}, but the shell has ${version}`);
  }
  const missing = tokens.filter((token) => shell.tokens && !shell.tokens.includes(token));
  if (missing.length > 0) {
    const more = missing.length > NAMED_TOKENS_MAX ? ` and ${missing.length - NAMED_TOKENS_MAX} more` : '';
    reasons.push(`uses ${missing.slice(0, NAMED_TOKENS_MAX).join(', ')}${more}, which the shell does not define`);
  }
  return reasons;
}

/**
 * Checks that a shell can run a remote.
 * @param {RemoteNeeds} remote
 * @param {ShellOffer} shell
 * @throws {Error} with all reasons if it cannot
 */
export function requireFit(remote, shell) {
  const reasons = findIncompatibilities(remote, shell);
  if (reasons.length > 0) throw new Error(`${remote.name} ${reasons.join('; ')}`);
}

/**
 * Checks whether the contract range of one build contains all versions in that of another one.
 * @param {unknown} outer
 * @param {unknown} inner
 */
export function containsRange(outer, inner) {
  const [outerRange, innerRange] = [outer, inner].map((range) => validRange(typeof range === 'string' ? range : null));
  if (!outerRange) return false;
  return !innerRange || isSubset(innerRange, outerRange);
}

/** @param {string} mfDir */
const shellsDir = (mfDir) => path.join(mfDir, 'shells');

/**
 * Returns the files of recorded shells, the one that was started last first. Another process may write and delete files
 * at the same time, so a file that cannot be read is left out.
 * @param {string} mfDir
 */
function readShellFiles(mfDir) {
  let files;
  try {
    files = readdirSync(shellsDir(mfDir)).filter((file) => BUILD_HASH.test(path.basename(file, '.json')));
  } catch {
    return [];
  }
  return files
    .flatMap((file) => {
      const shell = readShellFile(path.join(shellsDir(mfDir), file));
      return shell ? [{ file, shell }] : [];
    })
    .sort((a, b) => (a.shell.startedAt < b.shell.startedAt ? 1 : -1));
}

/**
 * @param {string} file
 * @returns {(ShellOffer & { readonly startedAt: string }) | null} null if this is no description of a shell
 */
function readShellFile(file) {
  try {
    const shell = JSON.parse(readFileSync(file, 'utf8'));
    const isText = (/** @type {unknown} */ value) => typeof value === 'string';
    return isText(shell.startedAt) && Array.isArray(shell.contracts) && shell.contracts.every(isText) ? shell : null;
  } catch {
    return null;
  }
}

/**
 * Returns the shells that were started with this folder, the latest first.
 * @param {string} mfDir
 * @returns {(ShellOffer & { readonly startedAt: string })[]}
 */
export const readShells = (mfDir) => readShellFiles(mfDir).map(({ shell }) => shell);

/**
 * Records that a shell is started, so that deployments are compared with it. A shell for development has no hash and is
 * not recorded.
 * @param {string} mfDir
 * @param {ShellOffer} shell
 * @param {Date} [now]
 * @throws {Error} if it cannot be written. A record that is stored already does not change then
 */
export function recordShell(mfDir, shell, now = new Date()) {
  if (!BUILD_HASH.test(shell.hash)) return;
  const dir = shellsDir(mfDir);
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, `${shell.hash}.json`);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ ...shell, startedAt: now.toISOString() }, null, 1)}\n`);
    renameSync(temporary, file);
  } finally {
    // If the disk is full, the file may have a part of the text.
    rmSync(temporary, { force: true });
  }
  for (const { file: old } of readShellFiles(mfDir).slice(SHELLS_MAX)) {
    try {
      rmSync(path.join(dir, old), { force: true });
    } catch {
      // The next start tries again.
    }
  }
}

/**
 * Records that a shell is started, and prints a warning if it is not possible. The shell can start without it:
 * deployments are then compared with the shell that was recorded before.
 * @param {string} mfDir
 * @param {ShellOffer} shell
 * @param {(line: string) => void} [warn]
 */
export function tryToRecordShell(mfDir, shell, warn = (line) => void process.stderr.write(`${line}\n`)) {
  try {
    recordShell(mfDir, shell);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    warn(`The shell was not recorded, so deployments are compared with an earlier one: ${problem}`);
  }
}
