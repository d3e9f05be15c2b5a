/** Serves the files of stored builds of remotes. */
import path from 'node:path';
import type { RegistryEntry, RemoteName } from '@alpenglow/ui/contract';
import type { RequestHandler } from 'express';
import {
  createUseRecorder,
  createVerifiedReader,
  digestIn,
  isRead,
  readRegularFile,
  sendServedFile,
  type ServedFile,
} from './verified-files.ts';

export interface RemoteFilesOptions {
  readonly mfDir: string;
  /** Finds a stored build with a valid signature. */
  readonly findStored: (name: RemoteName, hash: string) => Promise<RegistryEntry | null>;
}

const FILE_PATH = /^\/(?<name>mf-[a-z-]+)\/(?<hash>[0-9a-f]{16})\/(?<file>[\w.-]+)$/u;
/** Total size of the files in memory. The four remotes have 3 MB, and several builds of a remote are in use. */
const CACHE_MAX_bytes = 16_000_000;

/**
 * Creates the handler of `/mf/<name>/<hash>/<file>`. It sends only files that a signed build names, and only if their
 * content has the SHA-256 of the build, also in compressed form. So who can write to the folder can neither run code in
 * browsers nor store documents there (record 0120).
 */
export function remoteFiles({ mfDir, findStored }: RemoteFilesOptions): RequestHandler {
  const read = createVerifiedReader(CACHE_MAX_bytes);
  const recordUse = createUseRecorder();
  return async (req, res, next) => {
    const { name = '', hash = '', file = '' } = FILE_PATH.exec(req.path)?.groups ?? {};
    if (!isRead(req) || file === '') return next();
    const build = await findStored(name, hash);
    if (!build) return next();
    const folder = path.join(mfDir, name, hash);
    recordUse(folder);
    const digest = digestIn(build, file);
    const found =
      digest === null
        ? await readSourceMap(folder, file, build)
        : await read(folder, file, digest, req.acceptsEncodings());
    if (!found) return next();
    sendServedFile(res, file, found, digest);
  };
}

/**
 * Reads the source map of a script or style sheet of the build. It has no digest, because comments do not make another
 * build. It is sent as JSON, which no browser executes.
 */
async function readSourceMap(folder: string, file: string, build: RegistryEntry): Promise<ServedFile | null> {
  if (!file.endsWith('.map') || digestIn(build, file.slice(0, -'.map'.length)) === null) return null;
  const body = await readRegularFile(path.join(folder, file));
  return body && { body, encoding: null };
}
