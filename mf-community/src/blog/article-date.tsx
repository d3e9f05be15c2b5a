import type { ArticleCard } from '@alpenglow/domain/contracts';
import { useLocale, useTimeZone } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** Shows a date in the visitor's language, such as `November 3, 2026`. */
export function FormattedDate({ at }: { readonly at: string }) {
  const locale = useLocale();
  const timeZone = useTimeZone();
  return (
    <time suppressHydrationWarning dateTime={at}>
      {new Date(at).toLocaleDateString(locale, { dateStyle: 'long', timeZone })}
    </time>
  );
}

/** The publication date and the reading time of an article. */
export function ArticleDate({ article }: { readonly article: Pick<ArticleCard, 'publishedAt' | 'readingMinutes'> }) {
  const t = useText();
  return (
    <>
      <FormattedDate at={article.publishedAt} /> · {t('blog.minutes', { count: article.readingMinutes })}
    </>
  );
}
