import type { ArticleCard } from '@alpenglow/domain/contracts';
import { useLocale } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** A day in words: `November 3, 2026`. */
export function Day({ at }: { readonly at: string }) {
  const locale = useLocale();
  return <time dateTime={at}>{new Date(at).toLocaleDateString(locale, { dateStyle: 'long' })}</time>;
}

/** When an article was published, and how long it takes to read. */
export function Dated({ article }: { readonly article: Pick<ArticleCard, 'publishedAt' | 'readingMinutes'> }) {
  const t = useText();
  return (
    <>
      <Day at={article.publishedAt} /> · {t('blog.minutes', { count: article.readingMinutes })}
    </>
  );
}
