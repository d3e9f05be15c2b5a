import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { articlePath, slugOf, type ArticleView } from '@alpenglow/domain/contracts';
import {
  Breadcrumbs,
  Button,
  EmptyState,
  ErrorBox,
  FlagIcon,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  PinIcon,
  RichHtml,
  Skeleton,
  useApi,
  useReport,
  VisuallyHidden,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { articleQuery } from './articles.ts';
import { Cover } from './cover.tsx';
import { Dated, Day } from './dated.tsx';
import { blogPath } from './filter-chips.tsx';
import { ReadOn } from './read-on.tsx';
import { ShareArticle } from './share-article.tsx';
import { useTagName } from './tag-name.ts';
import styles from './article-page.module.css';

/** `/blog/{slug}` of an article. */
export function ArticlePage({ slug }: { readonly slug: string }) {
  const t = useText();
  const api = useApi();
  const article = useQuery(articleQuery(api, slug));
  if (article.isPending) return <ArticleSkeleton />;
  if (article.data) return <Article article={article.data} />;
  return (
    <Page narrow>
      <Breadcrumbs
        items={[
          { label: t('common.home'), to: '/' },
          { label: t('blog'), to: '/blog' },
        ]}
      />
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
          <ErrorBox message={messageOf(article.error, t('blog.failed'))} onRetry={() => void article.refetch()} />
        </>
      )}
    </Page>
  );
}

function Article({ article }: { readonly article: ArticleView }) {
  const t = useText();
  const tagName = useTagName();
  const { title, summary, city, tags, html, corrections } = article;
  const [lastCorrection] = corrections;
  return (
    <Page>
      <div className={styles['column']}>
        <Breadcrumbs
          items={[
            { label: t('common.home'), to: '/' },
            { label: t('blog'), to: '/blog' },
            ...(city === null ? [] : [{ label: city, to: articlePath(slugOf(city)) }]),
            { label: title },
          ]}
        />
      </div>
      <article>
        <header className={styles['head']}>
          <div className={styles['column']}>
            <PageHeading documentTitle={title}>{title}</PageHeading>
            <p className={styles['summary']}>{summary}</p>
            <div className={styles['byline']}>
              <p>
                <Dated article={article} />
                {lastCorrection && (
                  <>
                    {' '}
                    · <a href="#corrections">{t('blog.corrected')}</a> <Day at={lastCorrection.at} />
                  </>
                )}
              </p>
              <ShareArticle article={article} />
            </div>
          </div>
          <Cover
            article={article}
            sizes="(width < 60rem) 92vw, 52rem"
            ratio={article.cover === null ? '5 / 1' : '16 / 9'}
            priority
            className={styles['cover']}
          />
        </header>
        <div className={styles['column']}>
          <RichHtml html={html} className={styles['text']} />
          {(city !== null || tags.length > 0) && (
            <ul role="list" aria-label={t('blog.topics')} className={styles['tags']}>
              {city !== null && (
                <li>
                  <Link to={articlePath(slugOf(city))}>
                    <PinIcon size={0.95} /> {city}
                  </Link>
                </li>
              )}
              {tags.map((tag) => (
                <li key={tag}>
                  <Link to={blogPath({ tag, city: null })}>{tagName(tag)}</Link>
                </li>
              ))}
            </ul>
          )}
          <Corrections corrections={corrections} />
          <Report slug={article.slug} />
        </div>
      </article>
      <ReadOn article={article} />
    </Page>
  );
}

/** Anybody may say what is wrong with an article. */
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

/** What was changed after the article was published, the newest first. */
function Corrections({ corrections }: Pick<ArticleView, 'corrections'>) {
  const t = useText();
  if (corrections.length === 0) return null;
  return (
    <section id="corrections" aria-labelledby="corrections-title" className={styles['corrections']}>
      <h2 id="corrections-title">{t('blog.corrections')}</h2>
      <ul role="list">
        {corrections.map(({ note, at }) => (
          <li key={at}>
            <strong>
              <Day at={at} />
            </strong>{' '}
            {note}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ArticleSkeleton() {
  const t = useText();
  return (
    <Page>
      <div className={styles['column']} role="status">
        <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
        <div className={styles['skeleton']}>
          <Skeleton width="12rem" />
          <Skeleton height="2.75rem" />
          <Skeleton width="90%" height="1.5rem" />
          <Skeleton height="9rem" />
          <Skeleton />
          <Skeleton />
          <Skeleton width="70%" />
        </div>
      </div>
    </Page>
  );
}
