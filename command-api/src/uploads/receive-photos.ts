import { DomainError, MAX_FILE_bytes, MAX_PHOTOS, type BlobStore } from '@alpenglow/domain';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { photoStorage, StorageFailed, type StoredPhoto } from './photo-storage.ts';

const FIELD = 'photos';
const MAX_TEXT_FIELDS = 20;
const MAX_TEXT_bytes = 10_000;

/**
 * Takes the photos of a multipart request into the blob store: all of them, or none. Throws NO_PHOTO, NOT_AN_IMAGE,
 * IMAGE_TOO_LARGE, TOO_MANY_PHOTOS, UPLOAD_BROKEN_OFF. Specification, section 5, "Photos".
 */
export function photoReceiver(blobs: BlobStore): (req: Request, res: Response) => Promise<readonly StoredPhoto[]> {
  const limits = { files: MAX_PHOTOS, fileSize: MAX_FILE_bytes, fields: MAX_TEXT_FIELDS, fieldSize: MAX_TEXT_bytes, headerPairs: 50 };
  const parse = multer({ storage: photoStorage(blobs), limits }).array(FIELD, MAX_PHOTOS);
  return async (req, res) => {
    await new Promise<void>((resolve, reject) => {
      parse(req, res, (error: unknown) => (error === undefined ? resolve() : reject(refusalOf(error))));
    });
    const photos = (req.files ?? []) as unknown as readonly StoredPhoto[];
    if (photos.length === 0) throw new DomainError('NO_PHOTO');
    return photos;
  };
}

/** Whatever is not the client's fault is passed on as it is. */
function refusalOf(error: unknown): Error {
  if (error instanceof DomainError) return error;
  if (error instanceof StorageFailed) return error.cause instanceof Error ? error.cause : error;
  if (!(error instanceof MulterError)) return new DomainError('UPLOAD_BROKEN_OFF');
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return new DomainError('IMAGE_TOO_LARGE');
    case 'LIMIT_FILE_COUNT':
      return new DomainError('TOO_MANY_PHOTOS');
    case 'LIMIT_UNEXPECTED_FILE':
      return new DomainError(error.field === FIELD ? 'TOO_MANY_PHOTOS' : 'NO_PHOTO');
    default:
      return new DomainError('INVALID_REQUEST');
  }
}
