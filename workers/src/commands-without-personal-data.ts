import {
  createCommandHandler,
  withPersonalData,
  withReplacedPersonalData,
  type CommandHandler,
} from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';

/**
 * Creates a command handler for streams whose personal data cannot be decrypted. Their events have replacement values,
 * as after an erasure (decision 0073). Use it only for commands that need no personal data. It caches the states that
 * it loads, so create it for one step of an erasure or one job.
 */
export function createCommandsWithoutPersonalData({
  sealedStore,
  dataKeys,
}: Dependencies<'sealedStore' | 'dataKeys'>): CommandHandler {
  return createCommandHandler(withReplacedPersonalData(withPersonalData(sealedStore, dataKeys)));
}
