import { useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdminUserDetailView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  Card,
  downloadSignedIn,
  ErrorBox,
  layout,
  messageOf,
  QueryView,
  saveFile,
  useApi,
  useHost,
  useUser,
  useSend,
} from '@alpenglow/ui';
import { Facts } from '../../panel/facts.tsx';
import { ReasonDialog } from '../../panel/reason-dialog.tsx';
import { useFormatTime } from '../../panel/use-format-time.ts';
import { USERS_KEY } from '../api.ts';
import styles from '../user-page.module.css';
import { useText } from '../../text.ts';

const POLL_ms = 5_000;

/**
 * An action of an admin on the personal data of a user. `hold` sets a legal hold, which forbids the erasure of the
 * data. `lift` ends the legal hold.
 */
type DataAction = 'hold' | 'lift' | 'erase';
const REQUESTS = {
  hold: { method: 'PUT', path: 'legal-hold' },
  lift: { method: 'DELETE', path: 'legal-hold' },
  erase: { method: 'POST', path: 'erasure' },
} as const;

type ErasedUser = Pick<AdminUserDetailView, 'displayName' | 'email' | 'ad'>;

export interface PersonDataCardProps {
  readonly userId: string;
  /** The user. Null for a closed account, whose name is not known any more and whose data cannot be downloaded. */
  readonly user: ErasedUser | null;
}

/** Lets an admin export or erase the personal data of a user (T-14, T-15). A legal hold forbids the erasure. */
export function PersonDataCard({ userId, user }: PersonDataCardProps) {
  const t = useText();
  const isOpen = user !== null;
  const api = useApi();
  const formatTime = useFormatTime();
  const queryClient = useQueryClient();
  const isSelf = useUser()?.id === userId;
  const [requested, setRequested] = useState<DataAction | null>(null);
  const base = `/admin/users/${encodeURIComponent(userId)}` as const;
  const query = useQuery({
    queryKey: ['admin', 'person', userId],
    queryFn: ({ signal }) => api.requestWithToken<'getPersonData'>({ path: `${base}/person`, signal }),
    refetchInterval: ({ state }) => (state.data?.data.erasure?.status === 'under_way' ? POLL_ms : false),
  });
  const fetchAll = useSend({ mutationFn: () => downloadSignedIn(api, `${base}/export`), onSuccess: saveFile });
  const person = query.data?.data;
  const isHeld = person?.heldSince != null;
  const isErased = !isOpen && person?.erasure?.status === 'complete';
  const stepsDone = person?.erasure?.steps.length ?? 0;
  // Each step of an erasure removes data, so the cached data of users is fetched again.
  useEffect(() => {
    if (isOpen && stepsDone > 0) void queryClient.invalidateQueries({ queryKey: USERS_KEY });
  }, [isOpen, stepsDone, queryClient]);
  return (
    <Card>
      <h2>{t('person.title')}</h2>
      <QueryView query={query} failedText={t('person.failed')} loadingHeight="8rem">
        {({ data: person }) => (
          <div className={layout['stack3']}>
            <p>
              {person.heldSince === null ? (
                <Badge tone="neutral">{t('person.noHold')}</Badge>
              ) : (
                <Badge tone="danger">{t('person.held', { at: formatTime(person.heldSince) })}</Badge>
              )}{' '}
              {person.heldSince !== null && t('person.holdText')}
            </p>
            {person.erasure && (
              <p role="status">
                {t('person.erasure')}:{' '}
                {person.erasure.completedAt === null
                  ? t('person.underWay', { count: person.erasure.steps.length })
                  : t('person.complete', { at: formatTime(person.erasure.completedAt) })}
              </p>
            )}
            {fetchAll.isError && <ErrorBox message={messageOf(fetchAll.error, t('person.exportFailed'))} />}
            <div className={styles['ways']}>
              {isOpen && (
                <Button busy={fetchAll.isPending} onClick={() => fetchAll.mutate()}>
                  {fetchAll.isPending ? t('person.exporting') : t('person.export')}
                </Button>
              )}
              <Button onClick={() => setRequested(isHeld ? 'lift' : 'hold')}>
                {t(isHeld ? 'person.liftHold' : 'person.setHold')}
              </Button>
              <Button
                variant="danger"
                disabled={isSelf || isHeld || isErased || person.erasure?.status === 'under_way'}
                onClick={() => setRequested('erase')}
              >
                {t('person.erase')}
              </Button>
            </div>
            <p>{t('person.eraseText')}</p>
          </div>
        )}
      </QueryView>
      {requested && (
        <ActionDialog
          key={requested}
          action={requested}
          base={base}
          userId={userId}
          user={user}
          onClose={() => setRequested(null)}
        />
      )}
    </Card>
  );
}

/**
 * A dialog that requests the reason for an action on personal data. The reason is stored in the history of the user. An
 * erasure cannot be undone, so its dialog names the person and the ad, and the admin types the e-mail address
 * (R-16.14).
 */
function ActionDialog({
  action,
  base,
  userId,
  user,
  onClose,
}: {
  readonly action: DataAction;
  readonly base: `/admin/users/${string}`;
  readonly userId: string;
  readonly user: ErasedUser | null;
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const { method, path } = REQUESTS[action];
  const send = useSend({
    mutationFn: ({ reason, typed }: { readonly reason: string; readonly typed: string; readonly onSent: () => void }) =>
      api.requestWithToken<'setLegalHold' | 'liftLegalHold' | 'erasePerson'>({
        method,
        path: `${base}/${path}`,
        body: { reason, ...(action === 'erase' && user !== null && { email: typed }) },
      }),
    onSuccess: async (_response, { onSent }) => {
      onSent();
      notify({ text: t(`person.done.${action}`), tone: 'success' });
      await queryClient.invalidateQueries({ queryKey: ['admin', 'person', userId] });
      onClose();
    },
  });
  return (
    <ReasonDialog
      draftName={`${action}.${userId}`}
      title={
        action === 'erase' && user !== null
          ? t('person.askedErase', { name: user.displayName })
          : t(`person.asked.${action}`)
      }
      text={t(action === 'erase' ? 'person.eraseText' : 'person.holdText')}
      {...(action === 'erase' &&
        user !== null && {
          details: (
            <Facts
              facts={[
                [t('field.name'), user.displayName],
                [t('field.email'), user.email],
                [t('ads.ad'), user.ad?.title ?? t('person.noAd')],
              ]}
            />
          ),
          typed: { label: t('person.typeEmail'), expected: user.email, wrongText: t('person.wrongEmail') },
        })}
      confirmLabel={t(`person.confirm.${action}`)}
      isDangerous={action === 'erase'}
      isBusy={send.isPending}
      onConfirm={(reason, onSent, typed) => send.mutate({ reason, typed, onSent })}
      onClose={onClose}
      problem={send.isError ? messageOf(send.error, t('person.actionFailed')) : null}
    />
  );
}
