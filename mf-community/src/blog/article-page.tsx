import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { articlePath, slugify, type ArticleView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  EmptyState,
  FlagIcon,
  isApiError,
  layout,
  LinkButton,
  Loading,
  Page,
  PageHeading,
  PinIcon,
  QueryError,
  RichHtml,
  Skeleton,
  useApi,
  useReport,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { articleQuery } from './articles.ts';
import { Cover } from './cover.tsx';
import { ArticleDate, FormattedDate } from './article-date.tsx';
import { getBlogPath } from './filter-chips.tsx';
import { FurtherReading } from './further-reading.tsx';
import { ShareArticle } from './share-article.tsx';
import { useTagName } from './tag-name.ts';
import styles from './article-page.module.css';

/** The page `/blog/{slug}` of an article. */
export function ArticlePage({ slug }: { readonly slug: string }) {
  const t = useText();
  const article = useQuery(articleQuery(useApi(), slug));
  if (article.isPending) return <ArticleSkeleton />;
  if (article.data) return <Article article={article.data} />;
  return (
    <Page narrow>
      <Breadcrumbs fromHome items={[{ label: t('blog'), to: '/blog' }]} />
      {isApiError(article.error) && article.error.status === 404 ? (
        <EmptyState
          title={<PageHeading documentTitle={t('blog.unknown')}>{t('blog.unknown')}</PageHeading>}
          actions={<LinkButton to="/blog">{t('blog.all')}</LinkButton>}
        >
          <p>{t('blog.unknownText')}</p>
        </EmptyState>
      ) : (
        <>
          <PageHeading documentTitle={t('blog')}>{t('blog')}</PageHeading>
          <QueryError query={article} text={t('blog.failed')} />
        </>
      )}
    </Page>
  );
}

function Article({ article }: { readonly article: ArticleView }) {
  const t = useText();
  const tagName = useTagName();
  const { title, summary, language, city, tags, html, corrections } = article;
  const [lastCorrection] = corrections;
  return (
    <Page>
      <div className={styles['column']}>
        <Breadcrumbs
          fromHome
          items={[
            { label: t('blog'), to: '/blog' },
            ...(city === null ? [] : [{ label: city, to: articlePath(slugify(city)) }]),
            { label: <span lang={language}>{title}</span> },
          ]}
        />
      </div>
      <article>
        <header className={styles['head']}>
          <div className={styles['column']}>
            <PageHeading documentTitle={title}>
              <span lang={language}>{title}</span>
            </PageHeading>
            <p lang={language} className={styles['summary']}>
              {summary}
            </p>
            <div className={styles['byline']}>
              <p>
                <ArticleDate article={article} />
                {lastCorrection && (
                  <>
                    {' '}
                    · <a href="#corrections">{t('blog.corrected')}</a> <FormattedDate at={lastCorrection.at} />
                  </>
                )}
              </p>
              <ShareArticle article={article} />
            </div>
          </div>
          <Cover
            article={article}
            sizes="(max-width: 59.99rem) 92vw, 52rem"
            ratio={article.cover === null ? '5 / 1' : '16 / 9'}
            priority
            className={styles['cover']}
          />
        </header>
        <div className={styles['column']}>
          <RichHtml html={html} lang={language} className={styles['text']} />
          {(city !== null || tags.length > 0) && (
            <ul role="list" aria-label={t('blog.topics')} className={styles['tags']}>
              {city !== null && (
                <li>
                  <Link to={articlePath(slugify(city))}>
                    <PinIcon size={0.95} /> {city}
                  </Link>
                </li>
              )}
              {tags.map((tag) => (
                <li key={tag}>
                  <Link to={getBlogPath({ tag, city: null })}>{tagName(tag)}</Link>
                </li>
              ))}
            </ul>
          )}
          <Corrections corrections={corrections} language={language} />
          <Report slug={article.slug} />
        </div>
      </article>
      <FurtherReading article={article} />
    </Page>
  );
}

/** A button that reports an article. Visitors without an account can use it too. */
function Report({ slug }: Pick<ArticleView, 'slug'>) {
  const t = useText();
  const report = useReport();
  return (
    <div className={styles['end']}>
      <Button variant="quiet" size="small" onClick={() => report({ kind: 'article', id: slug })}>
        <FlagIcon />
        {t('community.report')}
      </Button>
    </div>
  );
}

/** The corrections of an article since its publication, newest first. */
function Corrections({ corrections, language }: Pick<ArticleView, 'corrections' | 'language'>) {
  const t = useText();
  if (corrections.length === 0) return null;
  return (
    <section id="corrections" aria-labelledby="corrections-title" className={styles['corrections']}>
      <h2 id="corrections-title">{t('blog.corrections')}</h2>
      <ul role="list">
        {corrections.map(({ note, at }) => (
          <li key={at}>
            <strong>
              <FormattedDate at={at} />
            </strong>{' '}
            <span lang={language}>{note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ArticleSkeleton() {
  return (
    <Page>
      <Loading className={styles['column']}>
        <div className={layout['stack4']}>
          <Skeleton width="12rem" />
          <Skeleton height="2.75rem" />
          <Skeleton width="90%" height="1.5rem" />
          <Skeleton height="9rem" />
          <Skeleton />
          <Skeleton />
          <Skeleton width="70%" />
        </div>
      </Loading>
    </Page>
  );
}
