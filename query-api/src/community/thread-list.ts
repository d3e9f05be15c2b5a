import type { ResponseOf } from '@alpenglow/domain';
import { COMMUNITY_PLACES, COMMUNITY_THREADS, type ReadPool } from '@alpenglow/infra';
import { cutPage } from '../paging.ts';
import { THREAD_COLUMNS, THREAD_JOINS, createThreadCard, type ThreadRow } from './thread-card.ts';
import { encodeThreadCursor, THREAD_ORDERS, type ThreadOrder } from './thread-orders.ts';
import type { ThreadListQuery } from './thread-query.ts';

export type ThreadPage = Pick<ResponseOf<'listThreads'>, 'data' | 'nextCursor' | 'total'>;

/**
 * Reads a page of visible community threads with an index. The total number of threads is calculated from stored
 * counts.
 */
export async function listThreads(
  reads: ReadPool,
  adminEmail: string | null,
  query: ThreadListQuery,
): Promise<ThreadPage> {
  const { text, values } = createStatement(query);
  const [{ rows }, { rows: counts }] = await Promise.all([
    reads.query<ThreadRow>({ text, values: [adminEmail, ...values] }),
    reads.query<{ total: number }>({
      name: 'threads-count',
      text: `select coalesce(sum(count), 0)::int as total from ${COMMUNITY_PLACES.table} where key = any($1)`,
      values: [query.place.countKeys],
    }),
  ]);
  const page = cutPage(rows, query.limit, (last) => createCursor(query, last));
  return {
    data: page.rows.map((row) => createThreadCard(row)),
    nextCursor: page.nextCursor,
    total: counts[0]?.total ?? 0,
  };
}

function createStatement({ place, sort, pinnedFirst, cursor, limit }: ThreadListQuery): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const values: unknown[] = [];
  const placeholder = (value: unknown) => `$${values.push(value) + 1}`;
  const order = THREAD_ORDERS[sort];
  const conditions = [`t.status = 'visible'`];
  if (place.country !== null) conditions.push(`t.country = ${placeholder(place.country)}`);
  if (place.state !== null) conditions.push(`t.state = ${placeholder(place.state)}`);
  if (place.city !== null) conditions.push(`t.city = ${placeholder(place.city)}`);
  if (cursor?.isPinned === false || cursor?.isPinned === true) {
    conditions.push(
      `(t.is_pinned, t.${order.by}, t.thread_id)
        < (${placeholder(cursor.isPinned)}, ${placeholder(cursor.value)}::${order.type},
        ${placeholder(cursor.threadId)})`,
    );
  } else if (cursor) {
    conditions.push(
      `(t.${order.by}, t.thread_id) < (${placeholder(cursor.value)}::${order.type}, ${placeholder(cursor.threadId)})`,
    );
  }
  const orderedBy = orderBy(order, pinnedFirst);
  const page = `select * from ${COMMUNITY_THREADS.table} t
    where ${conditions.join(' and ')}
    order by ${orderedBy} limit ${limit + 1}`;
  return { text: `select ${THREAD_COLUMNS} from (${page}) t ${THREAD_JOINS} order by ${orderedBy}`, values };
}

function orderBy({ by }: ThreadOrder, pinnedFirst: boolean): string {
  return `${pinnedFirst ? 't.is_pinned desc, ' : ''}t.${by} desc, t.thread_id desc`;
}

function createCursor({ sort, pinnedFirst }: ThreadListQuery, row: ThreadRow): string {
  const value = row[THREAD_ORDERS[sort].by];
  return encodeThreadCursor(sort, {
    isPinned: pinnedFirst ? row.is_pinned : null,
    value: value instanceof Date ? value.toISOString() : String(value),
    threadId: row.thread_id,
  });
}
