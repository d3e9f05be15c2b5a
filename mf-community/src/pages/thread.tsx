import { useEffect, useEffectEvent } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { threadPath } from '@alpenglow/domain/contracts';
import { isApiError, Page, PageHeading, QueryError } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ThreadSkeleton } from '../thread/thread-skeleton.tsx';
import { ThreadView } from '../thread/thread-view.tsx';
import { useThreadReading } from '../thread/use-thread-reading.ts';
import { NotFoundPage } from './not-found.tsx';

/**
 * The page of one thread. Its URL contains the place and the slug, or only the id. Any other path is replaced by the
 * canonical path of the thread.
 */
export default function ThreadPage() {
  const { slug, idOrCountry } = useParams();
  const idOrSlug = slug ?? idOrCountry ?? '';
  // The key resets all state when another thread is shown.
  return <ThreadOf key={idOrSlug.slice(-10)} idOrSlug={idOrSlug} />;
}

function ThreadOf({ idOrSlug }: { readonly idOrSlug: string }) {
  const t = useText();
  const reading = useThreadReading(idOrSlug);
  const { query, window } = reading.shown;
  const location = useLocation();
  const navigate = useNavigate();
  const path = window ? threadPath(window.thread) : null;
  const replacePath = useEffectEvent((canonicalPath: string) => {
    const { pathname, search, hash, state } = location as {
      readonly pathname: string;
      readonly search: string;
      readonly hash: string;
      readonly state: unknown;
    };
    if (canonicalPath !== pathname)
      void navigate(`${canonicalPath}${search}${hash}`, { replace: true, state, preventScrollReset: true });
  });
  useEffect(() => {
    if (path !== null) replacePath(path);
  }, [path]);

  if (isApiError(query.error) && query.error.status === 404) return <NotFoundPage />;
  if (window && path !== null) return <ThreadView reading={reading} window={window} path={path} />;
  if (query.isError) {
    return (
      <Page narrow>
        <PageHeading documentTitle={t('community')}>{t('community')}</PageHeading>
        <QueryError query={query} text={t('community.threadFailed')} />
      </Page>
    );
  }
  return <ThreadSkeleton />;
}
