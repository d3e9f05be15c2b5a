import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { HidingRuleFields, HidingRuleView, RuleConditions } from '@alpenglow/domain/contracts';
import { Button, EmptyState, ErrorBox, messageOf, Page, PageHeading, useApi, useHost } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { ruleCalls, RULES_KEY, rulesQuery } from './calls.ts';
import { RuleCard } from './rule-card.tsx';
import { RuleForm } from './rule-form.tsx';
import { TrialResult } from './trial-result.tsx';
import { useText } from './text.ts';
import { useTrial } from './use-trial.ts';
import listStyles from '../panel/list.module.css';
import styles from './rules-page.module.css';

/** `/admin/rules`: hiding rules, what each would have hidden, and which are on. */
export default function RulesPage() {
  const t = useText();
  const [edited, setEdited] = useState<HidingRuleView | 'new' | null>(null);
  const [tried, setTried] = useState<RuleConditions | null>(null);
  const { trial, run, stop } = useTrial();
  const tryOut = (conditions: RuleConditions) => {
    setTried(conditions);
    void run(conditions);
  };
  return (
    <Page>
      <header className={listStyles['head']}>
        <PageHeading documentTitle={t('rules.title')}>{t('rules.title')}</PageHeading>
        {edited === null && (
          <Button variant="primary" onClick={() => setEdited('new')}>
            {t('rules.new')}
          </Button>
        )}
        <p className={styles['lead']}>{t('rules.lead')}</p>
      </header>
      <div className={styles['stack']}>
        {edited !== null && (
          <Editor
            key={edited === 'new' ? 'new' : edited.id}
            of={edited === 'new' ? null : edited}
            onTry={tryOut}
            onClose={() => setEdited(null)}
          />
        )}
        <TrialResult trial={trial} onStop={stop} onAgain={() => tried && tryOut(tried)} />
        <Rules onEdit={setEdited} onTry={tryOut} />
      </div>
    </Page>
  );
}

interface EditorProps {
  readonly of: HidingRuleView | null;
  readonly onTry: (conditions: RuleConditions) => void;
  readonly onClose: () => void;
}

function Editor({ of, onTry, onClose }: EditorProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (fields: HidingRuleFields) =>
      of ? ruleCalls(api).change(of.id, fields) : ruleCalls(api).draft(fields),
    onSuccess: () => {
      notify({ text: t('rules.saved'), tone: 'success' });
      void queryClient.invalidateQueries({ queryKey: RULES_KEY });
      onClose();
    },
  });
  return (
    <RuleForm
      of={of}
      isSaving={save.isPending}
      error={save.error}
      onTry={onTry}
      onSave={(fields) => save.mutate(fields)}
      onCancel={onClose}
    />
  );
}

function Rules({
  onEdit,
  onTry,
}: {
  readonly onEdit: (rule: HidingRuleView) => void;
  readonly onTry: (conditions: RuleConditions) => void;
}) {
  const t = useText();
  const api = useApi();
  const rules = useQuery(rulesQuery(api));
  if (rules.isPending) return <Loading height="16rem" />;
  if (rules.isError)
    return <ErrorBox message={messageOf(rules.error, t('rules.failed'))} onRetry={() => void rules.refetch()} />;
  if (rules.data.data.length === 0)
    return <EmptyState title={t('rules.empty')}>{<p>{t('rules.emptyText')}</p>}</EmptyState>;
  return (
    <ul role="list" aria-label={t('rules.title')} className={styles['list']}>
      {rules.data.data.map((rule) => (
        <RuleCard key={rule.id} rule={rule} onEdit={() => onEdit(rule)} onTry={() => onTry(rule)} />
      ))}
    </ul>
  );
}
