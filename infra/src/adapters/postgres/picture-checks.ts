import type { Pool } from 'pg';

/** The time after which failed items are compared again. */
const RETRY_AFTER = '10 minutes';

/** The progress of a check of published pictures. `Item` identifies the last compared item. */
export interface PictureCheck<Item> {
  readonly listVersion: string;
  readonly lastItem: Item | null;
  /** The ids of the items that failed and are compared again later. */
  readonly failed: readonly string[];
  /** The number of items that were compared or failed. */
  readonly compared: number;
  readonly startedAt: Date;
  readonly isEnded: boolean;
}

/** Stores the progress of checks of published pictures, so that a check continues after an interruption. */
export type PictureChecks = ReturnType<typeof createPictureChecks>;

export function createPictureChecks(pool: Pool) {
  async function read<Item>(name: string): Promise<PictureCheck<Item> | undefined> {
    const { rows } = await pool.query<PictureCheck<Item>>({
      name: 'picture-check-read',
      text: `select list_version as "listVersion", last_item as "lastItem", compared, failed,
                    started_at as "startedAt", ended_at is not null as "isEnded"
               from jobs.picture_checks where name = $1`,
      values: [name],
    });
    return rows[0];
  }

  return {
    /**
     * Returns the progress of a check. If the list has changed since the last call, the check begins again. `name`
     * identifies the check. This runs every few seconds, so it writes only if the list has changed.
     */
    async open<Item>(name: string, listVersion: string): Promise<PictureCheck<Item>> {
      const known = await read<Item>(name);
      if (known?.listVersion === listVersion) return known;
      await pool.query({
        name: 'picture-check-open',
        text: `insert into jobs.picture_checks as known (name, list_version) values ($1, $2)
               on conflict (name) do update
                 set list_version = excluded.list_version, last_item = null, compared = 0, started_at = now(),
                     ended_at = null, failed = '[]', retry_at = now()
               where known.list_version <> excluded.list_version`,
        values: [name, listVersion],
      });
      const check = await read<Item>(name);
      if (!check) throw new Error(`The progress of ${name} is missing`);
      return check;
    },

    /**
     * Stores that `count` further items, the last of them `lastItem`, were compared, except those that failed. If the
     * check had ended, its list has grown, so its progress is counted again.
     */
    async advance(name: string, lastItem: unknown, count: number, failed: readonly string[]): Promise<void> {
      await pool.query({
        name: 'picture-check-advance',
        text: `update jobs.picture_checks
                  set last_item = $2, compared = case when ended_at is null then compared else 0 end + $3,
                      started_at = case when ended_at is null then started_at else now() end, ended_at = null,
                      failed = failed || $4::jsonb
                where name = $1`,
        values: [name, JSON.stringify(lastItem), count, JSON.stringify(failed)],
      });
    },

    /** Returns the items that failed, at most every ten minutes. They remain stored. Otherwise returns none. */
    async readDueFailures(name: string): Promise<readonly string[]> {
      const { rows } = await pool.query<{ failed: readonly string[] }>({
        name: 'picture-check-due-failures',
        text: `update jobs.picture_checks set retry_at = now() + $2::interval
                where name = $1 and retry_at <= now() and failed <> '[]'
            returning failed`,
        values: [name, RETRY_AFTER],
      });
      return rows[0]?.failed ?? [];
    },

    /** Replaces the items that failed. */
    async setFailures(name: string, failed: readonly string[]): Promise<void> {
      await pool.query({
        name: 'picture-check-failures',
        text: 'update jobs.picture_checks set failed = $2 where name = $1',
        values: [name, JSON.stringify(failed)],
      });
    },

    /** Stores that all items were compared. */
    async end(name: string): Promise<void> {
      await pool.query({
        name: 'picture-check-end',
        text: 'update jobs.picture_checks set ended_at = now() where name = $1',
        values: [name],
      });
    },
  };
}
