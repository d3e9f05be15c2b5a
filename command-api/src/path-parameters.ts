import { AD_ID_PATTERN, DomainError, REVIEW_ID_PATTERN, THREAD_ID, type ErrorCode } from '@alpenglow/domain';
import type { Request } from 'express';

const USER_ID = /^[\w-]{1,64}$/u;
const POST_NUMBER = /^\d{1,7}$/u;

/**
 * Returns the parameter `name` of the request path. Throws an error with `code` if the parameter does not match
 * `pattern`.
 */
export function parsePathParameter(req: Request, name: string, pattern: RegExp, code: ErrorCode): string {
  const value = req.params[name];
  if (typeof value !== 'string' || !pattern.test(value)) throw new DomainError(code);
  return value;
}

/** Returns the ad id in the request path. Throws AD_NOT_FOUND if the id is not valid. */
export const parseAdId = (req: Request): string => parsePathParameter(req, 'id', AD_ID_PATTERN, 'AD_NOT_FOUND');

/** Returns the review id in the request path. Throws REVIEW_NOT_FOUND if the id is not valid. */
export const parseReviewId = (req: Request): string =>
  parsePathParameter(req, 'reviewId', REVIEW_ID_PATTERN, 'REVIEW_NOT_FOUND');

/** Returns the user id in the request path. Throws USER_NOT_FOUND if the id is not valid. */
export const parseUserId = (req: Request): string => parsePathParameter(req, 'id', USER_ID, 'USER_NOT_FOUND');

/** Returns the thread id in the request path. Throws THREAD_NOT_FOUND if the id is not valid. */
export const parseThreadId = (req: Request): string => parsePathParameter(req, 'id', THREAD_ID, 'THREAD_NOT_FOUND');

/** Returns the post number in the request path. Throws POST_NOT_FOUND if the number is not valid. */
export const parsePostNumber = (req: Request): number =>
  Number(parsePathParameter(req, 'number', POST_NUMBER, 'POST_NOT_FOUND'));
