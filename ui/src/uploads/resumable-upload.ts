import { RESUMABLE_MIN_bytes, type PhotoUploadResponse, type VideoUploadResponse } from '@alpenglow/domain/contracts';
import type { DetailedError, Upload } from 'tus-js-client';
import { ApiError, isApiError } from '../api/api-error.ts';
import type { Api } from '../api/client.ts';
import { parseObject } from '../api/parse-object.ts';
import { t } from '../i18n/i18n.ts';
import { translateServerText } from '../i18n/server-text.ts';
import type { ResumableOptions, Uploads } from './uploads.ts';

const PATH = '/uploads/resumable';
const ENDPOINTS = { photo: `/api${PATH}/photos`, video: `/api${PATH}/video` } as const;
/** The time without progress after which the connection counts as lost. */
const STALL_ms = 60_000;

/**
 * Returns the functions that upload a photo or a video with a session token. Small files are sent in one request,
 * because sending them again takes less time than the additional requests of a resumable upload.
 */
export function createUploads(api: Api, token: string): Uploads {
  const isResumable = (file: File, { uploadId }: ResumableOptions) =>
    uploadId !== null || file.size >= RESUMABLE_MIN_bytes;
  return {
    photo: (file, options) =>
      isResumable(file, options)
        ? uploadResumable<PhotoUploadResponse>({ api, token, kind: 'photo', file }, options)
        : api.uploadPhotos(file, options),
    video: (file, options) =>
      isResumable(file, options)
        ? uploadResumable<VideoUploadResponse>({ api, token, kind: 'video', file }, options)
        : api.uploadVideo(file, options),
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
  return api.requestWithToken<Result>({ method: 'POST', path: `${PATH}/${uploadId}/finish`, signal });
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
        reject(networkError());
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
        reject(toApiError(error));
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

function toApiError(error: Error | DetailedError): Error {
  const response = 'originalResponse' in error ? error.originalResponse : null;
  if (!response) return 'originalRequest' in error ? networkError() : error;
  const status = response.getStatus();
  const { message, code } = parseObject(response.getBody()) ?? {};
  const reason = typeof message === 'string' ? translateServerText(message) : '';
  return new ApiError(t('api.uploadFailed', { status, reason }), {
    status,
    code: typeof code === 'string' ? code : 'UNKNOWN',
  });
}
