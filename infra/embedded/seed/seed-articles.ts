import {
  article,
  draftArticle,
  HOUSE_PICTURES,
  housePictureId,
  publishArticle,
  type ArticleEvent,
  type ArticleState,
  type DecisionContext,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '@alpenglow/infra';
import { starterArticles, type StarterArticle } from './articles.ts';

const DAY_ms = 24 * 60 * 60_000;
const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/**
 * Publishes the articles the blog begins with, each in one step and with a date of its own in the past. An address that has ever had an article is left alone, whatever
 * became of it since.
 */
export async function seedArticles({ commands }: { readonly commands: CommandHandler }): Promise<void> {
  const now_ms = Date.now();
  const articles = await starterArticles();
  await Promise.all(
    articles.map(async (starter, index) => {
      const loaded = await commands.load(article, starter.slug);
      if (loaded.revision >= 0) return;
      const now = new Date(now_ms - starter.publishedDaysAgo * DAY_ms).toISOString();
      await commands.handle(
        article,
        starter.slug,
        (state, context) => (state ? [] : draftedAndPublished(starter, index, context)),
        origin,
        { now, loaded },
      );
    }),
  );
}

function draftedAndPublished(
  { slug, publishedDaysAgo: _age, ...fields }: StarterArticle,
  index: number,
  context: DecisionContext,
): readonly ArticleEvent[] {
  const drafted = draftArticle(
    {
      articleId: slug,
      fields: { ...fields, tags: [...fields.tags], cover: housePictureId((index % HOUSE_PICTURES) + 1) },
    },
    null,
  );
  const draft = drafted.reduce<ArticleState>((state, event) => article.evolve(state, event, context.now), null);
  return [...drafted, ...publishArticle(null, draft, context)];
}
