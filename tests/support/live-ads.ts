import { isAdMessage, type LiveMessage } from '@alpenglow/domain';

/** Returns the id of the ad in a live message. Returns an empty string for a message about a thread. */
export function adIdOf(message: LiveMessage): string {
  return isAdMessage(message) ? message.adId : '';
}
