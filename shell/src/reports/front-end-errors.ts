/**
 * Decides which errors of front ends are reported to the server. Developers see the reports at `/status/front-ends`. A
 * report contains the name and the deployment of the front end and the kind of the error. It contains no data about the
 * visitor, no URL of a page and no text of the error.
 */
import type { FrontEndError, FrontEndReport, FrontEndView } from '@alpenglow/domain/contracts';
import type { RemoteName } from '@alpenglow/ui';

/**
 * The maximum number of reports per page load. Without this limit, a page that fails permanently would send reports
 * without end.
 */
const REPORTS_MAX = 5;

/**
 * Creates the functions that report views and errors. Each deployment is reported as started once per page load, and as
 * failed with its first error. Each kind of error is reported once per deployment and page load. At most `REPORTS_MAX`
 * reports of errors are sent.
 */
export function createFrontEndReports(send: (report: FrontEndReport) => void) {
  const reported = new Set<string>();
  /** Returns the view, or nothing if this state was already reported. */
  function viewOf(frontEnd: string, hash: string, state: FrontEndView['state']): FrontEndView[] {
    const key = `${frontEnd} ${hash} ${state}`;
    // The views of the shell are not counted, so it has not started.
    const isCounted = state === 'started' || reported.has(`${frontEnd} ${hash} started`);
    if (hash === '' || !isCounted || reported.has(key)) return [];
    reported.add(key);
    return [{ frontEnd, hash, state }];
  }
  let errors = 0;
  return {
    reportView(frontEnd: string, hash: string): void {
      const views = viewOf(frontEnd, hash, 'started');
      if (views.length > 0) send({ views });
    },
    reportError({ frontEnd, hash, kind }: FrontEndError): void {
      const key = `${frontEnd} ${hash} ${kind}`;
      if (reported.has(key) || errors >= REPORTS_MAX) return;
      reported.add(key);
      errors++;
      const views = viewOf(frontEnd, hash, 'failed');
      send({ ...(views.length > 0 && { views }), errors: [{ frontEnd, hash, kind }] });
    },
  };
}

export interface RemoteFile {
  readonly remote: RemoteName;
  readonly hash: string;
  readonly file: string;
}

/** Parses a path such as `/mf/mf-listings/0123456789abcdef/app.js`. Returns null for other paths. */
export function parseRemoteFile(pathname: string): RemoteFile | null {
  const [, remote, hash, file] = /^\/mf\/(mf-[a-z-]+)\/([0-9a-f]{16})\/([\w.-]+)$/u.exec(pathname) ?? [];
  return remote !== undefined && hash !== undefined && file !== undefined ? { remote, hash, file } : null;
}

/**
 * Returns the kind of a load error. Before the call, the caller has requested the failed file again. If the file exists
 * but does not match the registry, the kind is `integrity`. Otherwise the kind is `entry` or `chunk`.
 */
export function getErrorKind(
  isEntry: boolean,
  { exists, matchesRegistry }: { readonly exists: boolean; readonly matchesRegistry: boolean },
): 'integrity' | 'entry' | 'chunk' {
  if (exists && !matchesRegistry) return 'integrity';
  return isEntry ? 'entry' : 'chunk';
}

type FrontEndVersion = Pick<FrontEndError, 'frontEnd' | 'hash'>;

/** Matches the paths of the scripts of this site, e.g. in a stack. */
const OWN_SCRIPT = /(?<origin>https?:\/\/[^/\s()]+)\/(?:mf\/(?<remote>mf-[a-z-]+)\/(?<hash>[0-9a-f]{16})|assets)\//gu;

/**
 * Finds the front end that caused an uncaught error. `trace` is the stack of the error, or the URL of its script. The
 * first script of this site counts. Returns null if there is none, e.g. for an error of a browser extension.
 */
export function findFrontEnd(
  trace: string,
  { origin, shellHash }: { readonly origin: string; readonly shellHash: string },
): FrontEndVersion | null {
  for (const { groups } of trace.matchAll(OWN_SCRIPT)) {
    if (groups?.['origin'] !== origin) continue;
    const { remote, hash = '' } = groups;
    if (remote === undefined) return { frontEnd: 'shell', hash: shellHash };
    return { frontEnd: remote, hash };
  }
  return null;
}
