/** Requests about the state of the server. */
import { HEALTH_TIMEOUT_ms, type SyncResponse } from '@alpenglow/domain/contracts';
import { createErrorFormatter } from './api-error.ts';
import type { Api } from './client.ts';

export interface HealthResponse {
  readonly success: boolean;
  readonly status: string;
  readonly version?: string;
  readonly time?: string;
}

export const getHealth = (api: Api, signal?: AbortSignal) =>
  api.request<HealthResponse>({ path: '/health', signal, timeout_ms: HEALTH_TIMEOUT_ms });

export const getSyncStatus = (api: Api, signal?: AbortSignal) =>
  api.request<SyncResponse>({
    path: '/sync/status',
    signal,
    formatMessage: createErrorFormatter('api.syncStatusFailed'),
  });

export const forceSync = (api: Api) =>
  api.request<SyncResponse>({
    method: 'POST',
    path: '/sync/force',
    formatMessage: createErrorFormatter('api.syncForceFailed'),
  });
