import { DomainError, MEDIA_RULES, type BlobStore } from '@alpenglow/domain';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { requireProgress, type ProgressLimits } from './require-progress.ts';
import type { UploadKind } from './upload-kinds.ts';
import { StorageError, createUploadStorage, type StoredFile } from './upload-storage.ts';

const MAX_TEXT_FIELDS = 20;
const MAX_TEXT_bytes = 10_000;

/**
 * Creates a function that stores the uploaded files of a multipart request in the blob store. The function stores
 * either all files or none. If files are missing, too many, too large or of a wrong type, it throws the error code for
 * this kind of upload. It throws UPLOAD_BROKEN_OFF for a request that is interrupted or too slow (R-5.14 to,
 *
 */
export function createFileReceiver(
  blobs: BlobStore,
  upload: UploadKind,
  progress: ProgressLimits,
): (req: Request, res: Response) => Promise<readonly StoredFile[]> {
  const { kind, field, maxFiles } = upload;
  const { maxBytes, missingCode } = MEDIA_RULES[kind];
  const limits = {
    files: maxFiles,
    fileSize: maxBytes,
    fields: MAX_TEXT_FIELDS,
    fieldSize: MAX_TEXT_bytes,
    headerPairs: 50,
  };
  const parse = multer({ storage: createUploadStorage(blobs, kind), limits }).array(field, maxFiles);
  return async (req, res) => {
    await new Promise<void>((resolve, reject) => {
      const stopChecks = requireProgress(req, progress, () => {
        // The rest of the body is not read. Node does not abort a request that has a response, so it is aborted here.
        // The parser then removes the files that were stored.
        res.setHeader('Connection', 'close');
        req.socket.once('close', () => req.destroy());
        reject(new DomainError('UPLOAD_BROKEN_OFF'));
      });
      parse(req, res, (error: unknown) => {
        stopChecks();
        if (error === undefined) resolve();
        else reject(toDomainError(error, upload));
      });
    });
    const files = (req.files ?? []) as unknown as readonly StoredFile[];
    if (files.length === 0) throw new DomainError(missingCode);
    return files;
  };
}

/**
 * Converts an error of the upload parser to a domain error. If the blob store has failed, returns the original error of
 * the blob store instead.
 */
function toDomainError(error: unknown, { kind, field, tooManyCode }: UploadKind): Error {
  if (error instanceof DomainError) return error;
  if (error instanceof StorageError) return error.cause instanceof Error ? error.cause : error;
  if (!(error instanceof MulterError)) return new DomainError('UPLOAD_BROKEN_OFF');
  const { tooLargeCode, missingCode } = MEDIA_RULES[kind];
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return new DomainError(tooLargeCode);
    case 'LIMIT_FILE_COUNT':
      return new DomainError(tooManyCode);
    case 'LIMIT_UNEXPECTED_FILE':
      return new DomainError(error.field === field ? tooManyCode : missingCode);
    default:
      return new DomainError('INVALID_REQUEST');
  }
}
