import type { CaseView } from '@alpenglow/domain/contracts';
import { Badge, Card, TimeAgo } from '@alpenglow/ui';
import { useText } from './text.ts';
import styles from './case-page.module.css';

/** What was reported, in the words of those who reported it. */
export function ReportList({ reports }: Pick<CaseView, 'reports'>) {
  const t = useText();
  return (
    <Card>
      <section className={styles['section']} aria-labelledby="reports">
        <h2 id="reports">{t('moderation.reports', { count: reports.length })}</h2>
        {reports.length === 0 && <p className={styles['facts']}>{t('moderation.noReports')}</p>}
        <ul role="list" className={styles['items']}>
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
      </section>
    </Card>
  );
}
