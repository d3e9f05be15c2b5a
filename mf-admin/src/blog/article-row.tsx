import type { AdminArticleCard } from '@alpenglow/domain/contracts';
import { LinkRow, TimeAgo } from '@alpenglow/ui';
import { useFormatTime } from '../panel/use-format-time.ts';
import { useText } from '../text.ts';
import { StatusBadge } from './status-badge.tsx';

/** A row in the list of articles. */
export function ArticleRow({ article }: { readonly article: AdminArticleCard }) {
  const t = useText();
  const formatTime = useFormatTime();
  const { slug, title, language, status, city, publishAt, publishedAt, updatedAt } = article;
  return (
    <LinkRow
      to={`/admin/blog/${slug}`}
      title={<span lang={language}>{title}</span>}
      details={
        <>
          {city !== null && <>{city} · </>}
          {publishAt !== null && <>{t('blog.publishesAt', { time: formatTime(publishAt) })} · </>}
          {publishedAt !== null && status === 'published' && (
            <>{t('blog.publishedAt', { time: formatTime(publishedAt) })} · </>
          )}
          {t('field.editedAt')} <TimeAgo at={updatedAt} />
        </>
      }
      aside={<StatusBadge status={status} />}
    />
  );
}
