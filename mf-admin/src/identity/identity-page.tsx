import { useEffect, useState } from 'react';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { DoneAnswer, IdentityChecksAnswer, IdentityCheckView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  Card,
  EmptyState,
  ErrorBox,
  messageOf,
  Page,
  Skeleton,
  TimeAgo,
  useApi,
  useHost,
  useUser,
  type Api,
} from '@alpenglow/ui';
import { LeadHead } from '../panel/lead-head.tsx';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { useText } from './text.ts';
import styles from './identity-page.module.css';

const KEY = ['admin', 'identity'] as const;
const checksQuery = (api: Api) =>
  infiniteQueryOptions({
    queryKey: KEY,
    queryFn: ({ pageParam, signal }) =>
      api.callSignedIn<IdentityChecksAnswer>({
        path: `/admin/identity${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

/** `/admin/identity`: requests of providers to be verified. */
export default function IdentityPage() {
  const t = useText();
  const api = useApi();
  const found = useInfiniteQuery(checksQuery(api));
  const checks = found.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page>
      <LeadHead title={t('identity.title')}>{t('identity.lead')}</LeadHead>
      {found.isPending && <Skeleton height="12rem" />}
      {found.isError && (
        <ErrorBox message={messageOf(found.error, t('identity.failed'))} onRetry={() => void found.refetch()} />
      )}
      {found.isSuccess && checks.length === 0 && <EmptyState title={t('identity.none')} />}
      <div className={styles['checks']}>
        {checks.map((check) => (
          <Check key={check.accountId} check={check} />
        ))}
      </div>
      {found.hasNextPage && (
        <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t('identity.more')}
        </Button>
      )}
    </Page>
  );
}

const TONES = { open: 'accent', accepted: 'success', refused: 'danger' } as const;

function Check({ check }: { readonly check: IdentityCheckView }) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const isSelf = useUser()?.id === check.accountId;
  const [isShown, setIsShown] = useState(false);
  const [asked, setAsked] = useState<'accept' | 'refuse' | null>(null);
  const decide = useMutation({
    mutationFn: (reason: string) =>
      api.callSignedIn<DoneAnswer>({
        method: 'POST',
        path: `/admin/identity/${encodeURIComponent(check.accountId)}/decide`,
        body: { accept: asked === 'accept', reason },
      }),
    onSuccess: () => notify({ text: t('identity.decided'), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('identity.decideFailed')), tone: 'danger' }),
    onSettled: () => {
      setAsked(null);
      return queryClient.invalidateQueries({ queryKey: KEY });
    },
  });
  const name = check.displayName ?? t('identity.gone');
  return (
    <Card className={styles['check']}>
      <h2>{name}</h2>
      <p>
        <Badge tone={TONES[check.status]}>{t(`identity.${check.status}`)}</Badge> {check.email} ·{' '}
        <TimeAgo at={check.requestedAt} />
      </p>
      {check.status === 'open' && check.files > 0 && !isShown && (
        <Button onClick={() => setIsShown(true)}>{t('identity.show')}</Button>
      )}
      {isShown && check.files > 0 && (
        <div className={styles['pictures']}>
          {Array.from({ length: check.files }, (_, index) => (
            <Evidence
              key={index}
              accountId={check.accountId}
              number={index + 1}
              label={t('identity.picture', { number: index + 1, name })}
            />
          ))}
        </div>
      )}
      {check.status === 'open' && !isSelf && (
        <div className={styles['ways']}>
          <Button variant="primary" onClick={() => setAsked('accept')}>
            {t('identity.accept')}
          </Button>
          <Button variant="danger" onClick={() => setAsked('refuse')}>
            {t('identity.refuse')}
          </Button>
        </div>
      )}
      {asked !== null && (
        <ReasonDialog
          title={t(`identity.${asked}Title`, { name })}
          confirmLabel={t(`identity.${asked}`)}
          isDangerous={asked === 'refuse'}
          hint={t('identity.reasonHint')}
          isBusy={decide.isPending}
          onClose={() => setAsked(null)}
          onConfirm={(reason) => decide.mutate(reason)}
        >
          <p>{t('identity.destroys')}</p>
        </ReasonDialog>
      )}
    </Card>
  );
}

/** One picture, fetched with the session's token and kept nowhere but in this page. */
function Evidence({
  accountId,
  number,
  label,
}: {
  readonly accountId: string;
  readonly number: number;
  readonly label: string;
}) {
  const t = useText();
  const { session } = useHost();
  const token = session.state === 'authenticated' ? session.token : null;
  const [url, setUrl] = useState<string | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    const load = async () => {
      const answer = await fetch(`/api/admin/identity/${encodeURIComponent(accountId)}/files/${number}`, {
        headers: { Authorization: `Bearer ${token ?? ''}` },
        signal: stop.signal,
      });
      if (!answer.ok) throw new Error(String(answer.status));
      made = URL.createObjectURL(await answer.blob());
      setUrl(made);
    };
    load().catch(() => setIsFailed(!stop.signal.aborted));
    return () => {
      stop.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [accountId, number, token]);
  if (isFailed) return <ErrorBox message={t('identity.pictureFailed')} />;
  return url === null ? <Skeleton height="16rem" /> : <img src={url} alt={label} className={styles['picture']} />;
}
