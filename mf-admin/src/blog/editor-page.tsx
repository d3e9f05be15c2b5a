import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import {
  Breadcrumbs,
  EmptyState,
  isApiError,
  LinkButton,
  Loading,
  Page,
  PageHeading,
  QueryError,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { useText } from '../text.ts';
import { editArticleQuery } from './api.ts';
import { Editor } from './editor.tsx';

/** The pages `/admin/blog/new` and `/admin/blog/{slug}`, which contain the editor of an article. */
export default function EditorPage() {
  const { slug } = useParams();
  const admin = useUser();
  if (!admin) return null;
  return slug === undefined ? (
    <Editor key="new" adminId={admin.id} loaded={null} />
  ) : (
    <ExistingArticle key={slug} slug={slug} adminId={admin.id} />
  );
}

function ExistingArticle({ slug, adminId }: { readonly slug: string; readonly adminId: string }) {
  const t = useText();
  const api = useApi();
  const loaded = useQuery(editArticleQuery(api, slug));
  // The editor starts with data that was loaded after the page opened, because the cache may contain older
  // data.
  const [opened] = useState(() => ({ at: Date.now() }));
  if (loaded.data && loaded.dataUpdatedAt >= opened.at) return <Editor adminId={adminId} loaded={loaded.data} />;
  const isUnknown = isApiError(loaded.error) && loaded.error.status === 404;
  return (
    <Page>
      <Breadcrumbs
        items={[{ label: t('title'), to: '/admin' }, { label: t('nav.blog'), to: '/admin/blog' }, { label: slug }]}
      />
      {isUnknown ? (
        <EmptyState
          title={<PageHeading documentTitle={t('blog.unknown')}>{t('blog.unknown')}</PageHeading>}
          actions={<LinkButton to="/admin/blog">{t('blog.toList')}</LinkButton>}
        />
      ) : (
        <>
          <PageHeading documentTitle={t('nav.blog')}>{t('blog.edit')}</PageHeading>
          {loaded.isError ? <QueryError query={loaded} text={t('blog.loadFailed')} /> : <Loading height="24rem" />}
        </>
      )}
    </Page>
  );
}
