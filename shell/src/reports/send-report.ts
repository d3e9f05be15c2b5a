/** Sends reports about front ends to the server. */
import type { FrontEndReport } from '@alpenglow/domain/contracts';
import { BUILD_META } from './build-meta.ts';
import { getErrorId } from './describe-error.ts';
import { createFrontEndReports } from './front-end-errors.ts';

const REPORTS_URL = '/api/front-ends/reports';

/** Sends a report. The browser also sends it if the page is closed at the same time. A failure has no effect. */
export function sendReport(report: FrontEndReport): void {
  navigator.sendBeacon(REPORTS_URL, new Blob([JSON.stringify(report)], { type: 'application/json' }));
}

export const { reportView, reportError } = createFrontEndReports((report) => {
  if (report.errors?.some(({ kind }) => kind === 'render')) sendWithErrorId(report);
  else sendReport(report);
});

/** Sends the report of an error whose correlation id the visitor sees. A beacon cannot have a header. */
function sendWithErrorId(report: FrontEndReport): void {
  fetch(REPORTS_URL, {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': getErrorId() },
    body: JSON.stringify(report),
  }).catch(() => undefined);
}

/** Returns the hash of the shell's build, which the server writes into the first HTML. It is empty in development. */
export const getShellHash = (): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${BUILD_META}"]`)?.content ?? '';

/** Reports that code of the shell has thrown an error while rendering. */
export const reportShellError = (): void => reportError({ frontEnd: 'shell', hash: getShellHash(), kind: 'render' });
