import { ApiError, createTraceparent, type RegistryEntry, type RemoteName } from '@alpenglow/ui';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { t } from '../text.ts';

export interface FrontEnd {
  readonly name: RemoteName;
  /** Content hash of the deployment. This and the next three values are null if the front end is not deployed. */
  readonly hash: string | null;
  readonly contract: string | null;
  readonly sizeBytes: number | null;
  readonly deployedAt: string | null;
  readonly fits: boolean;
  /** The deployment that a part of all browsers gets, or null. */
  readonly canary: { readonly hash: string; readonly percent: number } | null;
  /** The stored deployments. The latest one comes first. */
  readonly deployments: readonly StoredDeployment[];
}

interface StoredDeployment extends Pick<RegistryEntry, 'hash' | 'deployedAt' | 'contract'> {
  /** True if a shell runs it. Shells with other versions of the contract run other deployments. */
  readonly isLive: boolean;
  readonly isRolledBack: boolean;
  /** True if it was never live, and only browsers with the link of the preview get it. */
  readonly isPreview: boolean;
  /** True if its deployer has skipped the check of types and tests. Older servers do not state it. */
  readonly isForced?: boolean;
  /** Why the server has rolled it back, in English. Null if it has not. */
  readonly reason: string | null;
}

export type Statistics = ResponseOf<'getFrontEndStatistics'>['data'];
export type DeploymentStatistics = Statistics['deployments'][number];

interface Deployments {
  readonly shell: { readonly hash: string; readonly sizeBytes: number; readonly contractVersion: string };
  readonly remotes: readonly FrontEnd[];
}

export interface FrontEnds extends Deployments {
  /** The errors and speeds that browsers have reported. Null if they could not be loaded. */
  readonly statistics: Statistics | null;
}

/**
 * Fetches the deployments of the front ends from the shell's server, and their statistics from the API.
 * @throws {ApiError} with a message that can be shown to the user
 */
export async function fetchFrontEnds(signal: AbortSignal): Promise<FrontEnds> {
  const [deployments, statistics] = await Promise.all([
    fetchData<Deployments>('/status/front-ends.json', signal),
    fetchData<Statistics>('/api/front-ends/statistics', signal).catch(() => null),
  ]);
  return { ...deployments, statistics };
}

async function fetchData<Data>(path: string, signal: AbortSignal): Promise<Data> {
  let response: Response;
  try {
    response = await fetch(path, { signal, headers: { Accept: 'application/json', traceparent: createTraceparent() } });
  } catch {
    throw new ApiError(t('api.network'), { status: 0, code: 'NETWORK' });
  }
  const { status } = response;
  // The cast is safe, because servers of this site wrote the JSON.
  const body = response.ok ? ((await response.json().catch(() => null)) as { readonly data?: Data } | null) : null;
  if (!body?.data) throw new ApiError(t('api.http', { status }), { status, code: 'BAD_ANSWER' });
  return body.data;
}

/** Returns the reported errors of a deployment. The most frequent kind comes first. */
export const sortErrors = ({ errors }: Pick<DeploymentStatistics, 'errors'>): DeploymentStatistics['errors'] =>
  [...errors].sort((a, b) => b.count - a.count);
