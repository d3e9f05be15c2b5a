import { BusyError, isBelowApi } from '@alpenglow/infra';
import type { ErrorRequestHandler } from 'express';
import { TEXTS } from './texts.ts';
import { readVisitor, VISITOR_HEADERS } from './visitor.ts';

/**
 * Sends a small HTML page in the visitor's language if the fair queue rejects the request of a page. The page
 * needs no other file, so it causes no further request. It reloads itself after the time in `Retry-After`. All other
 * errors and requests are passed on.
 */
export const sendBusyPage: ErrorRequestHandler = (error: unknown, req, res, next) => {
  const isPage = !isBelowApi(req.originalUrl) && req.accepts(['json', 'html']) === 'html';
  if (!(error instanceof BusyError) || !isPage || res.headersSent || res.destroyed) {
    next(error);
    return;
  }
  // The metric of busy responses reads this mark.
  res.locals['isBusy'] = true;
  const { locale } = readVisitor(req);
  const t = TEXTS[locale];
  const wait_s = error.retryAfter_s ?? 0;
  res
    .status(503)
    .set({
      'Retry-After': String(wait_s),
      'Cache-Control': 'no-store',
      Vary: ['Accept', ...VISITOR_HEADERS].join(', '),
    })
    .type('html')
    .send(
      `<!doctype html><html lang="${locale}"><meta charset="utf-8">` +
        `<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${wait_s}">` +
        `<title>${t('busyTitle')}</title><h1>${t('busyTitle')}</h1>` +
        `<p>${t('busyText', { seconds: wait_s })}</p><p><a href="">${t('busyReload')}</a></p></html>`,
    );
};
