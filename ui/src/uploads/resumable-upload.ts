import { RESUMABLE_MIN_bytes, type ResponseOf } from '@alpenglow/domain/contracts';
import type { DetailedError, Upload } from 'tus-js-client';
import { ApiError, formatUploadError, isApiError, parseErrorResponse, toApiError } from '../api/api-error.ts';
import type { Api } from '../api/client.ts';
import { uploadPhoto, uploadVideo } from '../api/files.ts';
import { createTimeLimit } from '../api/time-limit.ts';
import { createTraceparent } from '../api/traceparent.ts';
import { t } from '../i18n/i18n.ts';
import type { ResumableOptions, Uploads } from './uploads.ts';
import { isPermanentError } from './with-retries.ts';

const PATH = '/uploads/resumable';
const ENDPOINTS = { photo: `/api${PATH}/photos`, video: `/api${PATH}/video` } as const;
/** The time without progress after which the connection counts as lost. */
const STALL_ms = 60_000;
/** The maximum time of a request that asks for the state of an upload. */
const CHECK_ms = 10_000;
/** The code of an error response that does not come from the API. */
const UNKNOWN_CODE = 'UNKNOWN';
const NOT_IMPLEMENTED = 501;

/** Some networks reject requests with the method PATCH, which resumable uploads need. */
class PatchBlocked extends Error {
  override readonly name = 'PatchBlocked';
}

/**
 * Returns the functions that upload a photo or a video with a session token. Small files are sent in one request,
 * because sending them again takes less time than the additional requests of a resumable upload. In a network
 * that blocks PATCH, large files are sent in one request, too.
 */
export function createUploads(api: Api, token: string): Uploads {
  let isPatchBlocked = false;
  async function upload<Result>(
    kind: ResumableFile['kind'],
    file: File,
    options: ResumableOptions,
    sendWhole: (file: File, options: ResumableOptions) => Promise<Result>,
  ): Promise<Result> {
    const isLarge = file.size >= RESUMABLE_MIN_bytes && !isPatchBlocked;
    if (options.uploadId === null && !isLarge) return sendWhole(file, options);
    try {
      return await uploadResumable<Result>({ api, token, kind, file }, options);
    } catch (error) {
      if (!(error instanceof PatchBlocked)) throw error;
    }
    const result = await sendWhole(file, options);
    isPatchBlocked = true;
    // The upload that could not continue has no bytes, and expires on the server.
    options.onUploadId(null);
    return result;
  }
  return {
    photo: (file, options) =>
      upload<ResponseOf<'uploadPhotos'>>('photo', file, options, (...request) => uploadPhoto(api, ...request)),
    video: (file, options) =>
      upload<ResponseOf<'uploadVideo'>>('video', file, options, (...request) => uploadVideo(api, ...request)),
  };
}

interface ResumableFile {
  readonly api: Api;
  readonly token: string;
  readonly kind: keyof typeof ENDPOINTS;
  readonly file: File;
}

/** Sends the missing bytes of a file, and waits for the server's check. Begins again if the upload has expired. */
async function uploadResumable<Result>(source: ResumableFile, options: ResumableOptions): Promise<Result> {
  try {
    return await finish<Result>(source, await sendBytes(source, options), options);
  } catch (error) {
    if (options.uploadId === null || !isNotFound(error)) throw error;
    // The upload has expired, or it was finished and only the response was lost.
    try {
      return await finish<Result>(source, options.uploadId, options);
    } catch (finishError) {
      if (!isNotFound(finishError)) throw finishError;
    }
    options.onUploadId(null);
    return uploadResumable(source, { ...options, uploadId: null });
  }
}

const isNotFound = (error: unknown) => isApiError(error) && error.status === 404;

function finish<Result>(
  { api }: ResumableFile,
  uploadId: string,
  { signal }: Pick<ResumableOptions, 'signal'>,
): Promise<Result> {
  const request = { method: 'POST', path: `${PATH}/${uploadId}/finish`, signal } as const;
  const finished = api.requestWithToken<'finishUpload'>({ ...request, formatMessage: formatUploadError });
  return finished as Promise<Result>;
}

/** Sends the bytes that the server does not have. Returns the id of the upload. */
async function sendBytes(
  { token, kind, file }: ResumableFile,
  { uploadId, onUploadId, onProgress, signal }: ResumableOptions,
): Promise<string> {
  const { Upload: TusUpload } = await import(/* webpackChunkName: "tus" */ 'tus-js-client').catch(() => {
    throw networkError();
  });
  return new Promise((resolve, reject) => {
    let stallTimer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(stallTimer);
      signal?.removeEventListener('abort', cancel);
    };
    const watch = () => {
      clearTimeout(stallTimer);
      stallTimer = setTimeout(() => {
        end();
        void upload.abort();
        // A network that discards PATCH requests sends no response.
        hasReceivedNothing(upload.url, token)
          .then((hasNothing) => reject(hasNothing ? new PatchBlocked() : networkError()))
          .catch(reject);
      }, STALL_ms);
    };
    const cancel = () => {
      end();
      // Also removes the bytes on the server. If this fails, the upload expires there.
      upload.abort(true).catch(() => undefined);
      reject(new ApiError(t('api.cancelled'), { status: 0, code: 'CANCELLED' }));
    };
    const upload: Upload = new TusUpload(file, {
      // With an endpoint, the library would begin a new upload after any failure to resume one.
      ...(uploadId === null ? { endpoint: ENDPOINTS[kind] } : { uploadUrl: `/api${PATH}/${uploadId}` }),
      headers: { Authorization: `Bearer ${token}` },
      onBeforeRequest: (request) => request.setHeader('traceparent', createTraceparent()),
      // The caller repeats failed uploads, and stores the id of the upload.
      retryDelays: null,
      storeFingerprintForResuming: false,
      onUploadUrlAvailable: () => onUploadId(idOf(upload)),
      onProgress(sent_bytes, total_bytes) {
        watch();
        onProgress?.(total_bytes > 0 ? sent_bytes / total_bytes : 0);
      },
      onSuccess() {
        end();
        resolve(idOf(upload));
      },
      onError(error) {
        end();
        isBlocked(error, upload.url, token)
          .then((blocked) => reject(blocked ? new PatchBlocked() : toUploadError(error)))
          .catch(reject);
      },
    });
    if (signal?.aborted) {
      cancel();
      return;
    }
    signal?.addEventListener('abort', cancel);
    watch();
    upload.start();
  });
}

const idOf = ({ url }: Upload): string => url?.split('/').at(-1) ?? '';

const networkError = () => new ApiError(t('api.network'), { status: 0, code: 'NETWORK' });

/**
 * Checks whether a network between browser and server has rejected a PATCH request. Its response has no error code of
 * the API. If there is no response, or one of a gateway that has failed, the server can be reached, but has received
 * nothing.
 */
async function isBlocked(error: Error | DetailedError, url: string | null, token: string): Promise<boolean> {
  if (!('originalRequest' in error) || error.originalRequest.getMethod() !== 'PATCH') return false;
  if (!error.originalResponse) return hasReceivedNothing(url, token);
  const rejection = toUploadError(error);
  if (!isApiError(rejection) || rejection.code !== UNKNOWN_CODE) return false;
  if (rejection.status === NOT_IMPLEMENTED || isPermanentError(rejection)) return true;
  return rejection.status >= 500 && hasReceivedNothing(url, token);
}

/**
 * Checks whether the server knows an upload and has received none of its bytes. Returns false if the server cannot be
 * reached.
 */
async function hasReceivedNothing(url: string | null, token: string): Promise<boolean> {
  if (url === null) return false;
  const headers = {
    Authorization: `Bearer ${token}`,
    'Tus-Resumable': '1.0.0',
    traceparent: createTraceparent(),
  };
  const response = await fetch(url, { method: 'HEAD', headers, signal: createTimeLimit(CHECK_ms) }).catch(() => null);
  const offset = response?.ok ? response.headers.get('Upload-Offset') : null;
  return offset === '0';
}

/** Returns the error of a failed request with the same message as that of a small upload. */
function toUploadError(error: Error | DetailedError): Error {
  const response = 'originalResponse' in error ? error.originalResponse : null;
  if (!response) return 'originalRequest' in error ? networkError() : error;
  const retryAfter = response.getHeader('Retry-After') ?? null;
  return toApiError(parseErrorResponse(response.getStatus(), '', response.getBody(), retryAfter), formatUploadError);
}
