import { useInfiniteQuery } from '@tanstack/react-query';
import { ARTICLE_STATUSES } from '@alpenglow/domain/contracts';
import { Breadcrumbs, EmptyState, LinkButton, LinkRows, Page, PagedList, PencilIcon, useApi } from '@alpenglow/ui';
import { ChoiceLinks, useChoice } from '../panel/choice-links.tsx';
import { ListHeader } from '../panel/list-header.tsx';
import { useText } from '../text.ts';
import { adminArticlesQuery } from './api.ts';
import { ArticleRow } from './article-row.tsx';

/** The page `/admin/blog`, which lists all articles, including drafts. */
export default function BlogListPage() {
  const t = useText();
  const status = useChoice('status', ARTICLE_STATUSES, null);
  const list = useInfiniteQuery(adminArticlesQuery(useApi(), status));
  return (
    <Page>
      <Breadcrumbs items={[{ label: t('title'), to: '/admin' }, { label: t('nav.blog') }]} />
      <ListHeader title={t('nav.blog')}>
        <LinkButton to="/admin/blog/new" variant="primary">
          <PencilIcon />
          {t('blog.new')}
        </LinkButton>
      </ListHeader>
      <ChoiceLinks
        label={t('blog.filter')}
        path="/admin/blog"
        parameter="status"
        choices={[null, ...ARTICLE_STATUSES]}
        selected={status}
        labelOf={(choice) => t(choice === null ? 'blog.allStatuses' : `blog.statuses.${choice}`)}
      />
      <PagedList
        list={list}
        failedText={t('blog.listFailed')}
        empty={status === null ? <NoArticles /> : <NoMatches />}
        moreText={t('blog.more')}
      >
        {(articles) => (
          <LinkRows>
            {articles.map((article) => (
              <ArticleRow key={article.slug} article={article} />
            ))}
          </LinkRows>
        )}
      </PagedList>
    </Page>
  );
}

function NoArticles() {
  const t = useText();
  const write = (
    <LinkButton to="/admin/blog/new" variant="primary">
      {t('blog.new')}
    </LinkButton>
  );
  return (
    <EmptyState title={t('blog.empty')} actions={write}>
      <p>{t('blog.emptyText')}</p>
    </EmptyState>
  );
}

function NoMatches() {
  const t = useText();
  const showAll = <LinkButton to="/admin/blog">{t('blog.showAll')}</LinkButton>;
  return <EmptyState title={t('blog.emptyStatus')} actions={showAll} />;
}
