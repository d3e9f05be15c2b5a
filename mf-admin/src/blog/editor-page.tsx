import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import {
  Breadcrumbs,
  EmptyState,
  ErrorBox,
  isApiError,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useUser,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { useText } from '../text.ts';
import { articleToEditQuery } from './calls.ts';
import { Editor } from './editor.tsx';

/** `/admin/blog/new` and `/admin/blog/{slug}`. */
export default function EditorPage() {
  const { slug } = useParams();
  const admin = useUser();
  if (!admin) return null;
  return slug === undefined ? (
    <Editor key="new" adminId={admin.id} loaded={null} />
  ) : (
    <Existing key={slug} slug={slug} adminId={admin.id} />
  );
}

function Existing({ slug, adminId }: { readonly slug: string; readonly adminId: string }) {
  const t = useText();
  const api = useApi();
  const loaded = useQuery(articleToEditQuery(api, slug));
  // The editor starts with what was there when it opened; from then on it knows best itself.
  const [opened] = useState(() => ({ at: Date.now() }));
  if (loaded.data && loaded.dataUpdatedAt >= opened.at) return <Editor adminId={adminId} loaded={loaded.data} />;
  const isUnknown = isApiError(loaded.error) && loaded.error.status === 404;
  return (
    <Page>
      <Breadcrumbs
        items={[{ label: t('title'), to: '/admin' }, { label: t('blog.title'), to: '/admin/blog' }, { label: slug }]}
      />
      {isUnknown ? (
        <EmptyState
          title={<PageHeading documentTitle={t('blog.unknown')}>{t('blog.unknown')}</PageHeading>}
          actions={<LinkButton to="/admin/blog">{t('blog.toList')}</LinkButton>}
        />
      ) : (
        <>
          <PageHeading documentTitle={t('blog.title')}>{t('blog.edit')}</PageHeading>
          {loaded.isError ? (
            <ErrorBox message={messageOf(loaded.error, t('blog.loadFailed'))} onRetry={() => void loaded.refetch()} />
          ) : (
            <Loading height="24rem" />
          )}
        </>
      )}
    </Page>
  );
}
