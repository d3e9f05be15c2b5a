import { DomainError, type PageReader } from '@alpenglow/domain/contracts';

/** The values that the routes of pages, feeds and the sitemap have in common. */
export interface PageSource {
  /** The public origin of the site. If null, absolute URLs are created only for requests to `localhost`. */
  readonly siteUrl: string | null;
  /** Reads the data of pages. If null, pages contain no data, and there are no feeds and no sitemap. */
  readonly reads: PageReader | null;
  readonly log: { warn(fields: object, text: string): void };
}

/**
 * Waits for `file` and returns it. If the file cannot be created, logs `problem` and rejects with the error
 * UNAVAILABLE.
 */
export async function fileOrUnavailable<File>(
  log: PageSource['log'],
  file: Promise<File> | null,
  problem: string,
  retryAfter_s: number,
): Promise<File | null> {
  try {
    return await file;
  } catch (err) {
    log.warn({ err }, problem);
    throw new DomainError('UNAVAILABLE', {}, retryAfter_s);
  }
}
