import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { adPath, articlePath, type AdCard, type ArticleCard, type SearchAnswer } from '@alpenglow/domain/contracts';
import { Button, communityKeys, EmptyState, ErrorBox, LinkButton, messageOf, TimeAgo, useApi } from '@alpenglow/ui';
import { search } from '../api/calls.ts';
import { ThreadListSkeleton } from '../lists/thread-list.tsx';
import { ThreadRow } from '../lists/thread-row.tsx';
import { useText } from '../text.ts';
import styles from './search.module.css';
import rows from '../lists/thread-list.module.css';

/** Of each kind: at first, and once more are asked for. */
const FEW = 5;
const MANY = 20;

type Found = SearchAnswer['data'];

/** What there is about some words, by kind. */
export function SearchResults({ q }: { readonly q: string }) {
  const t = useText();
  const api = useApi();
  const title = useRef<HTMLHeadingElement>(null);
  const [isMore, setMore] = useState(false);
  const limit = isMore ? MANY : FEW;
  const found = useQuery({
    queryKey: [...communityKeys.all, 'search', q, limit],
    queryFn: ({ signal }) => search(api, q, limit, signal),
    placeholderData: (before) => (isMore ? before : undefined),
  });
  useEffect(() => title.current?.focus({ preventScroll: true }), [q]);
  return (
    <section aria-labelledby="found" className={styles['results']} aria-busy={found.isFetching}>
      <h2 id="found" ref={title} tabIndex={-1}>
        {t('community.foundFor', { q })}
      </h2>
      {found.isPending && <ThreadListSkeleton />}
      {found.isError && (
        <ErrorBox message={messageOf(found.error, t('community.searchFailed'))} onRetry={() => void found.refetch()} />
      )}
      {found.data && <Groups q={q} found={found.data.data} limit={limit} onMore={() => setMore(true)} />}
    </section>
  );
}

interface GroupsProps {
  readonly q: string;
  readonly found: Found;
  readonly limit: number;
  readonly onMore: () => void;
}

function Groups({ q, found: { threads, articles, ads }, limit, onMore }: GroupsProps) {
  const t = useText();
  if (threads.data.length + articles.data.length + ads.data.length === 0) {
    return (
      <EmptyState
        title={t('community.nothingFound')}
        actions={<LinkButton to="/community">{t('community.allThreads')}</LinkButton>}
      >
        <p>{t('community.nothingFoundText')}</p>
      </EmptyState>
    );
  }
  const hasMore = ({ data, total }: { readonly data: readonly unknown[]; readonly total: number | null }) =>
    data.length >= limit && (total === null || total > data.length);
  const more = (group: { readonly data: readonly unknown[]; readonly total: number | null }) =>
    limit < MANY &&
    hasMore(group) && (
      <Button size="small" onClick={onMore}>
        {t('community.showAll')}
      </Button>
    );
  return (
    <>
      <Group
        title={t('community.threads')}
        total={threads.total}
        isEmpty={threads.data.length === 0}
        more={more(threads)}
      >
        {threads.data.map((thread) => (
          <li key={thread.id}>
            <ThreadRow thread={thread} heading="h4" />
          </li>
        ))}
      </Group>
      <Group
        title={t('community.articles')}
        total={articles.total}
        isEmpty={articles.data.length === 0}
        more={more(articles)}
      >
        {articles.data.map((article) => (
          <li key={article.slug}>
            <ArticleRow article={article} />
          </li>
        ))}
      </Group>
      <Group
        title={t('community.ads')}
        total={ads.total}
        isEmpty={ads.data.length === 0}
        more={
          hasMore(ads) && (
            <LinkButton to={`/listings?q=${encodeURIComponent(q)}`} size="small">
              {t('community.showAll')}
            </LinkButton>
          )
        }
      >
        {ads.data.map((ad) => (
          <li key={ad.id}>
            <AdRow ad={ad} />
          </li>
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly total: number | null;
  readonly isEmpty: boolean;
  readonly more: ReactNode;
  readonly children: ReactNode;
}

function Group({ title, total, isEmpty, more, children }: GroupProps) {
  const t = useText();
  return (
    <section className={styles['group']} aria-label={title}>
      <h3 className={styles['kind']}>
        {title} {total !== null && total > 0 && <span>{t('community.number', { count: total })}</span>}
      </h3>
      {isEmpty ? (
        <p className={styles['none']}>{t('community.noneOfKind')}</p>
      ) : (
        <ul role="list" className={rows['list']}>
          {children}
        </ul>
      )}
      {more}
    </section>
  );
}

function ArticleRow({ article }: { readonly article: ArticleCard }) {
  const t = useText();
  return (
    <article className={rows['row']}>
      <div className={rows['words']}>
        <h4 className={rows['title']}>
          <Link to={articlePath(article.slug)} className={rows['link']}>
            <bdi>{article.title}</bdi>
          </Link>
        </h4>
        <p className={rows['excerpt']} dir="auto">
          {article.summary}
        </p>
        <p className={rows['meta']}>
          <TimeAgo at={article.publishedAt} />
          <span>{t('blog.minutes', { count: article.readingMinutes })}</span>
        </p>
      </div>
    </article>
  );
}

function AdRow({ ad }: { readonly ad: AdCard }) {
  const t = useText();
  return (
    <article className={rows['row']}>
      <div className={rows['words']}>
        <h4 className={rows['title']}>
          <Link to={adPath(ad)} className={rows['link']}>
            <bdi>{ad.title}</bdi>
          </Link>
        </h4>
        <p className={rows['meta']}>
          <bdi>{ad.name}</bdi>
          <span>
            {t(`categories.${ad.category}`)} · {ad.city}
          </span>
        </p>
      </div>
    </article>
  );
}
