import { article } from '@alpenglow/domain';
import { publishWhenDue } from '@alpenglow/domain/deciders';
import { ARTICLES, SYSTEM_CORRELATION_IDS } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';

/**
 * Maximum number of articles that one run publishes. Normally, fewer articles are due at a time. The next run publishes
 * the rest.
 */
const MAX_AT_ONCE = 100;
const origin = systemOrigin('publish-articles', SYSTEM_CORRELATION_IDS.publishArticles);

/**
 * Publishes the scheduled articles that are due, the oldest first, and returns their number. The read model lists the
 * articles that are probably due. `publishWhenDue` then checks the events of each article, so an article that was
 * unscheduled remains a draft. An article that fails does not stop the others. The promise then rejects with
 * `ItemsFailed` at the end. Rejects at once if `signal` aborts.
 */
export async function publishArticles(
  { pool, commands, log }: Dependencies<'pool' | 'commands' | 'log'>,
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const now = new Date(now_ms).toISOString();
  const { rows } = await pool.query<{ slug: string }>({
    name: 'articles-due',
    text: `select slug
             from ${ARTICLES.table}
            where status = 'scheduled' and publish_at <= $1
            order by publish_at limit ${MAX_AT_ONCE}`,
    values: [now],
  });
  let published = 0;
  await attemptEach(
    rows,
    async ({ slug }) => {
      const { events } = await commands.execute(article, slug, publishWhenDue, {}, origin, { now });
      published += events.length;
    },
    { task: 'publish-articles', nameOf: ({ slug }) => slug, log, signal },
  );
  return published;
}
