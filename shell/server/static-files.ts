import { access } from 'node:fs/promises';
import path from 'node:path';
import type { RequestHandler } from 'express';

/** Cache header for files whose name or folder contains a content hash. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Cache header for files whose content may change under the same name. Clients revalidate them before each use. */
export const REVALIDATED = 'no-cache';

const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

export interface StaticFilesOptions {
  /**
   * Matches the paths that are served. All other requests go to the next handler, so that `..`, hidden files and
   * unrelated files are not accessible.
   */
  readonly only: RegExp;
  readonly cacheControl: string;
}

/** Serves the files in `root` with ETag, 304 and range support. Sends a compressed variant if the build created one. */
export function staticFiles(root: string, { only, cacheControl }: StaticFilesOptions): RequestHandler {
  return async (req, res, next) => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !only.test(req.path)) return next();
    const file = req.path.slice(1);
    const encoding = await compressedVariant(path.join(root, file), req.acceptsEncodings());
    res.vary('Accept-Encoding').type(path.extname(file)).set('Cache-Control', cacheControl);
    if (encoding) res.set('Content-Encoding', encoding.name);
    res.sendFile(file + (encoding?.extension ?? ''), { root, cacheControl: false }, (error) => {
      if (!error || res.headersSent) return;
      for (const header of ['Content-Encoding', 'Content-Type', 'Cache-Control']) res.removeHeader(header);
      next(isMissing(error) ? undefined : error);
    });
  };
}

async function compressedVariant(file: string, accepted: readonly string[]) {
  for (const encoding of ENCODINGS) {
    if (!accepted.includes(encoding.name)) continue;
    const exists = await access(file + encoding.extension).then(
      () => true,
      () => false,
    );
    if (exists) return encoding;
  }
  return undefined;
}

const isMissing = (error: Error) =>
  'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR');

/** Responds with 404 to requests for files that do not exist. */
export const notFound: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') return next();
  res.status(404).set('Cache-Control', 'no-store').type('text').send('Not found');
};
