import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { adPath, articlePath, formatPrice, splitWords, type ResponseOf } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  communityKeys,
  ContactMarks,
  EmptyState,
  Highlight,
  layout,
  LinkButton,
  QueryError,
  TimeAgo,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { searchCommunity } from '../api/requests.ts';
import { ThreadListSkeleton } from '../lists/thread-list.tsx';
import { ThreadRow } from '../lists/thread-row.tsx';
import { useText } from '../text.ts';
import styles from './search.module.css';
import rows from '../lists/thread-list.module.css';

/** Initial number of results of each kind: the default of the API. After a click on "show all", it is `MANY`. */
const FEW = 5;
const MANY = 20;

/** The results of a search, grouped into threads, articles and ads. */
export function SearchResults({ q }: { readonly q: string }) {
  const t = useText();
  const api = useApi();
  const title = useRef<HTMLHeadingElement>(null);
  const [isMore, setMore] = useState(false);
  const limit = isMore ? MANY : FEW;
  const results = useQuery({
    queryKey: [...communityKeys.all, 'search', q, limit],
    queryFn: ({ signal }) => searchCommunity(api, q, isMore ? MANY : null, signal),
    placeholderData: (before) => (isMore ? before : undefined),
  });
  useEffect(() => title.current?.focus({ preventScroll: true }), [q]);
  return (
    <section aria-labelledby="found" className={styles['results']} aria-busy={results.isFetching}>
      <h2 id="found" ref={title} tabIndex={-1}>
        {t('community.foundFor', { q })}
      </h2>
      {results.isPending && <ThreadListSkeleton />}
      {results.isError && <QueryError query={results} text={t('community.searchFailed')} />}
      {results.data && <Groups q={q} results={results.data.data} limit={limit} onMore={() => setMore(true)} />}
    </section>
  );
}

interface GroupsProps {
  readonly q: string;
  readonly results: ResponseOf<'search'>['data'];
  readonly limit: number;
  readonly onMore: () => void;
}

function Groups({ q, results: { threads, articles, ads }, limit, onMore }: GroupsProps) {
  const t = useText();
  const locale = useLocale();
  const words = splitWords(q);
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
  const hasMore = ({ data, total }: ResultGroup) => data.length >= limit && (total === null || total > data.length);
  const more = (group: ResultGroup) =>
    limit < MANY &&
    hasMore(group) && (
      <Button size="small" onClick={onMore}>
        {t('community.showAll')}
      </Button>
    );
  return (
    <>
      <Group title={t('community.threads')} results={threads} more={more(threads)}>
        {threads.data.map((thread) => (
          <li key={thread.id}>
            <ThreadRow thread={thread} heading="h4" words={words} />
          </li>
        ))}
      </Group>
      <Group title={t('community.articles')} results={articles} more={more(articles)}>
        {articles.data.map((article) => (
          <li key={article.slug}>
            <ResultRow
              to={articlePath(article.slug)}
              title={article.title}
              excerpt={article.summary}
              lang={article.language}
              words={words}
            >
              <TimeAgo at={article.publishedAt} />
              <span>{t('blog.minutes', { count: article.readingMinutes })}</span>
            </ResultRow>
          </li>
        ))}
      </Group>
      <Group
        title={t('community.ads')}
        results={ads}
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
            <ResultRow to={adPath(ad)} title={ad.title} words={words}>
              <bdi>
                <Highlight text={ad.name} words={words} />
              </bdi>
              <span>
                <ContactMarks
                  text={[t(`categories.${ad.category}`), ad.city, formatPrice(ad.price, locale)]
                    .filter((part) => part !== null)
                    .join(' · ')}
                />
              </span>
            </ResultRow>
          </li>
        ))}
      </Group>
    </>
  );
}

interface ResultGroup {
  readonly data: readonly unknown[];
  readonly total: number | null;
}

interface GroupProps {
  readonly title: string;
  readonly results: ResultGroup;
  readonly more: ReactNode;
  readonly children: ReactNode;
}

function Group({ title, results: { data, total }, more, children }: GroupProps) {
  const t = useText();
  return (
    <section className={styles['group']} aria-label={title}>
      <h3 className={styles['kind']}>
        {title} {total !== null && total > 0 && <span>{t('community.number', { count: total })}</span>}
      </h3>
      {data.length === 0 ? (
        <p className={layout['muted']}>{t('community.noneOfKind')}</p>
      ) : (
        <ul role="list" className={rows['list']}>
          {children}
        </ul>
      )}
      {more}
    </section>
  );
}

interface ResultRowProps {
  readonly to: string;
  readonly title: string;
  readonly excerpt?: string;
  /** The language of the title and the excerpt (BCP 47), if it is known. */
  readonly lang?: string;
  readonly words: readonly string[];
  readonly children: ReactNode;
}

function ResultRow({ to, title, excerpt, lang, words, children }: ResultRowProps) {
  return (
    <article className={rows['row']}>
      <div className={rows['words']}>
        <h4 className={rows['title']}>
          <Link to={to} className={classNames(layout['cover'], rows['link'])}>
            <bdi lang={lang}>
              <Highlight text={title} words={words} />
            </bdi>
          </Link>
        </h4>
        {excerpt !== undefined && (
          <p className={rows['excerpt']} dir="auto" lang={lang}>
            <Highlight text={excerpt} words={words} />
          </p>
        )}
        <p className={rows['meta']}>{children}</p>
      </div>
    </article>
  );
}
