import { comparePositions, START_POSITION, type Position } from '@alpenglow/domain';
import type { Pool } from '../adapters/postgres/pool.ts';
import type { CheckpointWaits } from './checkpoint-waits.ts';
import { withinTime } from './polling-and-slots.ts';

/** A checkpoint as a poll reads it. While a read model contains effects of lost events, its position is the start. */
interface ReadCheckpoint {
  readonly name: string;
  readonly position: Position;
  readonly id: string | null;
}

interface PollsOptions {
  readonly pool: Pool;
  readonly waits: Pick<CheckpointWaits, 'fulfill'>;
  /** Called when a poll starts. The returned function receives each checkpoint that the poll has read. */
  readonly onStart: () => (checkpoint: ReadCheckpoint) => void;
}

/** The interval of the polls, and the time after which another poll no longer waits for a poll that is running. */
export const POLL_ms = 1_000;

/** Owns the polls of the table `rm.checkpoints`: their number, the running one, and the latest result. */
export function createCheckpointPolls({ pool, waits, onStart }: PollsOptions) {
  /** Number of polls that have started. */
  let polls = 0;
  /** The result of the latest completed poll: the checkpoints by the stored name, and the time of its start in ms. */
  let polled: { readonly startedAt_ms: number; readonly positions: ReadonlyMap<string, Position> } = {
    startedAt_ms: Number.NEGATIVE_INFINITY,
    positions: new Map(),
  };
  let isPolling = false;
  let mustPollAgain = false;

  /** Reads all checkpoints, and ends the waits that they fulfill. */
  async function poll(): Promise<void> {
    polls += 1;
    const number = polls;
    const startedAt_ms = performance.now();
    const handle = onStart();
    const { rows } = await pool.query<ReadCheckpoint>({
      name: 'checkpoints-read',
      text: `select name, case when lost_position is null then position else '' end as position,
                    case when event_position = position then event_id end as id
               from rm.checkpoints`,
    });
    if (startedAt_ms > polled.startedAt_ms)
      polled = { startedAt_ms, positions: new Map(rows.map(({ name, position }) => [name, position])) };
    for (const checkpoint of rows) {
      waits.fulfill(checkpoint.name, checkpoint.position, number);
      handle(checkpoint);
    }
  }

  /** Starts a poll. If one is running, another one follows it, because the caller needs a poll that starts later. */
  function requestPoll(): void {
    if (isPolling) {
      mustPollAgain = true;
      return;
    }
    isPolling = true;
    mustPollAgain = false;
    withinTime(poll(), POLL_ms, () => new Error('Postgres did not respond in time'))
      .catch(() => undefined)
      .finally(() => {
        isPolling = false;
        if (mustPollAgain) requestPoll();
      });
  }

  return {
    poll,
    requestPoll,
    /** Returns the number of the next poll that starts. */
    nextNumber: (): number => polls + 1,
    /** Returns true if a poll that has started less than `age_ms` ago has found this position or a later one. */
    hasFound(storedName: string, position: Position, age_ms: number): boolean {
      const reached = polled.positions.get(storedName) ?? START_POSITION;
      return performance.now() - polled.startedAt_ms < age_ms && comparePositions(reached, position) >= 0;
    },
  };
}
