import type { CaseView } from '@alpenglow/domain/contracts';
import { Badge, classNames, TimeAgo } from '@alpenglow/ui';
import { CaseSection } from './case-section.tsx';
import { useText } from '../text.ts';
import styles from './case-page.module.css';

interface ReportListProps extends Pick<CaseView, 'reports'> {
  /** True if the list is next to the form for the decision. It then scrolls, and does not move the form away. */
  readonly isLow: boolean;
}

/** Lists the reports in a moderation case with the texts that their authors wrote. */
export function ReportList({ reports, isLow }: ReportListProps) {
  const t = useText();
  return (
    <CaseSection id="reports" title={t('moderation.reports', { count: reports.length })}>
      {reports.length === 0 && <p className={styles['facts']}>{t('moderation.noReports')}</p>}
      <ul
        role="list"
        className={classNames(styles['items'], isLow && styles['low'])}
        aria-labelledby="reports"
        tabIndex={isLow && reports.length > 1 ? 0 : undefined}
      >
        {reports.map(({ id, reference, reason, text, at, isSignedIn }) => (
          <li key={id}>
            <Badge>{t(`moderation.reason.${reason}`)}</Badge>
            {text !== null && (
              <p className={styles['words']} dir="auto">
                {text}
              </p>
            )}
            <p className={styles['facts']}>
              {reference} · {isSignedIn ? t('moderation.byMember') : t('moderation.byVisitor')} · <TimeAgo at={at} />
            </p>
          </li>
        ))}
      </ul>
    </CaseSection>
  );
}
