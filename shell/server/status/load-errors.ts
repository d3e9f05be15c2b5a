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

export interface RemoteErrors {
  readonly errors: Readonly<Record<LoadErrorKind, number>>;
  /** When the last one was reported, and of which deployment; null while there was none. */
  readonly lastErrorAt: string | null;
  readonly lastErrorHash: string | null;
}

export interface LoadErrors {
  count(error: LoadError): void;
  of(remote: RemoteName): RemoteErrors;
}

/** Failures since this process started, by remote and kind. */
export function createLoadErrors(onCounted: (error: LoadError) => void): LoadErrors {
  const none = Object.fromEntries(LOAD_ERROR_KINDS.map((kind) => [kind, 0])) as Record<LoadErrorKind, number>;
  const known = new Map<RemoteName, RemoteErrors>();
  const of = (remote: RemoteName) => known.get(remote) ?? { errors: none, lastErrorAt: null, lastErrorHash: null };
  return {
    count(error) {
      const { remote, hash, kind } = error;
      const { errors } = of(remote);
      known.set(remote, {
        errors: { ...errors, [kind]: errors[kind] + 1 },
        lastErrorAt: new Date().toISOString(),
        lastErrorHash: hash,
      });
      onCounted(error);
    },
    of,
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
  const { remote, hash, kind } = value as Readonly<Record<string, unknown>>;
  const knownRemote = REMOTE_NAMES.find((name) => name === remote);
  const knownKind = LOAD_ERROR_KINDS.find((name) => name === kind);
  if (!knownRemote || !knownKind || typeof hash !== 'string' || !/^(?:[0-9a-f]{16})?$/u.test(hash)) return null;
  return { remote: knownRemote, hash: hash || null, kind: knownKind };
}
