import type { ThreadListAnswer } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { THREAD_COLUMNS, THREAD_MEMBERS, threadCardOf, type ThreadRow } from './thread-card.ts';
import { encodeThreadCursor, THREAD_ORDERS, type ThreadOrder } from './thread-orders.ts';
import type { ThreadListQuery } from './thread-query.ts';

export type ThreadPage = Pick<ThreadListAnswer, 'data' | 'nextCursor' | 'total'>;

/** A page of threads that are to be seen, read off an index in its order; how many there are comes from the tally. */
export async function listThreads(pool: Pool, adminEmail: string | null, query: ThreadListQuery): Promise<ThreadPage> {
  const { text, values } = listStatement(query);
  const [{ rows }, { rows: counts }] = await Promise.all([
    pool.query<ThreadRow>({ text, values: [adminEmail, ...values] }),
    pool.query<{ total: number }>({
      name: 'threads-count',
      text: 'select coalesce(sum(count), 0)::int as total from rm.community_places where key = any($1)',
      values: [query.place.countKeys],
    }),
  ]);
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(threadCardOf),
    nextCursor: rows.length > shown.length && last ? cursorAt(query, last) : null,
    total: counts[0]?.total ?? 0,
  };
}

function listStatement({ place, sort, pinnedFirst, cursor, limit }: ThreadListQuery): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const values: unknown[] = [];
  const value = (one: unknown) => `$${values.push(one) + 1}`;
  const order = THREAD_ORDERS[sort];
  const conditions = [`t.status = 'visible'`];
  if (place.country !== null) conditions.push(`t.country = ${value(place.country)}`);
  if (place.state !== null) conditions.push(`t.state = ${value(place.state)}`);
  if (place.city !== null) conditions.push(`t.city = ${value(place.city)}`);
  if (cursor?.isPinned === false || cursor?.isPinned === true) {
    conditions.push(
      `(t.is_pinned, t.${order.by}, t.thread_id) < (${value(cursor.isPinned)}, ${value(cursor.value)}::${order.type}, ${value(cursor.threadId)})`,
    );
  } else if (cursor) {
    conditions.push(
      `(t.${order.by}, t.thread_id) < (${value(cursor.value)}::${order.type}, ${value(cursor.threadId)})`,
    );
  }
  const orderedBy = orderBy(order, pinnedFirst);
  const page = `select * from rm.community_threads t where ${conditions.join(' and ')} order by ${orderedBy} limit ${limit + 1}`;
  return { text: `select ${THREAD_COLUMNS} from (${page}) t ${THREAD_MEMBERS} order by ${orderedBy}`, values };
}

function orderBy({ by }: ThreadOrder, pinnedFirst: boolean): string {
  return `${pinnedFirst ? 't.is_pinned desc, ' : ''}t.${by} desc, t.thread_id desc`;
}

function cursorAt({ sort, pinnedFirst }: ThreadListQuery, row: ThreadRow): string {
  const value = row[THREAD_ORDERS[sort].by];
  return encodeThreadCursor(sort, {
    isPinned: pinnedFirst ? row.is_pinned : null,
    value: value instanceof Date ? value.toISOString() : String(value),
    threadId: row.thread_id,
  });
}
