// @ts-check
/**
 * @typedef {'NOT_AN_IMAGE' | 'IMAGE_DAMAGED' | 'TOO_MANY_PIXELS'} PhotoRejectionCode
 * @typedef {'NOT_A_VIDEO' | 'VIDEO_DAMAGED' | 'VIDEO_NOT_SUPPORTED' | 'VIDEO_TOO_LONG'
 *   | 'VIDEO_TRIMMED'} VideoRejectionCode
 * @typedef {PhotoRejectionCode | VideoRejectionCode | 'FILE_NOT_READABLE'} RejectionCode
 */

/** Error for a file that cannot be used. Its code is an error code of the product. */
export class RejectedFile extends Error {
  /**
   * @param {RejectionCode} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'RejectedFile';
    this.code = code;
  }
}

/**
 * Calls `read` and returns its result. An error that the content of a file causes becomes a rejection with this code.
 * An error of the operating system, such as a full disk, is not caused by the file.
 * @template T
 * @param {RejectionCode} code
 * @param {() => Promise<T>} read
 * @returns {Promise<T>}
 */
export async function rejecting(code, read) {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RejectedFile) throw error;
    if (error instanceof Error && 'syscall' in error) throw error;
    throw new RejectedFile(code, error instanceof Error ? error.message : 'unreadable', { cause: error });
  }
}
