/** Requests about the state of the server. */
import { HEALTH_TIMEOUT_ms } from '@alpenglow/domain/contracts';
import { createErrorFormatter } from './api-error.ts';
import type { Api } from './client.ts';

export const getHealth = (api: Api, signal?: AbortSignal) =>
  api.request<'getHealth'>({ path: '/health', signal, timeout_ms: HEALTH_TIMEOUT_ms });

export const getSyncStatus = (api: Api, signal?: AbortSignal) =>
  api.request<'getSyncStatus'>({
    path: '/sync/status',
    signal,
    formatMessage: createErrorFormatter('api.syncStatusFailed'),
  });

export const forceSync = (api: Api) =>
  api.request<'forceSync'>({
    method: 'POST',
    path: '/sync/force',
    formatMessage: createErrorFormatter('api.syncForceFailed'),
  });
