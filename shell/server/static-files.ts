import { access } from 'node:fs/promises';
import path from 'node:path';
import type { RequestHandler } from 'express';

/** For files whose name or folder carries a hash of what is in them. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** For files whose name stays when their content changes: kept, but asked about each time. */
export const REVALIDATED = 'no-cache';

const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

export interface StaticFilesOptions {
  /** The paths below the mount that are served; anything else is passed on. It keeps `..`, dot files and stray files out. */
  readonly only: RegExp;
  readonly cacheControl: string;
}

/** Serves files of `root`, compressed where the build left a compressed twin, with ETag, 304 and ranges. */
export function staticFiles(root: string, { only, cacheControl }: StaticFilesOptions): RequestHandler {
  return async (req, res, next) => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !only.test(req.path)) return next();
    const file = req.path.slice(1);
    const encoding = await compressedTwin(path.join(root, file), req.acceptsEncodings());
    res.vary('Accept-Encoding').type(path.extname(file)).set('Cache-Control', cacheControl);
    if (encoding) res.set('Content-Encoding', encoding.name);
    res.sendFile(file + (encoding?.extension ?? ''), { root, cacheControl: false }, (error) => {
      if (!error || res.headersSent) return;
      for (const header of ['Content-Encoding', 'Content-Type', 'Cache-Control']) res.removeHeader(header);
      next(isMissing(error) ? undefined : error);
    });
  };
}

async function compressedTwin(file: string, accepted: readonly string[]) {
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

/** The end of the road for addresses that name a file. */
export const notFound: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') return next();
  res.status(404).set('Cache-Control', 'no-store').type('text').send('Not found');
};
