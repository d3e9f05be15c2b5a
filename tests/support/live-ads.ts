import { isAdMessage, type LiveMessage } from '@alpenglow/domain';

/** The ad a live message is about; empty for one of a thread, which no ad's id equals. */
export function adIdOf(message: LiveMessage): string {
  return isAdMessage(message) ? message.adId : '';
}
