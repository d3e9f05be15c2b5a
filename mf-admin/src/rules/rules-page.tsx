import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { HidingRuleView, RuleConditions } from '@alpenglow/domain/contracts';
import { Button, EmptyState, Page, QueryView, useApi } from '@alpenglow/ui';
import { ListHeader } from '../panel/list-header.tsx';
import { rulesQuery } from './api.ts';
import { RuleCard } from './rule-card.tsx';
import { RuleForm } from './rule-form.tsx';
import { TrialResult } from './trial-result.tsx';
import { useText } from '../text.ts';
import { useTrial } from './use-trial.ts';
import styles from './rules-page.module.css';

/**
 * The page `/admin/rules`. It shows the rules that hide ads automatically, and the results of trying their conditions.
 */
export default function RulesPage() {
  const t = useText();
  const rules = useQuery(rulesQuery(useApi()));
  const [edited, setEdited] = useState<HidingRuleView | 'new' | null>(null);
  const [triedConditions, setTriedConditions] = useState<RuleConditions | null>(null);
  const { trial, run, stop } = useTrial();
  const tryOut = (conditions: RuleConditions) => {
    setTriedConditions(conditions);
    void run(conditions);
  };
  const editedRule = edited === 'new' ? null : edited;
  return (
    <Page>
      <ListHeader title={t('rules.title')}>
        {edited === null && (
          <Button variant="primary" onClick={() => setEdited('new')}>
            {t('rules.new')}
          </Button>
        )}
        <p className={styles['lead']}>{t('rules.lead')}</p>
      </ListHeader>
      <div className={styles['stack']}>
        {edited !== null && (
          <RuleForm key={editedRule?.id ?? 'new'} rule={editedRule} onTry={tryOut} onClose={() => setEdited(null)} />
        )}
        <TrialResult trial={trial} onStop={stop} onAgain={() => triedConditions && tryOut(triedConditions)} />
        <QueryView query={rules} failedText={t('rules.failed')} loadingHeight="16rem">
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState title={t('rules.empty')}>
                <p>{t('rules.emptyText')}</p>
              </EmptyState>
            ) : (
              <ul role="list" aria-label={t('rules.title')} className={styles['list']}>
                {data.map((rule) => (
                  <RuleCard key={rule.id} rule={rule} onEdit={() => setEdited(rule)} onTry={() => tryOut(rule)} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </div>
    </Page>
  );
}
