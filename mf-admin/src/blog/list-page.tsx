import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import type { AdminArticleCard } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  EmptyState,
  ErrorBox,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  PencilIcon,
  TimeAgo,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { LinkChips } from '../panel/link-chips.tsx';
import { MoreButton } from '../panel/more-button.tsx';
import { useText } from '../text.ts';
import { adminArticlesQuery, STATUSES, type Status } from './calls.ts';
import { StatusBadge } from './status-badge.tsx';
import rows from '../panel/link-rows.module.css';
import listStyles from '../panel/list.module.css';

/** `/admin/blog`: every article, drafts as well. */
export default function BlogListPage() {
  const t = useText();
  const [search] = useSearchParams();
  const status = STATUSES.find((one) => one === search.get('status')) ?? null;
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('title'), to: '/admin' }, { label: t('blog.title') }]} />
      <header className={listStyles['head']}>
        <PageHeading documentTitle={t('blog.title')}>{t('blog.title')}</PageHeading>
        <LinkButton to="/admin/blog/new" variant="primary">
          <PencilIcon />
          {t('blog.new')}
        </LinkButton>
      </header>
      <LinkChips
        label={t('blog.filter')}
        links={([null, ...STATUSES] as const).map((one) => ({
          to: one === null ? '/admin/blog' : `/admin/blog?status=${one}`,
          words: one === null ? t('blog.allStatuses') : t(`blog.statuses.${one}`),
          isCurrent: one === status,
        }))}
      />
      <List status={status} />
    </Page>
  );
}

function List({ status }: { readonly status: Status | null }) {
  const t = useText();
  const api = useApi();
  const list = useInfiniteQuery(adminArticlesQuery(api, status));
  const articles = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (list.isPending) return <Loading height="16rem" />;
  if (list.isError && articles.length === 0)
    return <ErrorBox message={messageOf(list.error, t('blog.listFailed'))} onRetry={() => void list.refetch()} />;
  if (articles.length === 0) {
    return (
      <EmptyState
        title={status === null ? t('blog.empty') : t('blog.emptyStatus')}
        actions={
          status === null ? (
            <LinkButton to="/admin/blog/new" variant="primary">
              {t('blog.new')}
            </LinkButton>
          ) : (
            <LinkButton to="/admin/blog">{t('blog.showAll')}</LinkButton>
          )
        }
      >
        {status === null && <p>{t('blog.emptyText')}</p>}
      </EmptyState>
    );
  }
  return (
    <>
      <ul role="list" className={rows['rows']}>
        {articles.map((article) => (
          <Row key={article.slug} article={article} />
        ))}
      </ul>
      {list.isFetchNextPageError && (
        <ErrorBox message={messageOf(list.error, t('blog.listFailed'))} onRetry={() => void list.fetchNextPage()} />
      )}
      <MoreButton list={list}>{t('blog.more')}</MoreButton>
    </>
  );
}

function Row({
  article: { slug, title, status, city, publishAt, publishedAt, updatedAt },
}: {
  readonly article: AdminArticleCard;
}) {
  const t = useText();
  const locale = useLocale();
  const at = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <li className={rows['row']}>
      <div>
        <Link to={`/admin/blog/${slug}`} className={rows['link']}>
          {title}
        </Link>
        <p>
          {city !== null && <>{city} · </>}
          {publishAt !== null && <>{t('blog.publishesAt', { time: at(publishAt) })} · </>}
          {publishedAt !== null && status === 'published' && <>{t('blog.publishedAt', { time: at(publishedAt) })} · </>}
          {t('blog.changed')} <TimeAgo at={updatedAt} />
        </p>
      </div>
      <StatusBadge status={status} />
    </li>
  );
}
