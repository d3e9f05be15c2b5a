import { useEffect, useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PersonDataAnswer } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, ErrorBox, messageOf, saveFile, useApi, useHost, useLocale, useUser } from '@alpenglow/ui';
import { Loading } from '../../loading.tsx';
import { ReasonDialog } from '../../panel/reason-dialog.tsx';
import { PEOPLE_KEY } from '../calls.ts';
import styles from '../user-page.module.css';
import { useText } from './text.ts';

const LOOK_AGAIN_ms = 5_000;

/** What an admin may do about everything held about a person. */
type Deed = 'hold' | 'lift' | 'erase';
const CALLS = {
  hold: { method: 'PUT', path: 'legal-hold' },
  lift: { method: 'DELETE', path: 'legal-hold' },
  erase: { method: 'POST', path: 'erasure' },
} as const;

export interface PersonDataCardProps {
  readonly userId: string;
  /** Whether they have an account: only then there is something to download. */
  readonly isOpen: boolean;
}

/** Export, legal hold and erasure of one person (design, trust and privacy, "Personal data"). */
export function PersonDataCard({ userId, isOpen }: PersonDataCardProps) {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const isSelf = useUser()?.id === userId;
  const [asked, setAsked] = useState<Deed | null>(null);
  const base = `/admin/users/${encodeURIComponent(userId)}`;
  const known = useQuery({
    queryKey: ['admin', 'person', userId],
    queryFn: ({ signal }) => api.callSignedIn<PersonDataAnswer>({ path: `${base}/person`, signal }),
    refetchInterval: ({ state }) => (state.data?.data.erasure?.status === 'under_way' ? LOOK_AGAIN_ms : false),
  });
  const fetchAll = useMutation({ mutationFn: () => api.downloadSignedIn(`${base}/export`), onSuccess: saveFile });
  const time = (at: string) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
  const person = known.data?.data;
  const isHeld = person?.heldSince != null;
  const isErased = !isOpen && person?.erasure?.status === 'complete';
  const stepsDone = person?.erasure?.steps.length ?? 0;
  // With its steps, what the panel knows of them goes.
  useEffect(() => {
    if (isOpen && stepsDone > 0) void queryClient.invalidateQueries({ queryKey: PEOPLE_KEY });
  }, [isOpen, stepsDone, queryClient]);
  return (
    <Card>
      <h2>{t('person.title')}</h2>
      {known.isPending && <Loading height="8rem" />}
      {known.isError && (
        <ErrorBox message={messageOf(known.error, t('person.failed'))} onRetry={() => void known.refetch()} />
      )}
      {person && (
        <div className={styles['data']}>
          <p>
            {person.heldSince === null ? (
              <Badge tone="neutral">{t('person.noHold')}</Badge>
            ) : (
              <Badge tone="danger">{t('person.held', { at: time(person.heldSince) })}</Badge>
            )}{' '}
            {t('person.holdText')}
          </p>
          {person.erasure && (
            <p role="status">
              {t('person.erasure')}:{' '}
              {person.erasure.completedAt === null
                ? t('person.underWay', { count: person.erasure.steps.length })
                : t('person.complete', { at: time(person.erasure.completedAt) })}
            </p>
          )}
          {fetchAll.isError && <ErrorBox message={messageOf(fetchAll.error, t('person.exportFailed'))} />}
          <div className={styles['ways']}>
            {isOpen && (
              <Button busy={fetchAll.isPending} onClick={() => fetchAll.mutate()}>
                {fetchAll.isPending ? t('person.exporting') : t('person.export')}
              </Button>
            )}
            <Button onClick={() => setAsked(isHeld ? 'lift' : 'hold')}>
              {t(isHeld ? 'person.liftHold' : 'person.setHold')}
            </Button>
            <Button
              variant="danger"
              disabled={isSelf || isHeld || isErased || person.erasure?.status === 'under_way'}
              onClick={() => setAsked('erase')}
            >
              {t('person.erase')}
            </Button>
          </div>
          <p>{t('person.eraseText')}</p>
        </div>
      )}
      {asked && <DeedDialog key={asked} deed={asked} base={base} userId={userId} onClose={() => setAsked(null)} />}
    </Card>
  );
}

/** Asks for a reason, which becomes part of the history. */
function DeedDialog({
  deed,
  base,
  userId,
  onClose,
}: {
  readonly deed: Deed;
  readonly base: string;
  readonly userId: string;
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const { method, path } = CALLS[deed];
  const act = useMutation({
    mutationFn: (reason: string) => api.callSignedIn<unknown>({ method, path: `${base}/${path}`, body: { reason } }),
    onSuccess: async () => {
      notify({ text: t(`person.done.${deed}`), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: ['admin', 'person', userId] });
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t(`person.asked.${deed}`)}
      confirmLabel={t(`person.confirm.${deed}`)}
      isDangerous={deed === 'erase'}
      isBusy={act.isPending}
      onConfirm={(reason) => act.mutate(reason)}
      onClose={onClose}
    >
      <p>{t(deed === 'erase' ? 'person.eraseText' : 'person.holdText')}</p>
      {act.isError && <ErrorBox message={messageOf(act.error, t('person.actionFailed'))} />}
    </ReasonDialog>
  );
}
