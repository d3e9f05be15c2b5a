import { STOCK_OWNER_ID, type PictureCheckView } from '@alpenglow/domain';
import { MEDIA_ITEMS, TAKEN_DOWN_PICTURES } from '@alpenglow/infra';
import type { Dependencies } from '../../dependencies.ts';

interface CheckRow {
  readonly name: PictureCheckView['name'];
  readonly compared: number;
  readonly failed: number;
  readonly waiting: number;
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

/** The published photos. `$1` is the owner of the stock pictures. */
const PHOTOS = `${MEDIA_ITEMS.table} where kind = 'photo' and status = 'ready' and owner_id <> $1`;

/**
 * The SQL query for the progress of all checks. The stored progress has the last item, so the waiting items are those
 * after it. After its end, the check of the operator's list waits for another list.
 */
const PROGRESS = `select c.name, c.compared, jsonb_array_length(c.failed) as failed, c.started_at, c.ended_at,
    (case
      when c.name = 'hash-list' then
        (select count(*) from ${PHOTOS} and c.ended_at is null and media_id > coalesce(c.last_item #>> '{}', ''))
      when c.name = 'without-hash' then
        (select count(*) from ${PHOTOS} and hash is null and not c.failed ? media_id)
      else
        (select count(*) from ${TAKEN_DOWN_PICTURES.table} t
          where (t.taken_down_at, t.picture_id)
              > (coalesce((c.last_item ->> 'at')::timestamptz, '-infinity'), coalesce(c.last_item ->> 'pictureId', '')))
    end)::int as waiting
  from jobs.picture_checks c order by c.name`;

/** Reads the progress of the checks of published pictures, as the task `check-pictures` has stored it. */
export async function readPictureChecks({ pool }: Dependencies<'pool'>): Promise<PictureCheckView[]> {
  const { rows } = await pool.query<CheckRow>({
    name: 'picture-check-progress',
    text: PROGRESS,
    values: [STOCK_OWNER_ID],
  });
  return rows.map(({ name, compared, failed, waiting, started_at, ended_at }) => {
    const isRunning = waiting > 0 || failed > 0;
    return {
      name,
      isRunning,
      since: started_at.toISOString(),
      endedAt: isRunning ? null : (ended_at?.toISOString() ?? null),
      total: compared + waiting,
      done: Math.max(0, compared - failed),
      failed,
    };
  });
}
