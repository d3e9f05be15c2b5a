import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { VerificationCodeView } from '@alpenglow/domain/contracts';
import { Button, EmptyState, Page, PagedTable, TimeAgo, useApi, useLocale } from '@alpenglow/ui';
import { ListHeader } from '../panel/list-header.tsx';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { clearCodes, CODES_KEY, codesQuery } from './api.ts';

/** The page `/admin/verification-codes`, which lists the open verification codes of users. */
export default function CodesPage() {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const list = useInfiniteQuery(codesQuery(api));
  const clear = useReasonAction<VerificationCodeView | 'all', number>({
    send: (code, reason) => clearCodes(api, code === 'all' ? null : code.userId, reason),
    dialog: (code) => ({
      draftName: `clear-code.${code === 'all' ? 'all' : code.userId}`,
      title: code === 'all' ? t('codes.clearAllTitle') : t('codes.clearTitle', { email: code.email }),
      text: code === 'all' ? t('codes.clearAllText') : t('people.clearCodeText'),
      confirmLabel: t('codes.clearNow'),
      isDangerous: true,
    }),
    doneText: (_code, cleared) => t('codes.cleared', { count: cleared }),
    failedText: () => t('codes.clearFailed'),
    affectedQueries: () => ({ queryKey: CODES_KEY }),
  });
  const hasCodes = list.data?.pages.some(({ data }) => data.length > 0) ?? false;
  return (
    <Page>
      <ListHeader title={t('nav.codes')}>
        <Button variant="danger" disabled={!hasCodes} onClick={() => clear.openDialog('all')}>
          {t('codes.clearAll')}
        </Button>
      </ListHeader>
      <PagedTable
        list={list}
        failedText={t('codes.listFailed')}
        empty={
          <EmptyState title={t('codes.none')}>
            <p>{t('codes.noneText')}</p>
          </EmptyState>
        }
        label={t('nav.codes')}
        getKey={({ userId }) => userId}
        columns={[
          {
            head: t('field.email'),
            cell: ({ userId, email }) => <Link to={`/admin/users/${userId}`}>{email}</Link>,
          },
          { head: t('codes.code'), cell: ({ code }) => code ?? t('codes.notShown') },
          { head: t('codes.issued'), cell: ({ issuedAt }) => <TimeAgo at={issuedAt} /> },
          {
            head: t('codes.expires'),
            cell: ({ expiresAt }) => new Date(expiresAt).toLocaleTimeString(locale, { timeStyle: 'short' }),
          },
          { head: t('codes.attemptsLeft'), cell: ({ attemptsLeft }) => attemptsLeft },
          {
            head: t('table.actions'),
            cell: (code) => (
              <Button
                size="small"
                aria-label={t('codes.clearOf', { email: code.email })}
                onClick={() => clear.openDialog(code)}
              >
                {t('codes.clear')}
              </Button>
            ),
          },
        ]}
      />
      {clear.dialog}
    </Page>
  );
}
