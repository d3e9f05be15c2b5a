import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { DataStore, ERRORS as TUS_ERRORS, MemoryLocker, Server, Upload } from '@tus/server';
import {
  DomainError,
  MEDIA_RULES,
  PARTIAL_UPLOAD_LIFETIME_ms,
  type ErrorCode,
  type MediaKind,
} from '@alpenglow/domain';
import { TUS_EXTENSIONS } from '@alpenglow/infra';
import { TooManyBlocks, type PartialUploads } from './partial-uploads.ts';

export interface TusRequest {
  readonly method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE';
  /** The uploads of the account that sends the request. */
  readonly uploads: PartialUploads;
  readonly kind: MediaKind;
  readonly uploadId: string;
  /** The keys of the quotas to which a new upload was added. */
  readonly quotaKeys?: readonly string[];
  /** The request with the headers and the body of the tus protocol. */
  readonly req: IncomingMessage;
}

/** The path below which the addresses of uploads are. Clients see it in `Location`. */
const PATH = '/api/uploads/resumable';

/**
 * The request headers that are passed to the tus server. PATCH requests also pass `PATCH_HEADERS`. Headers of proxies
 * are not passed, because the tus server rejects requests whose proxy headers are invalid.
 */
const TUS_HEADERS = ['tus-resumable', 'upload-length', 'upload-offset'] as const;
const PATCH_HEADERS = ['content-type', 'content-length'] as const;
const RETURNED_HEADERS = [
  'location',
  'tus-resumable',
  'upload-offset',
  'upload-length',
  'upload-expires',
  'cache-control',
];

/**
 * Creates a function that executes the requests of the tus protocol. It returns the status and the headers of a
 * successful response, and throws a `DomainError` for others. If this process still handles an older request for the
 * same upload, the new request ends it. This happens, for example, after the client has lost its connection.
 */
export function createTusServer() {
  const locker = new MemoryLocker();
  return async ({ method, uploads, kind, uploadId, quotaKeys = [], req }: TusRequest) => {
    let failure: unknown;
    const server = new Server({
      path: PATH,
      datastore: new TusStore(uploads, kind, quotaKeys),
      locker,
      maxSize: MEDIA_RULES[kind].maxBytes,
      namingFunction: () => uploadId,
      generateUrl: (_request, { path, id }) => `${path}/${id}`,
      // The API allows no other origins.
      allowedOrigins: [],
      onResponseError(_request, error) {
        if (error instanceof Error) failure = error;
        return undefined;
      },
    });
    const response = await server.handleWeb(toWebRequest(method, uploadId, req));
    if (failure instanceof TooManyBlocks) throw new DomainError('INVALID_REQUEST');
    // Errors of the protocol have a status, which the response contains.
    if (failure instanceof Error && !('status_code' in failure)) throw failure;
    if (!response.ok) throw new DomainError(toErrorCode(response.status, kind));
    const headers = RETURNED_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return { status: response.status, headers };
  };
}

function toWebRequest(method: TusRequest['method'], uploadId: string, req: IncomingMessage): Request {
  const names = method === 'PATCH' ? [...TUS_HEADERS, ...PATCH_HEADERS] : TUS_HEADERS;
  const headers = names.flatMap((name) => {
    const value = req.headers[name];
    return typeof value === 'string' ? [[name, value] satisfies [string, string]] : [];
  });
  const url = `http://localhost${PATH}${method === 'POST' ? '' : `/${uploadId}`}`;
  return method === 'PATCH'
    ? new Request(url, { method, headers, body: Readable.toWeb(req) as ReadableStream, duplex: 'half' } as RequestInit)
    : new Request(url, { method, headers });
}

function toErrorCode(status: number, kind: MediaKind): ErrorCode {
  switch (status) {
    case 404:
    case 410:
      return 'NOT_FOUND';
    case 409:
      return 'CONFLICT';
    case 413:
      return MEDIA_RULES[kind].tooLargeCode;
    case 415:
      return 'UNSUPPORTED_MEDIA_TYPE';
    default:
      return 'INVALID_REQUEST';
  }
}

/** Connects the tus server to the incomplete uploads of an account. */
class TusStore extends DataStore {
  override readonly extensions = TUS_EXTENSIONS;
  readonly #uploads: PartialUploads;
  readonly #kind: MediaKind;
  readonly #quotaKeys: readonly string[];

  constructor(uploads: PartialUploads, kind: MediaKind, quotaKeys: readonly string[]) {
    super();
    this.#quotaKeys = quotaKeys;
    this.#uploads = uploads;
    this.#kind = kind;
  }

  override async create(upload: Upload): Promise<Upload> {
    const createdAt_ms = Date.now();
    const { id: uploadId, size: sizeBytes = 0 } = upload;
    const quotaKeys = this.#quotaKeys;
    await this.#uploads.create({ uploadId, kind: this.#kind, sizeBytes, createdAt_ms, quotaKeys });
    upload.creation_date = new Date(createdAt_ms).toISOString();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const found = await this.#uploads.find(id);
    // The tus server expects this object, which is no `Error`.
    // oxlint-disable-next-line typescript/only-throw-error
    if (!found) throw TUS_ERRORS.FILE_NOT_FOUND;
    const { sizeBytes: size, offset, createdAt_ms } = found;
    return new Upload({ id, size, offset, creation_date: new Date(createdAt_ms).toISOString() });
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(id, offset, stream);
  }

  override remove(id: string): Promise<void> {
    return this.#uploads.remove(id);
  }

  override getExpiration(): number {
    return PARTIAL_UPLOAD_LIFETIME_ms;
  }
}
