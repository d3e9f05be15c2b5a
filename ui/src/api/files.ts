/** Requests that upload or download files with a session token. */
import { UPLOAD_TIMEOUT_ms, type ResponseOf } from '@alpenglow/domain/contracts';
import {
  createErrorFormatter,
  formatUploadError,
  parseErrorResponse,
  toApiError,
  type ErrorFormatter,
} from './api-error.ts';
import { errorOf, networkError, parseResponse, withoutResponse, type Api } from './client.ts';
import { createTimeLimit } from './time-limit.ts';
import { createTraceparent } from './traceparent.ts';

export interface UploadOptions {
  /** Called repeatedly during an upload. `share` is the uploaded fraction of the files, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Downloads a file that only signed-in users can read. The name of the returned file is from the `Content-Disposition`
 * header. With `body`, the request is a `POST` request with this JSON body.
 */
export async function downloadSignedIn(
  { baseUrl, requireToken, onSessionEnded }: Api,
  path: string,
  { signal, body }: { readonly signal?: AbortSignal; readonly body?: object } = {},
): Promise<File> {
  const headers = {
    Authorization: `Bearer ${requireToken()}`,
    traceparent: createTraceparent(),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const onNetworkError = (error: unknown) => {
    throw networkError(error, 'api.network');
  };
  const response = await fetch(`${baseUrl}${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    signal: createTimeLimit(UPLOAD_TIMEOUT_ms, signal),
  }).catch(onNetworkError);
  if (!response.ok) {
    if (response.status === 401) onSessionEnded?.();
    throw errorOf(response, await response.text(), createErrorFormatter(null));
  }
  const name = /filename="([^"]+)"/u.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'download';
  const blob = await response.blob().catch(onNetworkError);
  return new File([blob], name, { type: blob.type });
}

/**
 * Uploads all files in one request. `field` is the name of the form field. Uses `XMLHttpRequest`, because `fetch` does
 * not report the upload progress.
 */
export async function uploadFiles<Result>(
  { baseUrl, positions, requireToken, onSessionEnded }: Api,
  path: string,
  field: string,
  files: readonly File[],
  { onProgress, signal }: UploadOptions = {},
  formatMessage: ErrorFormatter = createErrorFormatter(null),
): Promise<Result> {
  const authorization = `Bearer ${requireToken()}`;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('POST', `${baseUrl}${path}`);
    request.timeout = UPLOAD_TIMEOUT_ms;
    request.setRequestHeader('Authorization', authorization);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('traceparent', createTraceparent());
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(withoutResponse('api.network', 'NETWORK'));
    request.ontimeout = () => reject(withoutResponse('api.uploadTimeout', 'TIMEOUT'));
    request.onabort = () => reject(withoutResponse('api.cancelled', 'CANCELLED'));
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    request.onload = () => {
      const { status, statusText, responseText } = request;
      if (status < 200 || status >= 300) {
        if (status === 401) onSessionEnded?.();
        const retryAfter = request.getResponseHeader('retry-after');
        reject(toApiError(parseErrorResponse(status, statusText, responseText, retryAfter), formatMessage));
        return;
      }
      const position = request.getResponseHeader('x-position');
      if (position) positions.recordWrite(position);
      try {
        resolve(parseResponse<Result>(responseText, status, formatMessage));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    if (signal?.aborted) {
      reject(withoutResponse('api.cancelled', 'CANCELLED'));
      return;
    }
    signal?.addEventListener('abort', abort);
    const form = new FormData();
    for (const file of files) form.append(field, file, file.name);
    request.send(form);
  });
}

/** Uploads one photo per request. */
export const uploadPhoto = (api: Api, file: File, options?: UploadOptions) =>
  uploadFiles<ResponseOf<'uploadPhotos'>>(api, '/uploads/photos', 'photos', [file], options, formatUploadError);

export const uploadVideo = (api: Api, file: File, options?: UploadOptions) =>
  uploadFiles<ResponseOf<'uploadVideo'>>(api, '/uploads/video', 'video', [file], options, formatUploadError);
