/**
 * Tells the server which front end could not be loaded, for the teams that look after them (`/status/front-ends`). Names of front
 * ends and their files only, nothing of the visitor.
 */
import { REMOTE_NAMES, type RemoteName } from '@alpenglow/ui';
import { REMOTE_ENTRY } from './registry.ts';

export const LOAD_ERRORS_URL = '/status/front-ends/errors';

/** What failed: the list of remotes, a remote's first file, another of its files, what is in one, the contract it was built for, or its code while it ran. */
export type LoadErrorKind = 'registry' | 'entry' | 'chunk' | 'integrity' | 'contract' | 'render';

export interface LoadError {
  readonly remote: RemoteName;
  /** Of the deployment; empty where the registry could not say. */
  readonly hash: string;
  readonly kind: LoadErrorKind;
}

/** A page that is broken for good must not become a flood. */
const REPORTS_MAX = 5;

/** Says each failure once a page, and only a few of them. */
export function createLoadErrorReports(send: (error: LoadError) => void): (error: LoadError) => void {
  const told = new Set<string>();
  return ({ remote, hash, kind }) => {
    const key = `${remote} ${hash} ${kind}`;
    if (told.has(key) || told.size >= REPORTS_MAX) return;
    told.add(key);
    send({ remote, hash, kind });
  };
}

export interface RemoteFile {
  readonly remote: RemoteName;
  readonly hash: string;
  readonly file: string;
}

/** Whose file an address is: `/mf/mf-listings/0123456789abcdef/app.js`. Null when it is nobody's. */
export function remoteFileOf(pathname: string): RemoteFile | null {
  const [, name, hash, file] = /^\/mf\/([\w-]+)\/([0-9a-f]{16})\/([\w.-]+)$/u.exec(pathname) ?? [];
  const remote = REMOTE_NAMES.find((known) => known === name);
  return remote && hash !== undefined && file !== undefined ? { remote, hash, file } : null;
}

/** What a second look at a file that did not load says: there and not what the registry describes, it was refused for that; else it did not come. */
export function kindOf(
  { file }: RemoteFile,
  { isThere, isAsListed }: { readonly isThere: boolean; readonly isAsListed: boolean },
): LoadErrorKind {
  if (isThere && !isAsListed) return 'integrity';
  return file === REMOTE_ENTRY ? 'entry' : 'chunk';
}
