import { ApiError, type RemoteName } from '@alpenglow/ui';
import { t } from '../text.ts';

/** What can go wrong between a browser and a remote (shell/server/status). */
export const LOAD_ERROR_KINDS = ['registry', 'entry', 'chunk', 'integrity', 'contract', 'render'] as const;
export type LoadErrorKind = (typeof LOAD_ERROR_KINDS)[number];

export interface Deployment {
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly deployedAt: string;
}

export interface FrontEnd {
  readonly name: RemoteName;
  /** All four null while it is not deployed. */
  readonly hash: string | null;
  readonly contractVersion: number | null;
  readonly sizeBytes: number | null;
  readonly deployedAt: string | null;
  /** Whether its contract is the shell's. */
  readonly fits: boolean;
  /** Those kept, the latest first. */
  readonly deployments: readonly Deployment[];
  readonly errors: Readonly<Record<LoadErrorKind, number>>;
  readonly lastErrorAt: string | null;
}

export interface FrontEnds {
  readonly shell: { readonly hash: string; readonly sizeBytes: number; readonly contractVersion: number };
  /** Since when errors are counted. */
  readonly since: string;
  readonly remotes: readonly FrontEnd[];
}

/** Asks the shell's server. @throws ApiError that can be shown */
export async function readFrontEnds(signal: AbortSignal): Promise<FrontEnds> {
  let answer: Response;
  try {
    answer = await fetch('/status/front-ends.json', { signal, headers: { Accept: 'application/json' } });
  } catch {
    throw new ApiError(t('api.network'), { status: 0, code: 'NETWORK' });
  }
  const { status } = answer;
  // Written by this project's own server.
  const body = answer.ok ? ((await answer.json().catch(() => null)) as { readonly data?: FrontEnds } | null) : null;
  if (!body?.data) throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  return body.data;
}

/** The kinds of errors a front end had, the most frequent first. */
export function errorsOf({
  errors,
}: Pick<FrontEnd, 'errors'>): readonly (readonly [kind: LoadErrorKind, count: number])[] {
  return LOAD_ERROR_KINDS.map((kind) => [kind, errors[kind]] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}
