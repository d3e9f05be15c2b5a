import { useEffect, useEffectEvent } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { threadPath } from '@alpenglow/domain/contracts';
import { ErrorBox, isApiError, messageOf, Page, PageHeading } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { ThreadSkeleton } from '../thread/thread-skeleton.tsx';
import { ThreadView } from '../thread/thread-view.tsx';
import { useReading } from '../thread/use-reading.ts';
import { NotFoundPage } from './not-found.tsx';

/** One thread, by its place and slug or by its id: led on to its one address. */
export default function ThreadPage() {
  const { slug, idOrCountry } = useParams();
  const named = slug ?? idOrCountry ?? '';
  // Another thread is another page: nothing of the one before is carried over.
  return <ThreadOf key={named.slice(-10)} named={named} />;
}

function ThreadOf({ named }: { readonly named: string }) {
  const t = useText();
  const reading = useReading(named);
  const { query, window } = reading.shown;
  const location = useLocation();
  const navigate = useNavigate();
  const path = window ? threadPath(window.thread) : null;
  const lead = useEffectEvent((to: string) => {
    const { pathname, search, hash, state } = location as {
      readonly pathname: string;
      readonly search: string;
      readonly hash: string;
      readonly state: unknown;
    };
    if (to !== pathname) void navigate(`${to}${search}${hash}`, { replace: true, state, preventScrollReset: true });
  });
  useEffect(() => {
    if (path !== null) lead(path);
  }, [path]);

  if (isApiError(query.error) && query.error.status === 404) return <NotFoundPage />;
  if (window && path !== null) return <ThreadView reading={reading} window={window} path={path} />;
  if (query.isError) {
    return (
      <Page narrow>
        <PageHeading documentTitle={t('community')}>{t('community')}</PageHeading>
        <ErrorBox message={messageOf(query.error, t('community.threadFailed'))} onRetry={() => void query.refetch()} />
      </Page>
    );
  }
  return <ThreadSkeleton />;
}
