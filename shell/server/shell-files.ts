/** Serves the files of other versions of the shell, which pages of other servers and old tabs need (record 0124). */
import { readFile, readdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { SHELL_DESCRIPTION, SHELL_FOLDER } from '../build/shell-files.mjs';
import { findTrustErrors, type Trust } from '../build/signing.mjs';
import type { PageSource } from './page-source.ts';
import { createUseRecorder, createVerifiedReader, digestIn, isRead, sendServedFile } from './verified-files.ts';

export interface ShellFilesOptions {
  readonly mfDir: string;
  readonly trust: Trust;
  readonly log: PageSource['log'];
}

/** The signed list of the files of a stored shell (shell/build/shell-files.mjs). */
interface StoredShell {
  readonly name: string;
  readonly hash: string;
  readonly integrity: Readonly<Record<string, string>>;
  readonly assets: Readonly<Record<string, string>>;
}

const FILE_PATH = /^\/(?<file>[\w.-]+)$/u;
const HASH = /^[0-9a-f]{16}$/u;
/** Total size of the files in memory. A shell has 2 MB. */
const CACHE_MAX_bytes = 8_000_000;
/** A file that a build of the shell has just stored is found at the latest after this time. */
const CHECK_INTERVAL_ms = 500;
/** The time after which lists that were not valid are read again, although nothing was added to the folder. */
const LISTED_MAX_ms = 30_000;

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Creates the handler of `/assets/<file>` for files of other versions of the shell. It sends only files that a signed
 * list names and whose content has the digest of the list, because others may write to the folder.
 */
export function shellFiles({ mfDir, trust, log }: ShellFilesOptions): RequestHandler {
  const dir = path.join(mfDir, SHELL_FOLDER);
  const read = createVerifiedReader(CACHE_MAX_bytes);
  const recordUse = createUseRecorder();
  const known = new Map<string, StoredShell>();
  /** The shells whose lists are not used, so that the log names each of them once. */
  const warned = new Set<string>();
  let checked_ms = -Infinity;
  /** The last reading of the lists. The version is empty if one of them could not be read. */
  let listed = { at_ms: -Infinity, version: '' };
  let running: Promise<void> | null = null;

  /**
   * Reads the list of a shell. Returns null if it must not be used.
   * @throws {Error} if it cannot be read, for example because the folder is being written or deleted
   */
  async function readShell(hash: string): Promise<StoredShell | null> {
    const stored = JSON.parse(await readFile(path.join(dir, hash, SHELL_DESCRIPTION), 'utf8')) as StoredShell;
    const errors = findTrustErrors(stored, trust);
    if (errors.length === 0 && stored.name === SHELL_FOLDER && stored.hash === hash) return stored;
    if (!warned.has(hash)) log.warn({ hash, errors }, 'the files of a stored shell are not used');
    warned.add(hash);
    return null;
  }

  /**
   * Reads the lists that are not known or were not valid. A valid list stays, because its shell never changes. Returns
   * false if one could not be read.
   */
  async function readLists(): Promise<boolean> {
    const names = await readdir(dir).catch((error: unknown) => (isMissing(error) ? [] : null));
    if (names === null) return false;
    const hashes = names.filter((name) => HASH.test(name));
    for (const hash of [...known.keys(), ...warned]) {
      if (hashes.includes(hash)) continue;
      known.delete(hash);
      warned.delete(hash);
    }
    let isComplete = true;
    for (const hash of hashes) {
      if (known.has(hash)) continue;
      try {
        const shell = await readShell(hash);
        if (shell === null) continue;
        known.set(hash, shell);
        warned.delete(hash);
      } catch {
        isComplete = false;
      }
    }
    return isComplete;
  }

  /** Reads the lists again if the folder has changed, if the last reading was not complete, or if it is too old. */
  async function update(): Promise<void> {
    const now_ms = performance.now();
    if (now_ms - checked_ms < CHECK_INTERVAL_ms) return;
    checked_ms = now_ms;
    const version = await stat(dir).then(
      ({ ino, mtimeMs }) => `${ino}:${mtimeMs}`,
      () => '',
    );
    if (version !== '' && version === listed.version && now_ms - listed.at_ms < LISTED_MAX_ms) return;
    listed = { at_ms: now_ms, version: (await readLists()) ? version : '' };
  }

  /** Simultaneous requests share one update. */
  const updateOnce = () =>
    (running ??= update().finally(() => {
      running = null;
    }));

  const find = (file: string) =>
    [...known.values()].flatMap((shell) => {
      const digest = digestIn(shell, file);
      return digest !== null ? [{ folder: path.join(dir, shell.hash), digest }] : [];
    });

  return async (req, res, next) => {
    const { file = '' } = FILE_PATH.exec(req.path)?.groups ?? {};
    if (!isRead(req) || file === '') return next();
    if (find(file).length === 0) await updateOnce();
    for (const { folder, digest } of find(file)) {
      const found = await read(folder, file, digest, req.acceptsEncodings());
      if (!found) continue;
      recordUse(folder);
      sendServedFile(res, file, found, digest);
      return;
    }
    next();
  };
}

/** Records that a shell is started, so that its files stay stored. Nothing happens if they are not stored. */
export function recordShellUse(mfDir: string, hash: string): void {
  const now = new Date();
  utimes(path.join(mfDir, SHELL_FOLDER, hash), now, now).catch(() => undefined);
}
