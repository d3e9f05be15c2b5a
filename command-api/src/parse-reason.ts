import type { InputOf } from '@alpenglow/domain/api';
import { getInput, type InputRequest } from '@alpenglow/infra';

/**
 * Returns the reason that a member of staff gives for an action, or null if the request contains none. The
 * reason is encrypted in the event. Throws INVALID_FIELDS.
 */
export function parseReason(req: InputRequest<InputOf<'clearVerificationCode' | 'removeReview'>>): string | null {
  return getInput(req).reason;
}
