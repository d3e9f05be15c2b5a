import { RESTORED_CASES_MAX, type CaseCard } from '@alpenglow/domain/contracts';
import { Button, useApi } from '@alpenglow/ui';
import { useReasonAction } from '../panel/use-reason-action.tsx';
import { useText } from '../text.ts';
import { caseRequests, MODERATION_KEY } from './api.ts';
import styles from './queue-page.module.css';

interface RestoreReportedProps {
  /** The visible moderation cases. */
  readonly cases: readonly CaseCard[];
}

/** A button with which an admin restores all visible content that reports have hidden. */
export function RestoreReported({ cases }: RestoreReportedProps) {
  const t = useText();
  const api = useApi();
  const ids = cases
    .filter(({ isHidden, decision }) => isHidden && decision?.isAutomated === true)
    .slice(0, RESTORED_CASES_MAX)
    .map(({ id }) => id);
  const { openDialog, dialog } = useReasonAction<readonly string[], { readonly data: { readonly restored: number } }>({
    send: (caseIds, facts) => caseRequests(api).restore({ caseIds: [...caseIds], facts }),
    dialog: ({ length }) => ({
      draftName: 'restore-reported',
      title: t('moderation.restoreTitle', { count: length }),
      text: t('moderation.restoreText'),
      confirmLabel: t('moderation.restoreNow'),
    }),
    doneText: (_ids, { data }) => t('moderation.restored', { count: data.restored }),
    failedText: () => t('moderation.restoreFailed'),
    affectedQueries: () => ({ queryKey: MODERATION_KEY }),
  });
  // An open dialog stays, although another admin may have restored the content in the meantime.
  if (ids.length === 0) return dialog;
  return (
    <div className={styles['restore']}>
      <Button variant="quiet" size="small" onClick={() => openDialog(ids)}>
        {t('moderation.restore', { count: ids.length })}
      </Button>
      {dialog}
    </div>
  );
}
