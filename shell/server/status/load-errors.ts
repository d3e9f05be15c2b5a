import { REMOTE_NAMES, type RemoteName } from '@alpenglow/ui/contract';

/** What can go wrong between a browser and a remote. */
export const LOAD_ERROR_KINDS = ['registry', 'entry', 'chunk', 'integrity', 'contract', 'render'] as const;
export type LoadErrorKind = (typeof LOAD_ERROR_KINDS)[number];

/** What a browser says of a failure: nothing about who or where it is. */
export interface LoadError {
  readonly remote: RemoteName;
  /** The deployment; null where none was known. */
  readonly hash: string | null;
  readonly kind: LoadErrorKind;
}

export interface LoadErrors {
  count(error: LoadError): void;
  of(remote: RemoteName): { readonly errors: Readonly<Record<LoadErrorKind, number>>; readonly lastErrorAt: string | null };
}

/** Failures since this process started, by remote and kind. */
export function createLoadErrors(onCounted: (error: LoadError) => void): LoadErrors {
  const none = () => Object.fromEntries(LOAD_ERROR_KINDS.map((kind) => [kind, 0])) as Record<LoadErrorKind, number>;
  const counts = new Map(REMOTE_NAMES.map((name) => [name, { errors: none(), lastErrorAt: null as string | null }]));
  return {
    count(error) {
      const known = counts.get(error.remote);
      if (!known) return;
      known.errors[error.kind] += 1;
      known.lastErrorAt = new Date().toISOString();
      onCounted(error);
    },
    of: (remote) => counts.get(remote) ?? { errors: none(), lastErrorAt: null },
  };
}

/** What a beacon carries, or null when that is no report of ours. */
export function parseLoadError(text: string): LoadError | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { remote, hash = null, kind } = value as Readonly<Record<string, unknown>>;
  const knownRemote = REMOTE_NAMES.find((name) => name === remote);
  const knownKind = LOAD_ERROR_KINDS.find((name) => name === kind);
  const isHash = hash === null || (typeof hash === 'string' && /^[0-9a-f]{16}$/u.test(hash));
  return knownRemote && knownKind && isHash ? { remote: knownRemote, hash, kind: knownKind } : null;
}
