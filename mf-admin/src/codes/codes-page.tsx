import { useState } from 'react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { VerificationCodeView } from '@alpenglow/domain/contracts';
import {
  Button,
  EmptyState,
  ErrorBox,
  messageOf,
  Page,
  PageHeading,
  TimeAgo,
  useApi,
  useHost,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { More } from '../panel/more.tsx';
import { ReasonDialog } from '../panel/reason-dialog.tsx';
import { clearCodes, CODES_KEY, codesQuery } from './calls.ts';
import { useText } from './text.ts';
import framed from '../panel/framed-table.module.css';
import styles from '../panel/list.module.css';

/** `/admin/verification-codes`. */
export default function CodesPage() {
  const t = useText();
  const api = useApi();
  /** Whose code is to be cleared; `all` for everybody's. */
  const [clearing, setClearing] = useState<VerificationCodeView | 'all' | null>(null);
  const list = useInfiniteQuery(codesQuery(api));
  const codes = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page>
      <header className={styles['head']}>
        <PageHeading documentTitle={t('codes.title')}>{t('codes.title')}</PageHeading>
        <Button variant="danger" disabled={codes.length === 0} onClick={() => setClearing('all')}>
          {t('codes.clearAll')}
        </Button>
      </header>
      {list.isPending && <Loading height="16rem" />}
      {list.isError && codes.length === 0 && (
        <ErrorBox message={messageOf(list.error, t('codes.listFailed'))} onRetry={() => void list.refetch()} />
      )}
      {list.data && codes.length === 0 && (
        <EmptyState title={t('codes.none')}>
          <p>{t('codes.noneText')}</p>
        </EmptyState>
      )}
      {codes.length > 0 && <CodeTable codes={codes} onClear={setClearing} />}
      <More list={list} />
      {clearing && <ClearDialog clearing={clearing} onClose={() => setClearing(null)} />}
    </Page>
  );
}

function CodeTable({
  codes,
  onClear,
}: {
  readonly codes: readonly VerificationCodeView[];
  readonly onClear: (code: VerificationCodeView) => void;
}) {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={t('codes.title')}
      columns={[
        t('codes.email'),
        t('codes.code'),
        t('codes.issued'),
        t('codes.expires'),
        t('codes.attemptsLeft'),
        t('codes.actions'),
      ]}
      className={framed['framed']}
    >
      {codes.map((code) => (
        <tr key={code.userId}>
          <th scope="row">
            <Link to={`/admin/users/${code.userId}`}>{code.email}</Link>
          </th>
          <td>{code.code ?? t('codes.notShown')}</td>
          <td>
            <TimeAgo at={code.issuedAt} />
          </td>
          <td>{new Date(code.expiresAt).toLocaleTimeString(locale, { timeStyle: 'short' })}</td>
          <td>{code.attemptsLeft}</td>
          <td>
            <Button size="small" aria-label={t('codes.clearOf', { email: code.email })} onClick={() => onClear(code)}>
              {t('codes.clear')}
            </Button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function ClearDialog({
  clearing,
  onClose,
}: {
  readonly clearing: VerificationCodeView | 'all';
  readonly onClose: () => void;
}) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const doing = useMutation({
    mutationFn: (reason: string) => clearCodes(api, clearing === 'all' ? null : clearing.userId, reason),
    onSuccess: (cleared) => notify({ text: t('codes.cleared', { count: cleared }), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('codes.clearFailed')), tone: 'danger' }),
    onSettled: () => {
      onClose();
      return queryClient.invalidateQueries({ queryKey: CODES_KEY });
    },
  });
  return (
    <ReasonDialog
      title={clearing === 'all' ? t('codes.clearAllTitle') : t('codes.clearTitle', { email: clearing.email })}
      confirmLabel={t('codes.clearNow')}
      isDangerous
      isBusy={doing.isPending}
      onClose={onClose}
      onConfirm={(reason) => doing.mutate(reason)}
    >
      <p>{clearing === 'all' ? t('codes.clearAllText') : t('codes.clearText')}</p>
    </ReasonDialog>
  );
}
