import { createHmac } from 'node:crypto';
import type { CommandIds, RequestIds } from '@alpenglow/domain';
import { v7 as uuidv7 } from 'uuid';
import { drawRandomBytes } from '../security/random.ts';

/**
 * Creates the ids of a request. `seed` identifies the request and must be secret, because some ids must not be guessed.
 * `at_ms` is the time in the ids, in ms since 1970. Ids with similar times are adjacent in database indexes.
 */
export function createRequestIds({
  seed,
  at_ms,
  isRepeated,
}: {
  readonly seed: string;
  readonly at_ms: number;
  readonly isRepeated: boolean;
}): RequestIds {
  const derive = (name: string) =>
    uuidv7({ msecs: at_ms, random: createHmac('sha256', seed).update(name).digest().subarray(0, 16) });
  const countIn = (name: string) => {
    let count = 0;
    return () => derive(`${name} ${(count += 1)}`);
  };
  const commandsByStream = new Map<string, number>();
  return {
    isRepeated,
    createId: countIn('object'),
    deriveCommandIds(stream) {
      const number = (commandsByStream.get(stream) ?? 0) + 1;
      commandsByStream.set(stream, number);
      const command = `command ${number} on ${stream}`;
      return {
        toEventId: (index) => derive(`event ${index} of ${command}`),
        createDecisionIds: () => countIn(`object of ${command}`),
      };
    },
  };
}

/** The ids of a command that belongs to no request, or to a request without a key. All of them are random. */
export const RANDOM_COMMAND_IDS: CommandIds = { toEventId: createRandomId, createDecisionIds: () => createRandomId };

/** Returns a UUID of version 7. Ids that are created at about the same time are adjacent in database indexes. */
export function createRandomId(): string {
  return uuidv7({ random: drawRandomBytes(16) });
}
