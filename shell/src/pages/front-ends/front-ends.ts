import { ApiError, type RegistryEntry, type RemoteName } from '@alpenglow/ui';
import { t } from '../text.ts';

/** The kinds of failures while a browser loads a remote (shell/server/status). */
const LOAD_ERROR_KINDS = ['registry', 'entry', 'chunk', 'integrity', 'contract', 'render'] as const;
type LoadErrorKind = (typeof LOAD_ERROR_KINDS)[number];

export interface FrontEnd {
  readonly name: RemoteName;
  /** Content hash of the deployment. This and the next three values are null if the front end is not deployed. */
  readonly hash: string | null;
  readonly contractVersion: number | null;
  readonly sizeBytes: number | null;
  readonly deployedAt: string | null;
  readonly fits: boolean;
  /** The stored deployments. The latest one comes first. */
  readonly deployments: readonly Pick<RegistryEntry, 'hash' | 'deployedAt'>[];
  readonly errors: Readonly<Record<LoadErrorKind, number>>;
  readonly lastErrorAt: string | null;
}

export interface FrontEnds {
  readonly shell: { readonly hash: string; readonly sizeBytes: number; readonly contractVersion: number };
  /** Time at which counting the errors started, ISO 8601. */
  readonly since: string;
  readonly remotes: readonly FrontEnd[];
}

/**
 * Fetches the status of the front ends from the shell's server.
 * @throws {ApiError} with a message that can be shown to the user
 */
export async function fetchFrontEnds(signal: AbortSignal): Promise<FrontEnds> {
  let response: Response;
  try {
    response = await fetch('/status/front-ends.json', { signal, headers: { Accept: 'application/json' } });
  } catch {
    throw new ApiError(t('api.network'), { status: 0, code: 'NETWORK' });
  }
  const { status } = response;
  // The cast is safe, because the shell's server wrote the JSON.
  const body = response.ok ? ((await response.json().catch(() => null)) as { readonly data?: FrontEnds } | null) : null;
  if (!body?.data) throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  return body.data;
}

/** Returns the kinds of load failures of a front end with their counts. The most frequent kind comes first. */
export function listErrors({ errors }: Pick<FrontEnd, 'errors'>) {
  return LOAD_ERROR_KINDS.map((kind) => [kind, errors[kind]] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}
