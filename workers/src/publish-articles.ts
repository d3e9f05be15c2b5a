import { article, publishWhenDue } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, Pool } from '@alpenglow/infra';

/** More than fall due at once; what is left comes with the next round. */
const MAX_AT_ONCE = 100;
const origin: CommandOrigin = {
  actor: { kind: 'system', name: 'publish-articles' },
  correlationId: 'publish-articles',
};

/**
 * Publishes scheduled articles whose time has come, the one longest due first, and answers how many. The read model names them; whether one is due is decided off its
 * events, so that one unscheduled meanwhile stays a draft. Rejects when `signal` aborts.
 */
export async function publishArticles(
  { pool, commands }: { readonly pool: Pool; readonly commands: CommandHandler },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const now = new Date(now_ms).toISOString();
  const { rows } = await pool.query<{ slug: string }>({
    name: 'articles-due',
    text: `select slug from rm.articles where status = 'scheduled' and publish_at <= $1 order by publish_at limit ${MAX_AT_ONCE}`,
    values: [now],
  });
  let published = 0;
  for (const { slug } of rows) {
    signal.throwIfAborted();
    const { events } = await commands.handle(article, slug, publishWhenDue, origin, { now });
    published += events.length;
  }
  return published;
}
