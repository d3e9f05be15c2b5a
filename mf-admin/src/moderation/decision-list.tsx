import type { StaffDecisionView } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { Badge, serverText, TimeAgo, useLocale } from '@alpenglow/ui';
import { casePath } from './api.ts';
import { OutcomeBadge, PersonName, useFormatCaseTitle } from './case-labels.tsx';
import { CaseSection, type CaseSectionProps } from './case-section.tsx';
import { useText } from '../text.ts';
import styles from './case-page.module.css';

export interface DecisionListProps extends Omit<CaseSectionProps, 'children'> {
  readonly empty: string;
  readonly decisions: readonly StaffDecisionView[];
}

/** Lists previous moderation decisions with the results of their appeals. */
export function DecisionList({ id, title, empty, decisions }: DecisionListProps) {
  return (
    <CaseSection id={id} title={title}>
      {decisions.length === 0 && <p className={styles['facts']}>{empty}</p>}
      <ul role="list" className={styles['items']}>
        {decisions.map((decision) => (
          <Decision key={decision.id} decision={decision} />
        ))}
      </ul>
    </CaseSection>
  );
}

function Decision({ decision }: { readonly decision: StaffDecisionView }) {
  const t = useText();
  const titleOf = useFormatCaseTitle();
  const locale = useLocale();
  const { caseId, outcome, rule, facts, isAutomated, by, at, appeal, changeBy } = decision;
  return (
    <li>
      <p className={styles['badges']}>
        <OutcomeBadge outcome={outcome} isReversed={appeal?.outcome === 'overturned'} />
        <Badge>{t(`moderation.rule.${rule.id}`)}</Badge>
        {appeal !== null && appeal.outcome !== 'overturned' && (
          <Badge tone="accent">{t(`moderation.appeal.${appeal.outcome ?? 'waiting'}`)}</Badge>
        )}
      </p>
      <Link to={casePath(caseId)}>
        <bdi>{titleOf(decision)}</bdi>
      </Link>
      <p className={styles['words']} dir="auto">
        {isAutomated ? serverText(facts) : facts}
      </p>
      {changeBy !== null && (
        <p className={styles['facts']}>
          {t(isAutomated ? 'moderation.notChangedBy' : 'moderation.changeUntil', {
            date: new Date(changeBy).toLocaleDateString(locale, { dateStyle: 'long' }),
          })}
        </p>
      )}
      <p className={styles['facts']}>
        {isAutomated ? t('moderation.automated') : <PersonName person={by} />} · <TimeAgo at={at} />
      </p>
      {appeal !== null && (
        <div className={styles['appeal']}>
          <p className={styles['words']} dir="auto">
            {appeal.text}
          </p>
          {appeal.facts !== null && (
            <>
              <p className={styles['words']} dir="auto">
                {appeal.facts}
              </p>
              <p className={styles['facts']}>
                <PersonName person={appeal.by} />
                {appeal.decidedAt !== null && (
                  <>
                    {' · '}
                    <TimeAgo at={appeal.decidedAt} />
                  </>
                )}
              </p>
            </>
          )}
        </div>
      )}
    </li>
  );
}
