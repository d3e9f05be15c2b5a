import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { HidingRuleView } from '@alpenglow/domain/contracts';
import { Badge, Button, ConfirmDialog, messageOf, TimeAgo, useApi, useHost } from '@alpenglow/ui';
import { ruleCalls, RULES_KEY } from './calls.ts';
import { useText } from './text.ts';
import styles from './rules-page.module.css';

type Step = 'switchOn' | 'switchOff' | 'discard';

export interface RuleCardProps {
  readonly rule: HidingRuleView;
  readonly onEdit: () => void;
  readonly onTry: () => void;
}

/** A rule, what it looks for, and what can be done with it. What changes what others see is asked for once more. */
export function RuleCard({ rule, onEdit, onTry }: RuleCardProps) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Step | null>(null);
  const act = useMutation({
    mutationFn: (step: Step) => ruleCalls(api)[step](rule.id),
    onSuccess: (_answer, step) => notify({ text: t(`rules.done.${step}`), tone: 'success' }),
    onError: (error) => notify({ text: messageOf(error, t('rules.saveFailed')), tone: 'danger' }),
    onSettled: async () => {
      setAsked(null);
      await queryClient.invalidateQueries({ queryKey: RULES_KEY });
    },
  });
  const isOn = rule.status === 'on';
  return (
    <li className={styles['rule']}>
      <div className={styles['ruleHead']}>
        <h2 dir="auto">{rule.title}</h2>
        <Badge tone={isOn ? 'success' : 'neutral'}>{t(`rules.status.${rule.status}`)}</Badge>
      </div>
      <Conditions rule={rule} />
      <p className={styles['facts']}>
        {t(`rules.house.${rule.rule}`)} · {t('rules.hiddenCount', { count: rule.hidden })} · {t('rules.changed')}{' '}
        <TimeAgo at={rule.changedAt} />
      </p>
      <div className={styles['actions']}>
        <Button onClick={onTry}>{t('rules.try')}</Button>
        <Button variant={isOn ? 'secondary' : 'primary'} onClick={() => setAsked(isOn ? 'switchOff' : 'switchOn')}>
          {t(isOn ? 'rules.switchOff' : 'rules.switchOn')}
        </Button>
        {!isOn && <Button onClick={onEdit}>{t('rules.change')}</Button>}
        {!isOn && (
          <Button variant="quiet" onClick={() => setAsked('discard')}>
            {t('rules.discard')}
          </Button>
        )}
      </div>
      {asked !== null && (
        <ConfirmDialog
          open
          title={t(`rules.ask.${asked}`)}
          confirmLabel={t(asked === 'discard' ? 'rules.discard' : `rules.${asked}`)}
          cancelLabel={t('rules.cancel')}
          danger={asked === 'discard'}
          busy={act.isPending}
          onConfirm={() => act.mutate(asked)}
          onCancel={() => setAsked(null)}
        >
          <p>{t(`rules.askText.${asked}`)}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

function Conditions({ rule: { category, phrases, youngerThanDays, minReports } }: { readonly rule: HidingRuleView }) {
  const t = useText();
  return (
    <ul className={styles['conditionsOf']}>
      {phrases.length > 0 && (
        <li dir="auto">
          {t('rules.hasPhrase', { phrases: phrases.map((phrase) => t('rules.quoted', { phrase })).join(', ') })}
        </li>
      )}
      {category !== null && <li>{t('rules.inCategory', { category: t(`rules.categories.${category}`) })}</li>}
      {youngerThanDays !== null && <li>{t('rules.youngerThan', { days: youngerThanDays })}</li>}
      {minReports !== null && <li>{t('rules.reportedTimes', { count: minReports })}</li>}
    </ul>
  );
}
