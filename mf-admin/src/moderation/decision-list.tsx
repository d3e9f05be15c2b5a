import type { StaffDecisionView } from '@alpenglow/domain/contracts';
import { Link } from 'react-router-dom';
import { Badge, Card, TimeAgo } from '@alpenglow/ui';
import { OutcomeBadge, PersonName, useCaseTitle } from './case-facts.tsx';
import { useText } from './text.ts';
import styles from './case-page.module.css';

export interface DecisionListProps {
  readonly id: string;
  readonly title: string;
  /** Said where there is none. */
  readonly empty: string;
  readonly decisions: readonly StaffDecisionView[];
}

/** Decisions that were taken before, with what became of appeals. */
export function DecisionList({ id, title, empty, decisions }: DecisionListProps) {
  return (
    <Card>
      <section className={styles['section']} aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {decisions.length === 0 && <p className={styles['facts']}>{empty}</p>}
        <ul role="list" className={styles['items']}>
          {decisions.map((decision) => (
            <Decision key={decision.id} decision={decision} />
          ))}
        </ul>
      </section>
    </Card>
  );
}

function Decision({ decision }: { readonly decision: StaffDecisionView }) {
  const t = useText();
  const titleOf = useCaseTitle();
  const { caseId, outcome, rule, facts, isAutomated, by, at, appeal } = decision;
  return (
    <li>
      <p className={styles['badges']}>
        <OutcomeBadge outcome={outcome} />
        <Badge>{t(`moderation.rule.${rule.id}`)}</Badge>
        {appeal !== null && <Badge tone="accent">{t(`moderation.appeal.${appeal.outcome ?? 'waiting'}`)}</Badge>}
      </p>
      <Link to={`/admin/moderation/cases/${encodeURIComponent(caseId)}`}>
        <bdi>{titleOf(decision)}</bdi>
      </Link>
      <p className={styles['words']} dir="auto">
        {facts}
      </p>
      <p className={styles['facts']}>
        {isAutomated ? t('moderation.automated') : <PersonName person={by} />} · <TimeAgo at={at} />
      </p>
      {appeal !== null && (
        <div className={styles['answer']}>
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
