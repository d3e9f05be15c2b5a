/**
 * Reports to the server which front ends could not be loaded. Developers see the reports at `/status/front-ends`. A
 * report contains the name and the deployment of the front end, and no data about the visitor.
 */
import { REMOTE_NAMES, type RemoteName } from '@alpenglow/ui';
import { REMOTE_ENTRY } from './registry.ts';

export const LOAD_ERRORS_URL = '/status/front-ends/errors';

/**
 * The part of a remote that failed. `registry` is the list of all remotes, `entry` is the remote's entry file, and
 * `chunk` is any other file. `integrity` is a file that does not match the registry. `contract` is an unsupported
 * contract version, and `render` is an error in the running code.
 */
export type LoadErrorKind = 'registry' | 'entry' | 'chunk' | 'integrity' | 'contract' | 'render';

export interface LoadError {
  readonly remote: RemoteName;
  /** The hash of the deployment. It is empty if the hash is unknown. */
  readonly hash: string;
  readonly kind: LoadErrorKind;
}

/**
 * The maximum number of reports per page load. Without this limit, a page that fails permanently would send reports
 * without end.
 */
const REPORTS_MAX = 5;

/** Creates a function that reports each failure once per page, up to `REPORTS_MAX` failures. */
export function createLoadErrorReports(send: (error: LoadError) => void): (error: LoadError) => void {
  const reported = new Set<string>();
  return ({ remote, hash, kind }) => {
    const key = `${remote} ${hash} ${kind}`;
    if (reported.has(key) || reported.size >= REPORTS_MAX) return;
    reported.add(key);
    send({ remote, hash, kind });
  };
}

export interface RemoteFile {
  readonly remote: RemoteName;
  readonly hash: string;
  readonly file: string;
}

/** Parses a path such as `/mf/mf-listings/0123456789abcdef/app.js`. Returns null for other paths. */
export function parseRemoteFile(pathname: string): RemoteFile | null {
  const [, name, hash, file] = /^\/mf\/([\w-]+)\/([0-9a-f]{16})\/([\w.-]+)$/u.exec(pathname) ?? [];
  const remote = REMOTE_NAMES.find((known) => known === name);
  return remote && hash !== undefined && file !== undefined ? { remote, hash, file } : null;
}

/**
 * Returns the kind of a load failure. Before the call, the caller has requested the failed file again. If the file
 * exists but does not match the registry, the kind is `integrity`. Otherwise the kind is `entry` or `chunk`.
 */
export function getErrorKind(
  { file }: RemoteFile,
  { isThere, isAsListed }: { readonly isThere: boolean; readonly isAsListed: boolean },
): LoadErrorKind {
  if (isThere && !isAsListed) return 'integrity';
  return file === REMOTE_ENTRY ? 'entry' : 'chunk';
}
