import {
  article,
  DEFAULT_ARTICLE_LANGUAGE,
  STOCK_PICTURE_COUNT,
  stockPictureId,
  type ArticleEvent,
  type ArticleState,
  type DecisionContext,
} from '@alpenglow/domain';
import { draftArticle, publishArticle } from '@alpenglow/domain/deciders';
import type { CommandHandler, CommandOrigin } from '@alpenglow/infra';
import { readInitialArticles, type InitialArticle } from './initial-articles.ts';

const DAY_ms = 24 * 60 * 60_000;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Publishes the initial articles of the blog. Each article has its own publication date in the past. If an article ever
 * existed under a slug, this slug is skipped, even if that article was changed or removed later.
 */
export async function seedArticles({ commands }: { readonly commands: CommandHandler }): Promise<void> {
  const now_ms = Date.now();
  const articles = await readInitialArticles();
  await Promise.all(
    articles.map(async (starter, index) => {
      const loaded = await commands.load(article, starter.slug);
      if (loaded.revision >= 0) return;
      const now = new Date(now_ms - starter.publishedDaysAgo * DAY_ms).toISOString();
      await commands.handle(
        article,
        starter.slug,
        (state, context) => (state ? [] : draftAndPublish(starter, index, context)),
        origin,
        { now, loaded },
      );
    }),
  );
}

function draftAndPublish(
  { slug, publishedDaysAgo: _age, ...fields }: InitialArticle,
  index: number,
  context: DecisionContext,
): readonly ArticleEvent[] {
  const drafted = draftArticle(
    {
      articleId: slug,
      fields: {
        ...fields,
        language: DEFAULT_ARTICLE_LANGUAGE,
        tags: [...fields.tags],
        cover: stockPictureId((index % STOCK_PICTURE_COUNT) + 1),
      },
    },
    null,
    context,
  );
  const draft = drafted.reduce<ArticleState>((state, event) => article.evolve(state, event, context.now), null);
  return [...drafted, ...publishArticle({ publishAt: null }, draft, context)];
}
