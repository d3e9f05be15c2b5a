import { MEDIA_RULES } from '@alpenglow/domain';
import type { RequestHandler } from 'express';
import { getPathBelowApi, isBelowApi } from './request-operation.ts';

/** The version of the tus protocol of resumable uploads. */
export const TUS_VERSION = '1.0.0';
/** The extensions of the tus protocol that resumable uploads support. */
export const TUS_EXTENSIONS = ['creation', 'termination', 'expiration'];

const UPLOADS = /^\/uploads\/resumable\/([^/]+)$/u;
const OVERRIDES = new Set(['PATCH', 'DELETE']);

/**
 * Creates the part of the tus protocol that concerns HTTP methods. `OPTIONS` returns the supported version,
 * extensions and size. A POST request with the header `X-HTTP-Method-Override` is handled like a PATCH or DELETE
 * request, because some networks block these methods. Other paths ignore the header.
 */
export const handleTusMethods: RequestHandler = (req, res, next) => {
  const { method, originalUrl } = req;
  const path = method === 'OPTIONS' || method === 'POST' ? getPathBelowApi(originalUrl) : '';
  const [, upload] = (isBelowApi(originalUrl) && UPLOADS.exec(path)) || [];
  if (upload === undefined) {
    next();
    return;
  }
  if (method === 'OPTIONS') {
    const { maxBytes } = MEDIA_RULES[upload === 'photos' ? 'photo' : 'video'];
    res.set({
      'Tus-Resumable': TUS_VERSION,
      'Tus-Version': TUS_VERSION,
      'Tus-Extension': TUS_EXTENSIONS.join(','),
      'Tus-Max-Size': String(maxBytes),
    });
    res.status(204).end();
    return;
  }
  const override = req.get('x-http-method-override')?.toUpperCase() ?? '';
  if (OVERRIDES.has(override)) req.method = override;
  next();
};
