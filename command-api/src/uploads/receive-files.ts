import { DomainError, MEDIA_RULES, type BlobStore } from '@alpenglow/domain';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import type { UploadKind } from './kinds.ts';
import { StorageFailed, uploadStorage, type StoredFile } from './upload-storage.ts';

const MAX_TEXT_FIELDS = 20;
const MAX_TEXT_bytes = 10_000;

/**
 * Takes the files of a multipart request into the blob store: all of them, or none. Throws the codes of this kind for what is
 * missing, not of its type, too large or too many, and UPLOAD_BROKEN_OFF. Specification, section 5, "Photos" and "Video".
 */
export function fileReceiver(
  blobs: BlobStore,
  upload: UploadKind,
): (req: Request, res: Response) => Promise<readonly StoredFile[]> {
  const { kind, field, maxFiles } = upload;
  const { maxBytes, missing } = MEDIA_RULES[kind];
  const limits = {
    files: maxFiles,
    fileSize: maxBytes,
    fields: MAX_TEXT_FIELDS,
    fieldSize: MAX_TEXT_bytes,
    headerPairs: 50,
  };
  const parse = multer({ storage: uploadStorage(blobs, kind), limits }).array(field, maxFiles);
  return async (req, res) => {
    await new Promise<void>((resolve, reject) => {
      parse(req, res, (error: unknown) => (error === undefined ? resolve() : reject(refusalOf(error, upload))));
    });
    const files = (req.files ?? []) as unknown as readonly StoredFile[];
    if (files.length === 0) throw new DomainError(missing);
    return files;
  };
}

/** Whatever is not the client's fault is passed on as it is. */
function refusalOf(error: unknown, { kind, field, tooMany }: UploadKind): Error {
  if (error instanceof DomainError) return error;
  if (error instanceof StorageFailed) return error.cause instanceof Error ? error.cause : error;
  if (!(error instanceof MulterError)) return new DomainError('UPLOAD_BROKEN_OFF');
  const { tooLarge, missing } = MEDIA_RULES[kind];
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return new DomainError(tooLarge);
    case 'LIMIT_FILE_COUNT':
      return new DomainError(tooMany);
    case 'LIMIT_UNEXPECTED_FILE':
      return new DomainError(error.field === field ? tooMany : missing);
    default:
      return new DomainError('INVALID_REQUEST');
  }
}
