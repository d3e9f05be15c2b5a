import { REMOTE_NAMES, type RemoteName } from '@alpenglow/ui/contract';
import { parseObject } from '@alpenglow/ui/parse-object';

const LOAD_ERROR_KINDS = ['registry', 'entry', 'chunk', 'integrity', 'contract', 'render'] as const;
type LoadErrorKind = (typeof LOAD_ERROR_KINDS)[number];

/** A browser's report that a front end failed to load. It contains no data about the visitor or the page. */
export interface LoadError {
  readonly remote: RemoteName;
  /** The hash of the failed deployment. It is null if the hash is unknown. */
  readonly hash: string | null;
  readonly kind: LoadErrorKind;
}

interface RemoteErrors {
  readonly errors: Readonly<Record<LoadErrorKind, number>>;
  /** The time of the latest report. It is null if there was no report. */
  readonly lastErrorAt: string | null;
  readonly lastErrorHash: string | null;
}

/** Creates counters of load failures by remote and kind. Counting starts when this process starts. */
export function createLoadErrors(onCounted: (error: LoadError) => void) {
  const none = Object.fromEntries(LOAD_ERROR_KINDS.map((kind) => [kind, 0])) as Record<LoadErrorKind, number>;
  const byRemote = new Map<RemoteName, RemoteErrors>();
  const of = (remote: RemoteName): RemoteErrors =>
    byRemote.get(remote) ?? { errors: none, lastErrorAt: null, lastErrorHash: null };
  return {
    count(error: LoadError): void {
      const { remote, hash, kind } = error;
      const { errors } = of(remote);
      byRemote.set(remote, {
        errors: { ...errors, [kind]: errors[kind] + 1 },
        lastErrorAt: new Date().toISOString(),
        lastErrorHash: hash,
      });
      onCounted(error);
    },
    of,
  };
}

/** Parses the body of a browser's report. Returns null if the body is not a valid report. */
export function parseLoadError(text: string): LoadError | null {
  const { remote, hash, kind } = parseObject(text) ?? {};
  const knownRemote = REMOTE_NAMES.find((name) => name === remote);
  const knownKind = LOAD_ERROR_KINDS.find((name) => name === kind);
  if (!knownRemote || !knownKind || typeof hash !== 'string' || !/^(?:[0-9a-f]{16})?$/u.test(hash)) return null;
  return { remote: knownRemote, hash: hash || null, kind: knownKind };
}
