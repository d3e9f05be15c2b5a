import { createHmac } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { drawRandomBytes } from '../security/random.ts';

/**
 * Derives the ids of everything that one request creates. Another attempt of the same request derives the same ids, so
 * the event store recognizes events that an earlier attempt has already written (decision 0072).
 */
export interface RequestIds {
  /** True if an earlier attempt of the request may have written events without a response to the client. */
  readonly isRepeated: boolean;
  /** Returns the id of the next object that the request creates, e.g. of a report. */
  createId(): string;
  /**
   * Returns the ids of the next command of the request on a stream. Every attempt must call this function for the
   * commands on one stream in the same order.
   */
  deriveCommandIds(stream: string): CommandIds;
}

/** The ids of one command. */
export interface CommandIds {
  /** Returns the id of the event with this index in the result of the command. */
  toEventId(index: number): string;
  /** Returns a function that creates the ids of a decider. Every attempt to decide needs its own function. */
  createDecisionIds(): () => string;
}

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
